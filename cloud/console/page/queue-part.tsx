/** What can be done about a refused vehicle: let it through once, make its plate a member's, or pass it over. */
import { computed, effect, signal, useSignal } from '@preact/signals';
import type { components } from '@parking-gateway/client';
import { waitingOf } from '../wording/waiting.js';
import { kept, words } from './browser.js';
import { callFor, Editor } from './form-parts.js';
import { CallsShown } from './made-calls.js';
import { CallShown, Choice, Refused } from './parts.js';
import { shownPlate } from './plate-mask.js';
import { knownReadings } from './reading-store.js';
import type { Sighting } from './records.js';
import { useSending } from './sending.js';
import { client, isManager, signedIn } from './session.js';
import { cameraOf, productOf, type Reading } from './store.js';
import { useRead } from './use-read.js';

/** More are forgotten, the oldest first. */
const DONE_MAX = 500;

function readDone(): ReadonlySet<number> {
  const found = kept.read('passed-over');
  return new Set(Array.isArray(found) ? found.filter((each): each is number => typeof each === 'number') : []);
}

/** Readings that were dealt with in this browser. */
export const passedOver = signal(readDone());

/** Somebody else begins with nothing. */
const userId = computed(() => signedIn.value?.userId);
effect(() => {
  void userId.value;
  passedOver.value = readDone();
});

export const waiting = computed(() => waitingOf(knownReadings.value, passedOver.value));

function keepDone(ids: readonly number[]): void {
  const newest = ids.slice(-DONE_MAX);
  kept.write('passed-over', newest);
  passedOver.value = new Set(newest);
}

export const passOver = ({ id }: Reading): void => keepDone([...passedOver.value, id]);
export const forgetPassedOver = (): void => keepDone([]);

export const productAt = ({ lpr_camera_id }: Pick<Reading | Sighting, 'lpr_camera_id'>) =>
  productOf(cameraOf(lpr_camera_id)?.product_id);

/** What was last done from the queue, for who sees the vehicle leave it. */
export const lastDone = signal<string | null>(null);

/** The refused vehicle that shall be let through: the question why is open. */
export const letting = signal<Reading | null>(null);

export const letWord = ({ direction }: Pick<Reading | Sighting, 'direction'>): string =>
  direction === 'out' ? words.live.letOut : words.live.letIn;

/** The reading whose plate becomes a member's: its question is open. */
export const membered = signal<Reading | null>(null);

export function LetThrough({ reading }: { reading: Reading }) {
  if (productAt(reading) === undefined) return <p class="hint">{words.live.noProduct}</p>;
  const word = letWord(reading);
  return (
    <button
      type="button"
      class="main"
      aria-label={`${word}: ${shownPlate(reading.plate)}`}
      onClick={() => (letting.value = reading)}
    >
      {word}
    </button>
  );
}

/** @param props.isQueue in the queue everything can be done at once, elsewhere the vehicle is let through */
export function RefusedActions({ reading, isQueue }: { reading: Reading; isQueue: boolean }) {
  const { queue } = words;
  if (!isQueue) return <LetThrough reading={reading} />;
  return (
    <div class="buttons">
      <LetThrough reading={reading} />
      {isManager.value && reading.direction === 'in' && (
        <button
          type="button"
          aria-label={`${queue.makeMember}: ${shownPlate(reading.plate)}`}
          onClick={() => (membered.value = reading)}
        >
          {queue.makeMember}
        </button>
      )}
      <button
        type="button"
        aria-label={`${queue.ignore}: ${shownPlate(reading.plate)}`}
        onClick={() => passOver(reading)}
      >
        {queue.ignore}
      </button>
    </div>
  );
}

type Group = components['schemas']['Group'];
const GROUPS_MAX = 300;

/** Asks whose the plate is, and where it may park from then on. */
export function MemberQuestion({ reading }: { reading: Reading }) {
  const { queue } = words;
  const { id, plate } = reading;
  const groups = useRead('groups', (stop) =>
    client().get('/v2/groups', { query: { sort: 'name:asc', size: GROUPS_MAX }, signal: stop }),
  );
  const bodyOf = ({ name, group }: { name: string; group: string }, license_plate: string) => ({
    name: name.trim(),
    license_plate,
    group_ids: group === '' ? [] : [Number(group)],
  });
  return (
    <Editor
      title={queue.memberTitle(shownPlate(plate))}
      name={`member-of-reading-${id}`}
      yes={queue.makeMember}
      initial={{ name: '', group: '' }}
      faultsOf={({ name, group }) => ({
        ...(name.trim() === '' ? { name: words.signIn.missing } : {}),
        ...(group === '' ? { group_ids: queue.groupFirst } : {}),
      })}
      save={async (form, idempotencyKey) => {
        await client().post('/v2/members', { body: bodyOf(form, plate), idempotencyKey });
        lastDone.value = queue.isMember(form.name.trim(), shownPlate(plate));
        passOver(reading);
      }}
      callOf={(form) => callFor('/v2/members', undefined, bodyOf(form, shownPlate(plate)))}
      nameOf={({ name }) => name}
      onClose={() => (membered.value = null)}
    >
      {({ form, set, faultOf, field }) => (
        <>
          <p>{queue.memberWhat}</p>
          {field('name', queue.memberName)}
          <Refused refusal={groups.refusal.value} onAgain={groups.again} />
          {groups.value.value?.length === 0 ? (
            <p class="notice">{queue.noGroups}</p>
          ) : (
            <Choice
              label={queue.memberGroup}
              value={form.group}
              options={[
                { value: '', text: '–' },
                ...(groups.value.value ?? []).map((each) => ({ value: String(each.id), text: groupText(each) })),
              ]}
              onValue={(group) => set({ group })}
              fault={faultOf('group_ids')}
            />
          )}
        </>
      )}
    </Editor>
  );
}

/** A group with the zones in which it may park. */
const groupText = ({ name, zones }: Group): string =>
  zones.length === 0 ? name : `${name} (${zones.map((zone) => zone.name).join(', ')})`;

/** Who was let in by hand has no stay, and would be refused at the exit. */
export function BeginStay({ reading }: { reading: Reading }) {
  const isBegun = useSignal(false);
  const sending = useSending([]);
  const { id, plate, zone_id, created_at, direction, session_id } = reading;
  if (direction !== 'in' || (session_id !== null && !isBegun.value)) return null;
  const bodyOf = (entry_license_plate: string) => ({ zone_id, entry_license_plate, created_at });
  const call = { method: 'POST', path: '/v2/sessions', body: bodyOf(shownPlate(plate)) };
  const begin = async () => {
    const work = () => client().post('/v2/sessions', { body: bodyOf(plate), idempotencyKey: `stay-of-reading-${id}` });
    if (await sending.send(work, { call, effect: 'session_create' })) isBegun.value = true;
  };
  return (
    <div class="command">
      {isBegun.value ? (
        <>
          <p class="notice good" role="status">
            {words.queue.stayBegun}
          </p>
          <CallsShown made={sending.made} />
        </>
      ) : (
        <>
          <p class="hint">{words.queue.beginStayWhat}</p>
          <button type="button" aria-disabled={sending.isBusy} onClick={() => void begin()}>
            {words.queue.beginStay}
          </button>
          <Refused refusal={sending.refusal} />
          <CallShown call={call} />
        </>
      )}
    </div>
  );
}
