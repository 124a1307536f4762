/** What a row of any list of stays shows. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { checkDiscount } from '../wording/money-checks.js';
import { spanOf } from '../wording/sentences.js';
import { moneyOf, timeOf, words } from './browser.js';
import { useDraft } from './draft.js';
import { CallsShown } from './made-calls.js';
import { Dialog, Field, Picture, Question, Refused } from './parts.js';
import { Payments } from './payments-part.js';
import { query, setQuery } from './place.js';
import { type AskedPlates, shownPlate } from './plate-mask.js';
import { RevealButton } from './plate-part.js';
import { useSending } from './sending.js';
import { client } from './session.js';
import { minute, type Session, sessionChanges, timezoneOf, zoneOf } from './store.js';

export const plateOf = ({ entry_license_plate, exit_license_plate }: Session): string =>
  entry_license_plate?.plate ?? exit_license_plate?.plate ?? words.sessions.noPlate;

/** What is shown of its plate. */
export const shownPlateOf = (session: Session): string =>
  platesOf(session).length === 0 ? words.sessions.noPlate : shownPlate(plateOf(session));

/** Those of entry and exit, which may differ. */
const platesOf = ({ entry_license_plate, exit_license_plate }: Session): string[] =>
  [entry_license_plate, exit_license_plate].flatMap((side) => (side === null ? [] : [side.plate]));

/** What is asked of the service to see a stay's plates. */
export const askedOf = (session: Session): AskedPlates => ({
  of: { list: 'sessions', id: session.id },
  plates: platesOf(session),
});

/** Milliseconds until now, or until the end. */
export const stayedMs = ({ created_at, ended_at }: Session): number =>
  (ended_at === null ? Math.max(minute.value, Date.now()) : Date.parse(ended_at)) - Date.parse(created_at);

export function isOverstay(session: Session): boolean {
  const hours = zoneOf(session.zone_id)?.occupancy_max_hours ?? 0;
  return session.ended_at === null && hours > 0 && stayedMs(session) > hours * 3_600_000;
}

interface Shown {
  session: Session;
  /** What a view adds to an open stay. */
  more?: ((session: Session) => ComponentChildren) | undefined;
}

export function SessionRow({ session, more }: Shown) {
  const { id, zone_id, created_at, ended_at, possibly_exited, amount_due, amount_paid, currency } = session;
  const isOpen = query.value.get('session') === String(id);
  const say = words.sessions;
  const plate = shownPlateOf(session);
  const facts: [string, string][] = [
    [say.zone, zoneOf(zone_id)?.name ?? '–'],
    [say.entered, timeOf(created_at, timezoneOf(zone_id))],
    ...(ended_at === null ? [] : [[say.left, timeOf(ended_at, timezoneOf(zone_id))] as [string, string]]),
    [say.stayed, spanOf(stayedMs(session) / 1000, words)],
    [say.due, moneyOf(amount_due, currency)],
    ...(amount_paid > 0 ? [[say.paid, moneyOf(amount_paid, currency)] as [string, string]] : []),
  ];
  return (
    <li class="card stay">
      <div class="line">
        <button
          type="button"
          class="plate"
          aria-expanded={isOpen}
          aria-label={say.details(plate)}
          onClick={() => setQuery({ session: isOpen ? '' : String(id) })}
        >
          {plate}
        </button>
        {ended_at === null && <span class="tag good">{say.statuses.open}</span>}
        {isOverstay(session) && <span class="tag bad">{say.overstay}</span>}
        {possibly_exited === true && <span class="tag warn">{say.maybeGone}</span>}
        <dl>
          {facts.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </div>
      {isOpen && <SessionDetails session={session} more={more} />}
    </li>
  );
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
  const isLarge = useSignal(false);
  const alt = `${title}: ${of}`;
  const url = side?.image_url ?? side?.cropped_image_url;
  return (
    <figure>
      {url === null || url === undefined ? (
        <Picture url={null} alt={alt} />
      ) : (
        <button
          type="button"
          class="enlarge"
          aria-label={words.found.enlarge(alt)}
          onClick={() => (isLarge.value = true)}
        >
          <Picture url={url} alt={alt} plate={side?.plate ?? ''} />
        </button>
      )}
      <figcaption>
        {title} {side !== null && <strong>{shownPlate(side.plate)}</strong>}
      </figcaption>
      {isLarge.value && (
        <Dialog title={alt} class="wide" onClose={() => (isLarge.value = false)}>
          <Picture url={url} alt={alt} plate={side?.plate ?? ''} />
          <button type="button" onClick={() => (isLarge.value = false)}>
            {words.close}
          </button>
        </Dialog>
      )}
    </figure>
  );
}

function SessionDetails({ session: listed, more }: Shown) {
  const session = useFresh(listed);
  const { id, discount_time, ended_at, entry_license_plate, exit_license_plate } = session;
  const say = words.sessions;
  const [form, reset] = useDraft(`discount-${id}`, { minutes: String(discount_time ?? '') });
  const { fault, discount_time: next } = checkDiscount(form.value.minutes, discount_time, words);
  const granting = useSending(['discount_time'], () => (fault === undefined ? {} : { discount_time: fault }));
  const ending = useSending([]);
  const isEnding = useSignal(false);
  const effect = 'session_update';
  const grantCall = { method: 'PATCH', path: `/v2/sessions/${id}`, body: { discount_time: next } };
  const endCall = { method: 'POST', path: `/v2/sessions/${id}/close`, body: {} };
  const grant = async (event: SubmitEvent) => {
    event.preventDefault();
    const { body } = grantCall;
    const work = () => client().patch('/v2/sessions/{id}', { path: { id }, body });
    if (!(await granting.send(work, { call: grantCall, effect }))) return;
    reset();
    sessionChanges.value += 1;
  };
  const end = async () => {
    const work = () => client().post('/v2/sessions/{id}/close', { path: { id }, body: {} });
    if (!(await ending.send(work, { call: endCall, effect }))) return;
    isEnding.value = false;
    sessionChanges.value += 1;
  };
  return (
    <div class="details">
      <div class="pictures">
        <SidePicture side={entry_license_plate} title={say.entryPicture} of={shownPlateOf(session)} />
        {ended_at !== null && (
          <SidePicture side={exit_license_plate} title={say.exitPicture} of={shownPlateOf(session)} />
        )}
      </div>
      <div class="aside">
        <RevealButton asked={[askedOf(session)]} />
        {ended_at === null && (
          <>
            <form class="inline" noValidate onSubmit={(event) => void grant(event)}>
              <Field
                label={say.discount}
                inputmode="numeric"
                hint={say.discountHint}
                value={form.value.minutes}
                onValue={(minutes) => (form.value = { minutes })}
                fault={granting.faults.discount_time}
              />
              <button type="submit">{say.discountSave}</button>
            </form>
            <button type="button" onClick={() => (isEnding.value = true)}>
              {say.end}
            </button>
          </>
        )}
        <Refused refusal={granting.refusal} />
        <CallsShown made={[...granting.made, ...ending.made]} />
        <Payments session={session} />
        {ended_at === null && more?.(session)}
      </div>
      {isEnding.value && (
        <Question
          title={say.endTitle(shownPlateOf(session))}
          yes={say.end}
          isBusy={ending.isBusy}
          onYes={() => void end()}
          onNo={() => (isEnding.value = false)}
          call={endCall}
        >
          <p>{say.endWhat}</p>
          <Refused refusal={ending.refusal} />
        </Question>
      )}
    </div>
  );
}
