/** The release of the lot in an emergency, and its end. */
import { useSignal } from '@preact/signals';
import { Button, Question } from '../../../shared/page/parts.js';
import type { LocalView } from '../view/local-view.js';
import { act, isBusy } from './acts.js';
import { words } from './browser.js';
import { ActNotice, Part } from './local-parts.js';

/** The outcome at one product, as `POST /api/release` answers. */
interface Released {
  device_id: string;
  name: string;
  is_done: boolean;
  problem: string | null;
}

const KEY = 'release';
const ID = 'emergency';

/** Shows above everything else what is held open; the button that ends it stands with the release. */
export function HeldNotice({ view }: { view: LocalView }) {
  const { release: say } = words();
  const held = view.products.filter((product) => product.held === 'stay_open');
  if (held.length === 0) return null;
  const show = () => {
    const button = document.querySelector<HTMLButtonElement>(`#${ID} .buttons > button:last-child`);
    button?.scrollIntoView({ block: 'center' });
    button?.focus();
  };
  return (
    <div class="notice warn held">
      <span>{say.held(held.map(({ name }) => name).join(', '))}</span>
      <Button look="small" word={say.toEnd} onClick={show} />
    </div>
  );
}

export function ReleasePart({ view }: { view: LocalView }) {
  const { release: say, cancel } = words();
  const asked = useSignal<'release' | 'clear' | null>(null);
  /** The products that have not moved after the last order. */
  const left = useSignal<readonly Released[]>([]);
  const busy = isBusy(KEY);
  const unpaired = view.products.filter(({ paired }) => !paired).map(({ name }) => name);
  const order = (path: string, texts: { busy: string; ended: string | null }) => {
    asked.value = null;
    left.value = [];
    void act<Released[]>(
      KEY,
      path,
      {},
      {
        busy: texts.busy,
        done(all) {
          left.value = all.filter((product) => !product.is_done);
          const sentence = say.results(all.length - left.value.length, all.length);
          if (left.value.length > 0) return { failed: sentence };
          return texts.ended ?? sentence;
        },
      },
    );
  };
  return (
    <Part title={say.title}>
      <div class="card" id={ID}>
        <p>{say.what}</p>
        <div class="buttons big">
          <Button look="danger" word={say.button} isBusy={busy} onClick={() => !busy && (asked.value = 'release')} />
          <Button word={say.end} isBusy={busy} onClick={() => !busy && (asked.value = 'clear')} />
        </div>
        <ActNotice name={KEY} />
        <Left products={left.value} />
      </div>
      {asked.value === 'release' && (
        <Question
          title={say.ask(view.lot ?? view.name ?? words().title)}
          yes={say.yes}
          no={cancel}
          isNoFirst
          onNo={() => (asked.value = null)}
          onYes={() => order('/api/release', { busy: say.busy, ended: null })}
        >
          {unpaired.length < view.products.length && <p>{say.asked(view.products.length - unpaired.length)}</p>}
          {unpaired.length > 0 && (
            <p class="notice bad">{words().troubles.willNotOpen(unpaired.length, unpaired.join(', '))}</p>
          )}
        </Question>
      )}
      {asked.value === 'clear' && (
        <Question
          title={say.endAsk}
          yes={say.end}
          no={cancel}
          isNoFirst
          onNo={() => (asked.value = null)}
          onYes={() => order('/api/release/clear', { busy: say.ending, ended: say.ended })}
        >
          <p>{say.endWhat}</p>
        </Question>
      )}
    </Part>
  );
}

/** To whom somebody has to go. */
function Left({ products }: { products: readonly Released[] }) {
  if (products.length === 0) return null;
  return (
    <ul class="lines">
      {products.map(({ device_id, name, problem }) => (
        <li key={device_id}>
          <strong>{name}</strong> <span>{problem}</span>
        </li>
      ))}
    </ul>
  );
}
