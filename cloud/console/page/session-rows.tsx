/** Facts of stays, and what one has to tell when its row is open. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { checkDiscount } from '../wording/money-checks.js';
import { timeOf, words } from './browser.js';
import { useForm } from './form-parts.js';
import { CallsShown } from './made-calls.js';
import { Button, joined, Question, Refused } from './parts.js';
import { Payments } from './payments-part.js';
import { Price } from './stay-price-part.js';
import { mayGiveMoney } from './account-settings.js';
import { LargePicture } from './picture.js';
import { shownPlate } from './plate-mask.js';
import { RevealButton } from './plate-part.js';
import { type Sending, useSending } from './sending.js';
import { client } from './session.js';
import { askedOf, shownPlateOf } from './session-plates.js';
import { minute, serverMinute, type Session, sessionChanges, timezoneOf, zoneName, zoneOf } from './store.js';

/** Milliseconds until now, or until the end. */
export const stayedMs = ({ created_at, ended_at }: Session): number =>
  (ended_at === null ? serverMinute() : Date.parse(ended_at)) - Date.parse(created_at);

export function isOverstay(session: Session): boolean {
  const hours = zoneOf(session.zone_id)?.occupancy_max_hours ?? 0;
  return session.ended_at === null && hours > 0 && stayedMs(session) > hours * 3_600_000;
}

/** Where it parked, from when to when: beside the list not all of its columns are shown. */
function factsOf({ zone_id, created_at, ended_at }: Session): string {
  const say = words.sessions;
  const at = (iso: string) => timeOf(iso, timezoneOf(zone_id));
  return joined([
    zoneName(zone_id),
    `${say.entered} ${at(created_at)}`,
    ended_at !== null && `${say.left} ${at(ended_at)}`,
  ]);
}

/** A session as it is now: links to pictures end after a time, and the amount due grows. */
function useFresh(session: Session): Session {
  const read = useSignal<Session | null>(null);
  const now = session.ended_at === null ? minute.value : 0;
  useEffect(() => {
    const abort = new AbortController();
    client()
      .get('/v2/sessions/{id}', { path: { id: session.id }, signal: abort.signal })
      .then((found) => (read.value = found))
      // What the list has is shown instead.
      .catch(() => undefined);
    return () => abort.abort();
  }, [session.id, session.updated_at, now]);
  const { value: fresh } = read;
  return fresh === null || fresh.updated_at < session.updated_at ? session : fresh;
}

/** Of one side of a stay; pressed it fills the window. */
function SidePicture({ side, title, of }: { side: Session['entry_license_plate']; title: string; of: string }) {
  return (
    <figure>
      <LargePicture
        url={side?.image_url ?? side?.cropped_image_url}
        alt={`${title}: ${of}`}
        plate={side?.plate ?? ''}
      />
      <figcaption>
        {title} {side !== null && <strong>{shownPlate(side.plate)}</strong>}
      </figcaption>
    </figure>
  );
}

/** @param props.more what a view adds to an open stay */
export function SessionDetails({
  session: listed,
  more,
}: {
  session: Session;
  more?: ((session: Session) => ComponentChildren) | undefined;
}) {
  const session = useFresh(listed);
  const { ended_at, entry_license_plate, exit_license_plate } = session;
  const say = words.sessions;
  const grant = useGrant(session);
  const ending = useSending([]);
  const isOpen = ended_at === null;
  return (
    <div class="details of-stay">
      <div class="pictures">
        <SidePicture side={entry_license_plate} title={say.entryPicture} of={shownPlateOf(session)} />
        {!isOpen && <SidePicture side={exit_license_plate} title={say.exitPicture} of={shownPlateOf(session)} />}
      </div>
      <div class="aside">
        <p class="facts">{factsOf(session)}</p>
        <RevealButton asked={[askedOf(session)]} />
        {isOpen && (
          <>
            {mayGiveMoney.value && (
              <form class="form" noValidate onSubmit={grant.submit}>
                {grant.field('minutes', say.discount, {
                  as: 'discount_time',
                  inputmode: 'numeric',
                  hint: say.discountHint,
                })}
                {grant.field('reason', say.discountReason, { as: 'discount_reason', hint: say.discountReasonHint })}
                <Button word={say.discountSave} />
              </form>
            )}
            <EndStay session={session} ending={ending} />
          </>
        )}
        <Refused refusal={grant.sending.refusal} />
        <CallsShown made={[...grant.sending.made, ...ending.made]} />
        <Price session={session} />
        <Payments session={session} />
        {isOpen && more?.(session)}
      </div>
    </div>
  );
}

/** Free minutes, which are granted or taken away. */
function useGrant({ id, discount_time, discount_reason }: Session) {
  const initial = { minutes: String(discount_time ?? ''), reason: discount_reason ?? '' };
  const next = (minutes: string) => checkDiscount(minutes, discount_time, words);
  const own = useForm(`discount-${id}`, initial, ['discount_time', 'discount_reason'], ({ minutes }) => {
    const { fault } = next(minutes);
    return fault === undefined ? {} : { discount_time: fault };
  });
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const { discount_time: granted } = next(own.form.minutes);
    const reason = own.form.reason.trim();
    const body = { discount_time: granted, ...(granted === null || reason === '' ? {} : { discount_reason: reason }) };
    const call = { method: 'PATCH', path: `/v2/sessions/${id}`, body };
    const work = () => client().patch('/v2/sessions/{id}', { path: { id }, body });
    if (await own.submit(work, { call, effect: 'session_update' })) sessionChanges.value += 1;
  };
  return { ...own, submit: (event: SubmitEvent) => void submit(event) };
}

function EndStay({ session, ending }: { session: Session; ending: Sending<never> }) {
  const { id } = session;
  const say = words.sessions;
  const isAsking = useSignal(false);
  const call = { method: 'POST', path: `/v2/sessions/${id}/close`, body: {} };
  const end = async () => {
    const work = () => client().post('/v2/sessions/{id}/close', { path: { id }, body: {} });
    if (!(await ending.send(work, { call, effect: 'session_update' }))) return;
    isAsking.value = false;
    sessionChanges.value += 1;
  };
  return (
    <>
      <Button word={say.end} onClick={() => (isAsking.value = true)} />
      {isAsking.value && (
        <Question
          title={say.endTitle(shownPlateOf(session))}
          yes={say.end}
          isBusy={ending.isBusy}
          onYes={end}
          onNo={() => (isAsking.value = false)}
          call={call}
        >
          <p>{say.endWhat}</p>
          <Refused refusal={ending.refusal} />
        </Question>
      )}
    </>
  );
}
