/** The frame of the gateway's own page: which gateway, how the connection to it is, and the view that the address names. */
import { signal } from '@preact/signals';
import { type JSX, render } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { type Language, LANGUAGES } from '../../../shared/languages.js';
import { Button } from '../../../shared/page/parts.js';
import type { LocalView } from '../view/local-view.js';
import { chooseLanguage, LANGUAGE_NAMES, language, timeOf, words } from './browser.js';
import { GatesView } from './gates-view.js';
import { HealthView } from './health-view.js';
import { PlacesView } from './places-view.js';
import { ServiceView } from './service-view.js';
import { Entrance } from './sign-in.js';
import { device, isSignedIn, lostSince, problem, signOut, start, view } from './view-store.js';

const VIEWS = {
  gates: GatesView,
  places: PlacesView,
  health: HealthView,
  service: ServiceView,
} as const satisfies Record<string, (props: { view: LocalView }) => JSX.Element>;
type ViewName = keyof typeof VIEWS;
const NAMES = Object.keys(VIEWS) as ViewName[];

/** The address names the view behind `#`: a reload shows it again, and the way back leads to the one before. */
const viewOfAddress = (): ViewName => NAMES.find((name) => `#${name}` === location.hash) ?? 'gates';
const shownView = signal<ViewName>(viewOfAddress());
addEventListener('hashchange', () => {
  shownView.value = viewOfAddress();
  scrollTo(0, 0);
});

function LocalConsole() {
  const shown = view.value;
  const facts = device.value;
  const name = shown?.name ?? (facts?.is_claimed === true ? facts.name : null) ?? words().title;
  useEffect(() => {
    document.title = `${words().views[shownView.value]} · ${name}`;
  }, [name, shownView.value, language.value]);
  return (
    <>
      <a class="skip" href="#content" onClick={skip}>
        {words().skip}
      </a>
      <Bar name={name} isIn={shown !== null} />
      <Connection />
      <main id="content" tabIndex={-1} class={lostSince.value === null && problem.value === null ? '' : 'stale'}>
        <Shown />
      </main>
    </>
  );
}

/** The address behind `#` names views. */
function skip(event: Event): void {
  event.preventDefault();
  document.getElementById('content')?.focus();
}

function Bar({ name, isIn }: { name: string; isIn: boolean }) {
  const { menu, views, language: label, signOut: out } = words();
  return (
    <header class="bar">
      <span class="brand">{name}</span>
      {isIn && (
        <nav aria-label={menu}>
          {NAMES.map((each) => (
            <a key={each} href={`#${each}`} aria-current={each === shownView.value ? 'page' : undefined}>
              {views[each]}
            </a>
          ))}
        </nav>
      )}
      <div class="who">
        <select
          aria-label={label}
          value={language.value}
          onChange={(event) => void chooseLanguage(event.currentTarget.value as Language)}
        >
          {LANGUAGES.map((each) => (
            <option key={each} value={each} lang={each}>
              {LANGUAGE_NAMES[each]}
            </option>
          ))}
        </select>
        {isIn && <Button look="small" word={out} onClick={signOut} />}
      </div>
    </header>
  );
}

function Connection() {
  const { lost } = words();
  const since = lostSince.value;
  return (
    <div role="status">
      {since !== null && (
        <p class="connection">
          <strong>{lost.gateway(timeOf(new Date(since).toISOString(), true))}</strong> {lost.retry}
        </p>
      )}
      {problem.value !== null && (
        <p class="connection">
          <strong>{problem.value}</strong>
        </p>
      )}
    </div>
  );
}

function Shown() {
  const frame = useRef<HTMLDivElement>(null);
  const name = shownView.value;
  const isFirst = useRef(true);
  // Whoever goes to another view by keys, or hears the page, begins at its heading.
  useEffect(() => {
    if (!isFirst.current) frame.current?.querySelector('h1')?.focus();
    isFirst.current = false;
  }, [name]);
  if (view.value !== null) {
    const View = VIEWS[name];
    return (
      <div ref={frame} class="view">
        <View view={view.value} />
      </div>
    );
  }
  if (isSignedIn.value === false && device.value !== null) return <Entrance device={device.value} />;
  return lostSince.value === null && problem.value === null ? <p class="empty">{words().loading}</p> : null;
}

start();
const root = document.getElementById('console');
if (root !== null) {
  root.textContent = '';
  render(<LocalConsole />, root);
}
