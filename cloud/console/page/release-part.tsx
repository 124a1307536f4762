/** Opens everything in a lot in an emergency, and tells how far that is. The band above each view ends it. */
import { useSignal } from '@preact/signals';
import { releaseLines } from '../wording/lot-release.js';
import { isUnpaired } from '../wording/product-view.js';
import { words } from './browser.js';
import { lotReleases, releaseCommands, releaseLot } from './commands.js';
import { Check } from './fields.js';
import { Button, Question, Refused } from './parts.js';
import { useSending } from './sending.js';
import { type Lot, type Product, productOf } from './store.js';

export function Release({ lot, own }: { lot: Lot; own: readonly Product[] }) {
  const say = words.lot;
  const unpaired = own.filter(isUnpaired).map(({ name }) => name);
  const isAsking = useSignal(false);
  const isHeld = useSignal(true);
  /** Undefined: nothing was sent from here. */
  const eventIds = lotReleases.value.get(lot.id);
  const sending = useSending([]);
  const send = async () => {
    await sending.send(() => releaseLot(lot.id, { hold: isHeld.value ? 1 : 0 }));
    isAsking.value = false;
  };
  return (
    <section class="release" aria-label={say.emergency}>
      <div class="choice">
        <Button look="danger" word={say.release} onClick={() => (isAsking.value = true)} />
        <p class="hint">{say.releaseHint}</p>
      </div>
      {eventIds !== undefined && <Progress eventIds={eventIds} />}
      <Refused refusal={sending.refusal} />
      {isAsking.value && (
        <Question
          title={say.releaseTitle(lot.name)}
          yes={say.releaseYes}
          onYes={send}
          onNo={() => (isAsking.value = false)}
        >
          {unpaired.length < own.length && <p>{say.releaseWhat(own.length - unpaired.length)}</p>}
          {unpaired.length > 0 && (
            <p class="notice bad">{words.troubles.willNotOpen(unpaired.length, unpaired.join(', '))}</p>
          )}
          <Check label={say.releaseHold} value={isHeld.value} onValue={(value) => (isHeld.value = value)} />
        </Question>
      )}
    </section>
  );
}

/** How far it is: what has moved, what has failed and why, and what has not answered yet. */
function Progress({ eventIds }: { eventIds: readonly string[] }) {
  const say = words.lot;
  if (eventIds.length === 0)
    return (
      <p class="notice" role="status">
        {say.nothingHeld}
      </p>
    );
  const given = eventIds.map((id) => releaseCommands.value.get(id)).filter((each) => each !== undefined);
  const lines = releaseLines(given, (id) => productOf(id)?.name, words);
  const count = (state: string) => lines.filter((each) => each.state === state).length;
  const [failed, waiting] = [count('failed'), count('waiting')];
  const tone = failed > 0 ? 'bad' : waiting > 0 ? 'busy' : 'good';
  return (
    <div class="progress">
      <p class={`notice ${tone}`} role={failed > 0 ? 'alert' : 'status'}>
        {say.released({ done: count('done'), all: eventIds.length, failed })}
      </p>
      <ul class="lines">
        {lines.map(({ key, name, state, sentence }) => (
          <li key={key}>
            <strong>{name}</strong> <span class={`tag ${TONES[state]}`}>{sentence}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

const TONES = { done: 'good', failed: 'bad', waiting: 'busy' } as const;
