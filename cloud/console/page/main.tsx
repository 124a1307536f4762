/** The console's frame: who is signed in, how the connection is, and the view that the address names. */
import { computed, effect, untracked } from '@preact/signals';
import { render } from 'preact';
import { useEffect } from 'preact/hooks';
import { type Place, VIEW_PATHS } from '../console-paths.js';
import { face, logoPath } from './account-settings.js';
import { kept, secondsTimeOf, words } from './browser.js';
import { CommandQuestion } from './command-question.js';
import { forgetCommands } from './commands.js';
import { EmergencyBand } from './emergency.js';
import { lazyView, loadViews } from './lazy-views.js';
import { BarePage, titleOf } from './loading-sign.js';
import { Button, Link, Refused } from './parts.js';
import { isPaletteOpen, Palette } from './palette.js';
import { place } from './place.js';
import { signedIn, signOut, waitsUntil } from './session.js';
import { ResetView, SignIn } from './sign-in.js';
import { Symbol } from './symbol.js';
import { isLoaded, loadAll, loadRefusal, lostSince, start, stop } from './store.js';
import { type Area, seenAreas, seenViews, SHOWN_VIEWS } from './views.js';

const KioskView = lazyView(async () => (await import('./kiosk-view.js')).KioskView);
const LotView = lazyView(async () => (await import('./lot-view.js')).LotView);

/** In which area a place is: a lot is looked at from the overview. */
const areaOf = (at: Place | null): Area | null =>
  at === null || at.view === 'reset'
    ? null
    : at.view === 'lot' || at.view === 'kiosk'
      ? 'overview'
      : SHOWN_VIEWS[at.view].area;

function Console() {
  // Whoever is signed in: it is about the person of the mail.
  if (place.value?.view === 'reset') return <ResetView />;
  if (signedIn.value === null) return <SignIn />;
  if (place.value?.view === 'kiosk') return <Wall />;
  return (
    <>
      <a class="skip" href="#content">
        {words.skip}
      </a>
      <Bar />
      <Palette views={seenViews()} />
      <CommandQuestion />
      <EmergencyBand />
      <Connection />
      <AreaMenu />
      <main id="content" tabIndex={-1} class={lostSince.value === null ? '' : 'stale'}>
        <Refused refusal={loadRefusal.value} onAgain={() => void loadAll()} />
        <Shown at={place.value} />
      </main>
    </>
  );
}

/** A screen on a wall has nothing to press. */
function Wall() {
  return (
    <main id="content" class="kiosk">
      <Shown at={place.value} />
    </main>
  );
}

function Bar() {
  const { name: person = '', roleId = 3 } = signedIn.value ?? {};
  const name = face.value?.display_name || words.name;
  const logo = logoPath.value;
  const area = areaOf(place.value);
  return (
    <header class="bar">
      <Link class="brand" to="/" label={name}>
        {logo === null ? <Symbol /> : <img class="logo" src={logo} alt="" />} <span>{name}</span>
      </Link>
      <nav aria-label={words.menu}>
        {[...seenAreas()].map(([each, [first = 'overview']]) => (
          <Link key={each} to={VIEW_PATHS[first]} isCurrent={each === area}>
            {words.areas[each]}
          </Link>
        ))}
      </nav>
      <div class="who">
        <button
          type="button"
          class="small find"
          aria-keyshortcuts="Control+K"
          onClick={() => (isPaletteOpen.value = true)}
        >
          {words.find}
        </button>
        <span>
          {person} <small>{words.roles[roleId]}</small>
        </span>
        <Button look="small" word={words.signOut} onClick={signOut} />
      </div>
    </header>
  );
}

/** The views of the area in which the person is. */
function AreaMenu() {
  const area = areaOf(place.value);
  const views = area === null ? [] : (seenAreas().get(area) ?? []);
  if (area === null || views.length < 2) return null;
  return (
    <nav class="area" aria-label={words.areas[area]}>
      {views.map((each) => (
        <Link key={each} to={VIEW_PATHS[each]} isCurrent={each === place.value?.view}>
          {words.views[each]}
        </Link>
      ))}
    </nav>
  );
}

function Connection() {
  const since = lostSince.value;
  const until = waitsUntil.value;
  return (
    <div role="status">
      {until !== null && <p class="connection">{words.link.waits(secondsTimeOf(new Date(until).toISOString()))}</p>}
      {since !== null && (
        <p class="connection">
          <strong>{words.link.lost(secondsTimeOf(new Date(since).toISOString()))}</strong> {words.link.retry}
        </p>
      )}
    </div>
  );
}

function Shown({ at }: { at: Place | null }) {
  const title = titleOf(at);
  useEffect(() => {
    document.title = title === '' ? words.name : `${title} · ${words.name}`;
  }, [title]);
  if (at === null || at.view === 'reset') return <BarePage text={words.unknownPage} />;
  if (at.view === 'lot') return <LotView key={at.id} id={at.id} />;
  if (at.view === 'kiosk') return <KioskView />;
  const { may, show } = SHOWN_VIEWS[at.view];
  return may() ? show() : <BarePage text={words.errors.noRight} />;
}

/** A new name is no new sign-in. */
const token = computed(() => signedIn.value?.token);

effect(() => {
  const current = token.value;
  untracked(() => {
    forgetCommands();
    if (current === undefined) stop();
    else start();
  });
});

/** Until then nothing takes the network from what the first view reads. */
const VIEWS_AFTER_MS = 2_000;

effect(() => {
  if (isLoaded.value) setTimeout(() => void loadViews(), VIEWS_AFTER_MS);
});

// Who asked for alerts gets them in whichever view they are.
effect(() => {
  if (isLoaded.value && kept.read('alerts') !== null) void import('./browser-alerts.js').catch(() => undefined);
});

const root = document.getElementById('console');
if (root !== null) {
  root.textContent = '';
  render(<Console />, root);
}
