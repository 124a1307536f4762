/** Opens everything in a lot in an emergency, tells who did and since when, and ends it. */
import type { components } from '@parking-gateway/client';
import { useSignal } from '@preact/signals';
import { actorName } from '../wording/audit-sentences.js';
import { lastingRelease, releaseLines } from '../wording/lot-release.js';
import { stayOf } from '../wording/product-view.js';
import { namesOfActors, NOBODY } from './actor-names.js';
import { timeOf, words } from './browser.js';
import { followAll, releaseCommands } from './commands.js';
import { Check } from './fields.js';
import { Button, Question, Refused } from './parts.js';
import { useSending } from './sending.js';
import { client, mayManage } from './session.js';
import { type Lot, minute, type Product, productOf } from './store.js';
import { useRead } from './use-read.js';

/** The newest of both kinds is among them. */
const ENTRIES = 5;

interface Known {
  release: components['schemas']['AuditRecord'] | null;
  names: typeof NOBODY;
}

const UNKNOWN: Known = { release: null, names: NOBODY };

/** The audit log is for managers: others are not told who it was. */
async function readRelease(lotId: number, own: readonly Product[], signal: AbortSignal): Promise<Known> {
  if (!mayManage.value) return UNKNOWN;
  const filter = ['action:like:lot.release', `target:eq:lot ${lotId}`];
  const release = lastingRelease(
    await client().get('/v2/audit-log', { query: { filter, size: ENTRIES }, signal }),
    own,
  );
  return release === null ? UNKNOWN : { release, names: await namesOfActors(signal) };
}

export function Release({ lot, own }: { lot: Lot; own: readonly Product[] }) {
  const say = words.lot;
  const isAsking = useSignal(false);
  const isHeld = useSignal(true);
  /** null: nothing was sent from here. */
  const eventIds = useSignal<readonly string[] | null>(null);
  const sending = useSending([]);
  const held = own.filter((product) => stayOf(product) === 'stay_open').map(({ id }) => id);
  const key = `${lot.id} ${eventIds.value?.join(' ')} ${held.join(' ')} ${minute.value}`;
  const { release, names } = useRead(key, (signal) => readRelease(lot.id, own, signal)).found ?? UNKNOWN;

  const send = async (kind: 'release' | 'clear') => {
    if (sending.isBusy) return;
    const path = kind === 'release' ? (`/v2/lots/{id}/release` as const) : (`/v2/lots/{id}/release/clear` as const);
    const body = kind === 'release' ? { hold: isHeld.value ? (1 as const) : (0 as const) } : {};
    await sending.send(async () => {
      const { event_ids } = await client().post(path, { path: { id: lot.id }, body });
      const operation = kind === 'clear' ? 'clear_stay_open' : isHeld.value ? 'stay_open' : 'open';
      const call = { method: 'POST', path: path.replace('{id}', String(lot.id)), body };
      followAll(event_ids, call, operation);
      eventIds.value = event_ids;
    });
    isAsking.value = false;
  };
  return (
    <section class="release" aria-label={say.emergency}>
      {release !== null && (
        <p class="notice bad">
          {say.releasedBy(actorName(release, names, words), timeOf(release.created_at, lot.timezone))}
        </p>
      )}
      <div class="choice">
        <Button look="danger" word={say.release} onClick={() => (isAsking.value = true)} />
        <p class="hint">{say.releaseHint}</p>
      </div>
      <div class="choice">
        <Button word={say.releaseEnd} onClick={() => void send('clear')} />
        <p class="hint">{say.releaseEndHint}</p>
      </div>
      {eventIds.value !== null && <Progress eventIds={eventIds.value} />}
      <Refused refusal={sending.refusal} />
      {isAsking.value && (
        <Question
          title={say.releaseTitle(lot.name)}
          yes={say.releaseYes}
          onYes={() => void send('release')}
          onNo={() => (isAsking.value = false)}
        >
          <p>{say.releaseWhat(own.length)}</p>
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
