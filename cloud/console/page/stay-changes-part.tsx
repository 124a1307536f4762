/** Splits a stay, merges two, and ends one as it really ended. */
import { useSignal } from '@preact/signals';
import { momentAt } from '../wording/lot-time.js';
import type { Refusal } from '../wording/sentences.js';
import { isWithinStay, mergeCalls, splitCalls, type StayCall, type StayFacts } from '../wording/stay-changes.js';
import { ownTimezone, words } from './browser.js';
import { useDraft } from './draft.js';
import { LotTimeField } from './lot-time-field.js';
import { type CallToMake, CallsShown, useMadeCalls } from './made-calls.js';
import { CallShown, Choice, Dialog, Field, Refused } from './parts.js';
import { client, refusalOf } from './session.js';
import { shownPlate } from './plate-mask.js';
import { plateOf, shownPlateOf } from './session-rows.js';
import { StayChoice } from './stay-choice.js';
import { inside, type Session, sessionChanges, timezoneOf, zoneOf } from './store.js';

const factsOf = (session: Session): StayFacts => ({
  id: session.id,
  zone_id: session.zone_id,
  created_at: session.created_at,
  plate: session.entry_license_plate?.plate ?? '',
});

/** @returns the stay, as it is then */
function make(call: StayCall): Promise<{ id: number }> {
  if (call.kind === 'begin') return client().post('/v2/sessions', { body: call.body });
  if (call.kind === 'close')
    return client().post('/v2/sessions/{id}/close', { path: { id: call.id }, body: call.body });
  return client().patch('/v2/sessions/{id}', { path: { id: call.id }, body: call.body });
}

/** As it is shown and made. */
export function toMake(call: StayCall): CallToMake {
  const { kind, body: given } = call;
  if (kind === 'begin')
    return { call: { method: 'POST', path: '/v2/sessions', body: given }, effect: 'session_create' };
  // It is the plate of a stay, and not what was typed.
  const body = call.kind === 'rename' ? { entry_license_plate: shownPlate(call.body.entry_license_plate) } : given;
  const path = `/v2/sessions/${call.id}`;
  const shown = kind === 'close' ? { method: 'POST', path: `${path}/close`, body } : { method: 'PATCH', path, body };
  return { call: shown, effect: 'session_update' };
}

/** Makes the calls of a change one after the other, and counts those that were done: what has ended stays ended. */
export function useStayCalls() {
  const refusal = useSignal<Refusal | null>(null);
  const doneCount = useSignal(0);
  const calls = useMadeCalls();
  return {
    refusal,
    doneCount,
    /** Those that were done, with what they caused. */
    made: calls.list,
    /** Another change begins. */
    clear() {
      refusal.value = null;
      doneCount.value = 0;
      calls.forget();
    },
    /** @returns whether all were done; called again, it goes on where it was refused */
    async run(change: readonly StayCall[]): Promise<boolean> {
      refusal.value = null;
      try {
        for (const call of change.slice(doneCount.value)) {
          await calls.make(toMake(call), () => make(call));
          doneCount.value += 1;
        }
        return true;
      } catch (error) {
        refusal.value = refusalOf(error);
        return false;
      } finally {
        sessionChanges.value += 1;
      }
    },
  };
}

/** Other open stays of the same lot. */
export const othersOf = (lot_id: number, except?: number): Session[] =>
  inside.value.filter(({ zone_id, id }) => zoneOf(zone_id)?.lot_id === lot_id && id !== except);

export function StayChanges({ session }: { session: Session }) {
  const asked = useSignal<'split' | 'merge' | 'end' | null>(null);
  const calls = useStayCalls();
  const ask = (what: 'split' | 'merge' | 'end') => () => {
    calls.clear();
    asked.value = what;
  };
  const question = { session, calls, onClose: () => (asked.value = null) };
  const say = words.stays;
  return (
    <>
      <div class="buttons">
        <button type="button" onClick={ask('split')}>
          {say.split}
        </button>
        <button type="button" onClick={ask('merge')}>
          {say.merge}
        </button>
        <button type="button" onClick={ask('end')}>
          {say.endOther}
        </button>
      </div>
      {asked.value === null && <CallsShown made={calls.made} />}
      {asked.value === 'split' && <Split {...question} />}
      {asked.value === 'merge' && <Merge {...question} />}
      {asked.value === 'end' && <EndAsItWas {...question} />}
    </>
  );
}

interface Question {
  session: Session;
  calls: ReturnType<typeof useStayCalls>;
  onClose: () => void;
}

/** By whose clocks its times are typed. */
const clocksOf = ({ zone_id }: Session): string => timezoneOf(zone_id) ?? ownTimezone;

/** What stands below every one of these forms. @param props.change what it would do now */
function Foot(props: Question & { word: string; change: readonly StayCall[] }) {
  const { word, session, calls, change, onClose } = props;
  return (
    <>
      {calls.refusal.value !== null && calls.doneCount.value > 0 && (
        <p class="notice bad">{words.stays.halfDone(shownPlateOf(session))}</p>
      )}
      <Refused refusal={calls.refusal.value} />
      <div class="buttons">
        <button type="submit" class="main">
          {word}
        </button>
        <button type="button" onClick={onClose}>
          {words.cancel}
        </button>
      </div>
      {change.map((call, at) => (
        <CallShown key={at} {...(calls.made[at] ?? { call: toMake(call).call })} />
      ))}
    </>
  );
}

function Split({ session, calls, onClose }: Question) {
  const say = words.stays;
  const [form, reset] = useDraft(`split-${session.id}`, { at: '', plate: '' });
  const isSent = useSignal(false);
  const { at, plate } = form.value;
  const timezone = clocksOf(session);
  const moment = momentAt(at, timezone);
  const isRight = moment !== null && isWithinStay(Date.parse(moment), session, Date.now());
  const change = splitCalls(factsOf(session), { at: moment ?? '', plate: plate.trim() });
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    isSent.value = true;
    if (!isRight || plate.trim() === '') return;
    if (await calls.run(change)) {
      reset();
      onClose();
    }
  };
  return (
    <Dialog title={say.splitTitle(shownPlateOf(session))} onClose={onClose}>
      <form noValidate class="dialog-form" onSubmit={(event) => void submit(event)}>
        <p>{say.splitWhat}</p>
        <LotTimeField
          label={say.splitAt}
          timezone={timezone}
          value={at}
          onValue={(value) => (form.value = { ...form.value, at: value })}
          fault={isSent.value && !isRight ? say.timeFault : undefined}
        />
        <Field
          label={say.splitPlate}
          value={plate}
          onValue={(value) => (form.value = { ...form.value, plate: value })}
          fault={isSent.value && plate.trim() === '' ? words.signIn.missing : undefined}
        />
        <Foot word={say.split} change={change} session={session} calls={calls} onClose={onClose} />
      </form>
    </Dialog>
  );
}

function Merge({ session, calls, onClose }: Question) {
  const say = words.stays;
  const chosen = useSignal('');
  const plate = useSignal('');
  const isSent = useSignal(false);
  const lotId = zoneOf(session.zone_id)?.lot_id ?? 0;
  // What has ended is no other stay any more: those of the beginning stay to be chosen from.
  const others = useSignal(othersOf(lotId, session.id)).value;
  const other = others.find(({ id }) => String(id) === chosen.value);
  const plates = other === undefined ? [] : [...new Set([plateOf(session), plateOf(other)])];
  const right = plates.includes(plate.value) ? plate.value : (plates[0] ?? '');
  const change = other === undefined ? [] : mergeCalls([factsOf(session), factsOf(other)], right);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    isSent.value = true;
    if (other !== undefined && (await calls.run(change))) onClose();
  };
  return (
    <Dialog title={say.mergeTitle(shownPlateOf(session))} onClose={onClose}>
      {others.length === 0 ? (
        <p>{say.alone}</p>
      ) : (
        <form noValidate class="dialog-form" onSubmit={(event) => void submit(event)}>
          <p>{say.mergeWhat}</p>
          <StayChoice
            label={say.mergeWith}
            stays={others}
            alike={plateOf(session)}
            value={chosen.value}
            onValue={(value) => (chosen.value = value)}
            fault={isSent.value && other === undefined ? words.signIn.missing : undefined}
          />
          {plates.length > 1 && (
            <Choice
              label={say.mergePlate}
              value={right}
              options={plates.map((each) => ({ value: each, text: shownPlate(each) }))}
              onValue={(value) => (plate.value = value)}
            />
          )}
          <Foot word={say.merge} change={change} session={session} calls={calls} onClose={onClose} />
        </form>
      )}
    </Dialog>
  );
}

/** Ends a stay at the time, and under the plate, with which the vehicle left. */
function EndAsItWas({ session, calls, onClose }: Question) {
  const say = words.stays;
  const [form, reset] = useDraft(`end-${session.id}`, { at: '', plate: '' });
  const isSent = useSignal(false);
  const { at, plate } = form.value;
  const timezone = clocksOf(session);
  const moment = momentAt(at, timezone);
  const isRight = at === '' || (moment !== null && isWithinStay(Date.parse(moment), session, Date.now()));
  const body = {
    ...(at === '' ? {} : { ended_at: moment ?? '' }),
    ...(plate.trim() === '' ? {} : { exit_license_plate: plate.trim() }),
  };
  const change: StayCall[] = [{ kind: 'close', id: session.id, body }];
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    isSent.value = true;
    if (!isRight) return;
    if (await calls.run(change)) {
      reset();
      onClose();
    }
  };
  return (
    <Dialog title={words.sessions.endTitle(shownPlateOf(session))} onClose={onClose}>
      <form noValidate class="dialog-form" onSubmit={(event) => void submit(event)}>
        {at === '' && <p>{words.sessions.endWhat}</p>}
        <LotTimeField
          label={say.endAt}
          timezone={timezone}
          hint={say.endAtHint}
          value={at}
          onValue={(value) => (form.value = { ...form.value, at: value })}
          fault={isSent.value && !isRight ? say.timeFault : undefined}
        />
        <Field
          label={say.leftAs}
          hint={say.leftAsHint}
          value={plate}
          onValue={(value) => (form.value = { ...form.value, plate: value })}
        />
        <Foot word={words.sessions.end} change={change} session={session} calls={calls} onClose={onClose} />
      </form>
    </Dialog>
  );
}
