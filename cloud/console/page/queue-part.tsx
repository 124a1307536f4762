/** What can be done about a refused vehicle: let it through once, make its plate a member's, or pass it over. */
import type { components } from '@parking-gateway/client';
import { computed, signal, useSignal } from '@preact/signals';
import type { Refusal } from '../wording/sentences.js';
import { handledSentence } from '../../../shared/wording/gate-sentences.js';
import { waitingOf } from '../wording/waiting.js';
import { timeOf, words } from './browser.js';
import { missing, named } from './fields.js';
import { Editor } from './editor.js';
import { CallsShown } from './made-calls.js';
import { Button, CallShown, Refused } from './parts.js';
import { shownPlate } from './plate-mask.js';
import { keepReadings, knownReadings } from './reading-store.js';
import type { Sighting } from './records.js';
import { useSending } from './sending.js';
import { useLive } from './server-clock.js';
import { client, mayManage, refusalOf } from './session.js';
import { cameraOf, productOf, type Reading, timezoneOf } from './store.js';
import { useRead } from './use-read.js';

export const waiting = computed(() => waitingOf(knownReadings.value));

/** Why the last vehicle could not be passed over, or does not wait again; null: it could. */
export const passRefusal = signal<Refusal | null>(null);

/** Passes a refused vehicle over for everybody, or has it wait again. @returns whether the service took it */
export async function passOver({ id }: Pick<Reading, 'id'>, handled: 'ignored' | null = 'ignored'): Promise<boolean> {
  try {
    const reading = await client().patch('/v2/plate-readings/{id}', { path: { id }, body: { handled } });
    keepReadings([reading]);
    const sentence = handledText(reading);
    if (sentence !== null) lastDone.value = `${shownPlate(reading.plate)}: ${sentence}`;
    passRefusal.value = null;
    return true;
  } catch (error) {
    passRefusal.value = refusalOf(error);
    return false;
  }
}

type HandledFacts = Pick<Reading | Sighting, 'direction' | 'handled_at' | 'handled_by' | 'handled_how' | 'zone_id'>;

/** Who dealt with a vehicle, and when; null: nobody did. */
export function handledText({
  direction,
  handled_at,
  handled_by,
  handled_how: how,
  zone_id,
}: HandledFacts): string | null {
  if (handled_at === null || how === null) return null;
  const at = timeOf(handled_at, timezoneOf(zone_id));
  return handledSentence({ direction, how, by: handled_by ?? '–', at }, words);
}

/** Who dealt with a vehicle. What was passed over can wait again. */
export function Handled({ reading }: { reading: Reading }) {
  const sentence = handledText(reading);
  if (sentence === null) return null;
  return (
    <p class="hint">
      {sentence}{' '}
      {reading.handled_how === 'ignored' && (
        <Button
          look="small"
          word={words.queue.again}
          about={shownPlate(reading.plate)}
          onClick={() => void passOver(reading, null)}
        />
      )}
    </p>
  );
}

export const productAt = ({ lpr_camera_id }: Pick<Reading | Sighting, 'lpr_camera_id'>) =>
  productOf(cameraOf(lpr_camera_id)?.product_id);

/** What was last done from the queue: the vehicle has left the list by then. */
export const lastDone = signal<string | null>(null);

/** The refused vehicle that shall be let through: the question why is open. */
export const letting = signal<Reading | null>(null);

export const letWord = ({ direction }: Pick<Reading | Sighting, 'direction'>): string =>
  direction === 'out' ? words.live.letOut : words.live.letIn;

/** The reading whose plate becomes a member's: its question is open. */
export const membered = signal<Reading | null>(null);

export function LetThrough({ reading }: { reading: Reading }) {
  if (!useLive(reading.created_at)) return null;
  if (productAt(reading) === undefined) return <p class="hint">{words.live.noProduct}</p>;
  const word = letWord(reading);
  return <Button look="main" word={word} about={shownPlate(reading.plate)} onClick={() => (letting.value = reading)} />;
}

/** @param props.isQueue in the queue everything can be done at once, elsewhere the vehicle is let through */
export function RefusedActions({ reading, isQueue }: { reading: Reading; isQueue: boolean }) {
  const { queue } = words;
  if (reading.handled_at !== null) return <Handled reading={reading} />;
  if (!isQueue) return <LetThrough reading={reading} />;
  return (
    <div class="buttons">
      <LetThrough reading={reading} />
      {mayManage.value && reading.direction === 'in' && (
        <Button word={queue.makeMember} about={shownPlate(reading.plate)} onClick={() => (membered.value = reading)} />
      )}
      <Button word={queue.ignore} about={shownPlate(reading.plate)} onClick={() => void passOver(reading)} />
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
  const options = named(
    (groups.found ?? []).map((each) => ({ id: each.id, name: groupText(each) })),
    '–',
  );
  return (
    <Editor
      list="/v2/members"
      thing={null}
      title={queue.memberTitle(shownPlate(plate))}
      draft={`member-of-reading-${id}`}
      yes={queue.makeMember}
      formOf={() => ({ name: '', group: '' })}
      faultsOf={({ name, group }) => ({
        ...missing('name', name),
        ...(group === '' ? { group_ids: queue.groupFirst } : {}),
      })}
      bodyOf={({ name, group }) => ({
        name: name.trim(),
        license_plate: plate,
        group_ids: group === '' ? [] : [Number(group)],
      })}
      hide={(body) => ({ ...body, license_plate: shownPlate(plate) })}
      after={({ name }) => {
        void passOver(reading).then(() => (lastDone.value = queue.isMember(name.trim(), shownPlate(plate))));
      }}
      onClose={() => (membered.value = null)}
    >
      {({ field, choice }) => (
        <>
          <p>{queue.memberWhat}</p>
          {field('name', queue.memberName)}
          <Refused refusal={groups.refusal} onAgain={groups.again} />
          {groups.found?.length === 0 ? (
            <p class="notice">{queue.noGroups}</p>
          ) : (
            choice('group', queue.memberGroup, options, { as: 'group_ids' })
          )}
        </>
      )}
    </Editor>
  );
}

/** A group with the zones in which it may park. */
const groupText = ({ name, zones }: Group): string =>
  zones.length === 0 ? name : `${name} (${zones.map((zone) => zone.name).join(', ')})`;

/** A vehicle that was let in by hand has no stay: without one it would be refused at the exit. */
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
          <Button word={words.queue.beginStay} isBusy={sending.isBusy} onClick={begin} />
          <Refused refusal={sending.refusal} />
          <CallShown call={call} />
        </>
      )}
    </div>
  );
}
