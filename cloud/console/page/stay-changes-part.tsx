/** Splits a stay, merges two, and ends one as it really ended. */
import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { momentAt } from '../wording/lot-time.js';
import { plateFaultSentence } from '../wording/plate-fault.js';
import type { Refusal } from '../wording/sentences.js';
import { isWithinStay, mergeCalls, splitCalls, type StayCall, type StayFacts } from '../wording/stay-changes.js';
import { ownTimezone, words } from './browser.js';
import { useKeyedDraft } from './draft.js';
import { Choice, fieldsOf } from './fields.js';
import { CallsShown, type CallToMake, useMadeCalls } from './made-calls.js';
import { Button, CallShown, Dialog, Refused } from './parts.js';
import { shownPlate } from './plate-mask.js';
import { client, refusalOf } from './session.js';
import { plateOf, shownPlateOf } from './session-plates.js';
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
  // The plate is the stay's and was not typed: it may have to be masked.
  const body = call.kind === 'rename' ? { entry_license_plate: shownPlate(call.body.entry_license_plate) } : given;
  const path = `/v2/sessions/${call.id}`;
  const shown = kind === 'close' ? { method: 'POST', path: `${path}/close`, body } : { method: 'PATCH', path, body };
  return { call: shown, effect: 'session_update' };
}

/** Makes the calls of a change one after the other, and counts those that were done: a repeated try does not make them again. */
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
  const change = useSignal<'split' | 'merge' | 'end' | null>(null);
  const calls = useStayCalls();
  const begin = (what: 'split' | 'merge' | 'end') => () => {
    calls.clear();
    change.value = what;
  };
  const question = { session, calls, onClose: () => void (change.value = null) };
  const say = words.stays;
  return (
    <>
      <div class="buttons">
        <Button word={say.split} onClick={begin('split')} />
        <Button word={say.merge} onClick={begin('merge')} />
        <Button word={say.endOther} onClick={begin('end')} />
      </div>
      {change.value === null && <CallsShown made={calls.made} />}
      {change.value === 'split' && <Split {...question} />}
      {change.value === 'merge' && <Merge {...question} />}
      {change.value === 'end' && <EndAsItWas {...question} />}
    </>
  );
}

interface Question {
  session: Session;
  calls: ReturnType<typeof useStayCalls>;
  onClose: () => void;
}

/** The form of a change in its dialog. @param props.change what it would do now. @param props.isRight whether it can be sent */
function ChangeForm(
  props: Question & {
    title: string;
    word: string;
    change: readonly StayCall[];
    isRight: boolean;
    isTried: Signal<boolean>;
    onDone?: () => void;
    children: ComponentChildren;
  },
) {
  const { session, calls, onClose, change } = props;
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    props.isTried.value = true;
    if (!props.isRight || !(await calls.run(change))) return;
    props.onDone?.();
    onClose();
  };
  return (
    <Dialog title={props.title} onClose={onClose}>
      <form noValidate class="dialog-form" onSubmit={(event) => void submit(event)}>
        {props.children}
        {calls.refusal.value !== null && calls.doneCount.value > 0 && (
          <p class="notice bad">{words.stays.halfDone(shownPlateOf(session))}</p>
        )}
        <Refused refusal={calls.refusal.value} />
        <div class="buttons">
          <Button look="main" word={props.word} />
          <Button word={words.cancel} onClick={onClose} />
        </div>
        {change.map((call, at) => (
          <CallShown key={at} {...(calls.made[at] ?? { call: toMake(call).call })} />
        ))}
      </form>
    </Dialog>
  );
}

/** A time within a stay, and a plate. @param name of the draft */
function useTimeAndPlate(name: string, session: Session) {
  const { form, set, reset } = useKeyedDraft(`${name}-${session.id}`, { at: '', plate: '' });
  const timezone = timezoneOf(session.zone_id) ?? ownTimezone;
  const moment = momentAt(form.at, timezone);
  return {
    form,
    set,
    reset,
    timezone,
    moment: moment ?? '',
    plate: form.plate.trim(),
    isWithin: moment !== null && isWithinStay(Date.parse(moment), session, Date.now()),
    isTried: useSignal(false),
  };
}

function Split(question: Question) {
  const { session } = question;
  const say = words.stays;
  const { form, set, reset, timezone, moment, plate, isWithin, isTried } = useTimeAndPlate('split', session);
  const plateFault = plateFaultSentence(plate, words) ?? undefined;
  const faults = { at: isWithin ? undefined : say.timeFault, plate: plateFault };
  const { field, time } = fieldsOf(form, set, (key) =>
    isTried.value ? faults[key as keyof typeof faults] : undefined,
  );
  return (
    <ChangeForm
      {...question}
      title={say.splitTitle(shownPlateOf(session))}
      word={say.split}
      change={splitCalls(factsOf(session), { at: moment, plate })}
      isRight={isWithin && plateFault === undefined}
      isTried={isTried}
      onDone={reset}
    >
      <p>{say.splitWhat}</p>
      {time('at', say.splitAt, timezone)}
      {field('plate', say.splitPlate)}
    </ChangeForm>
  );
}

function Merge(question: Question) {
  const { session, onClose } = question;
  const say = words.stays;
  const chosen = useSignal('');
  const plate = useSignal('');
  const isTried = useSignal(false);
  const lotId = zoneOf(session.zone_id)?.lot_id ?? 0;
  const title = say.mergeTitle(shownPlateOf(session));
  // The choice keeps the stays that were open when the dialog was opened, although the first call of the change ends one of them.
  const others = useSignal(othersOf(lotId, session.id)).value;
  const other = others.find(({ id }) => String(id) === chosen.value);
  const plates = other === undefined ? [] : [...new Set([plateOf(session), plateOf(other)])];
  const right = plates.includes(plate.value) ? plate.value : (plates[0] ?? '');
  if (others.length === 0)
    return (
      <Dialog title={title} onClose={onClose}>
        <p>{say.alone}</p>
      </Dialog>
    );
  return (
    <ChangeForm
      {...question}
      title={title}
      word={say.merge}
      change={other === undefined ? [] : mergeCalls([factsOf(session), factsOf(other)], right)}
      isRight={other !== undefined}
      isTried={isTried}
    >
      <p>{say.mergeWhat}</p>
      <StayChoice
        label={say.mergeWith}
        stays={others}
        alike={plateOf(session)}
        value={chosen.value}
        onValue={(value) => (chosen.value = value)}
        fault={isTried.value && other === undefined ? words.signIn.missing : undefined}
      />
      {plates.length > 1 && (
        <Choice
          label={say.mergePlate}
          value={right}
          options={plates.map((each) => ({ value: each, text: shownPlate(each) }))}
          onValue={(value) => (plate.value = value)}
        />
      )}
    </ChangeForm>
  );
}

/** Ends a stay at the time, and under the plate, with which the vehicle left. */
function EndAsItWas(question: Question) {
  const { session } = question;
  const say = words.stays;
  const { form, set, reset, timezone, moment, plate, isWithin, isTried } = useTimeAndPlate('end', session);
  const isNow = form.at === '';
  const plateFault = plate === '' ? undefined : (plateFaultSentence(plate, words) ?? undefined);
  const faults = { at: isNow || isWithin ? undefined : say.timeFault, plate: plateFault };
  const isRight = (isNow || isWithin) && plateFault === undefined;
  const { field, time } = fieldsOf(form, set, (key) =>
    isTried.value ? faults[key as keyof typeof faults] : undefined,
  );
  const body = {
    ...(isNow ? {} : { ended_at: moment }),
    ...(plate === '' ? {} : { exit_license_plate: plate }),
  };
  return (
    <ChangeForm
      {...question}
      title={words.sessions.endTitle(shownPlateOf(session))}
      word={words.sessions.end}
      change={[{ kind: 'close', id: session.id, body }]}
      isRight={isRight}
      isTried={isTried}
      onDone={reset}
    >
      {isNow && <p>{words.sessions.endWhat}</p>}
      {time('at', say.endAt, timezone, { hint: words.forms.emptyNow })}
      {field('plate', say.leftAs, { hint: say.leftAsHint })}
    </ChangeForm>
  );
}
