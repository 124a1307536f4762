/** Who is inside, the longest stay first: what is wrong with it, and a list on paper to go through in an emergency. */
import { useSignal } from '@preact/signals';
import { DAY_MS } from '../../../shared/durations.js';
import { lostExitsOf, type StayCall } from '../wording/stay-changes.js';
import { timeOf, words } from './browser.js';
import { named, QueryChoice } from './fields.js';
import { insideTotal } from './inside-store.js';
import { LoadingSign } from './loading-sign.js';
import { Muster } from './muster-part.js';
import { Button, CallShown, Empty, Refused } from './parts.js';
import { queryOf, setQuery } from './place.js';
import { type AskedPlates, shownPlate } from './plate-mask.js';
import { Plate, RevealButton } from './plate-part.js';
import { PrintedOnly } from './printed-only.js';
import { passedOver, passOver } from './queue-part.js';
import { client } from './session.js';
import { askedOf } from './session-plates.js';
import { isOverstay, SessionRow } from './session-rows.js';
import { othersOf, StayChanges, toMake, useStayCalls } from './stay-changes-part.js';
import { StayChoice } from './stay-choice.js';
import {
  cameraOf,
  inside,
  isLoaded,
  lostSince,
  lots,
  minute,
  type Reading,
  readings,
  type Session,
  timezoneOf,
  zoneOf,
} from './store.js';
import { type Read, useRead } from './use-read.js';
import { WindowedList } from './windowed-list.js';

/** What is wrong with a stay, as the address names it. */
const KINDS: Readonly<Record<'overstay' | 'due' | 'maybeGone', (session: Session) => boolean>> = {
  overstay: isOverstay,
  due: ({ amount_due }) => amount_due > 0,
  maybeGone: ({ possibly_exited }) => possibly_exited === true,
};
type Kind = keyof typeof KINDS;
const KIND_NAMES = Object.keys(KINDS) as Kind[];

export function InsideView() {
  const total = insideTotal.value;
  if (!isLoaded.value || total === null) return <LoadingSign />;
  const lot = queryOf('lot');
  const kind = KIND_NAMES.find((each) => each === queryOf('show'));
  const all = inside.value
    .filter(({ zone_id }) => lot === '' || String(zoneOf(zone_id)?.lot_id) === lot)
    .toSorted(oldestFirst);
  const shown = kind === undefined ? all : all.filter(KINDS[kind]);
  const now = timeOf(new Date(minute.value).toISOString(), commonTimezone(lot));
  const isCut = total > inside.value.length;
  return (
    <>
      <div class="head no-print">
        <div>
          <h1 tabIndex={-1}>{words.views.inside}</h1>
          <p class="facts">
            {words.sessions.inside(lot === '' ? total : all.length)} {words.sessions.printed(now)}
          </p>
        </div>
        <div class="buttons">
          <RevealButton asked={askedByLot(all)} word={words.mask.showAll} />
          <Button word={words.sessions.print} onClick={() => print()} />
        </div>
      </div>
      {isCut && (
        <p class="notice bad no-print" role="alert">
          {words.sessions.insideCut(inside.value.length, total)}
        </p>
      )}
      <div class="inside-filters no-print">
        {lots.value.length > 1 && (
          <QueryChoice name="lot" label={words.forms.lot} options={named(lots.value, words.forms.allLots)} />
        )}
        <Kinds chosen={kind} stays={all} />
      </div>
      <div class="no-print">
        {shown.length === 0 ? (
          <Empty>{words.sessions.none}</Empty>
        ) : (
          <WindowedList items={shown} row={(session) => <SessionRow session={session} more={moreOf} />} />
        )}
      </div>
      <LostExits lot={lot} />
      <PrintedOnly class="muster">
        {() => (
          <Muster
            stays={all}
            now={now}
            missing={isCut ? words.stays.musterCut(inside.value.length, total) : null}
            lot={lots.value.find(({ id }) => String(id) === lot)?.name}
          />
        )}
      </PrintedOnly>
    </>
  );
}

/** By what is wrong with them, and how many are so. */
function Kinds({ chosen, stays }: { chosen: Kind | undefined; stays: readonly Session[] }) {
  return (
    <div class="buttons">
      <Button
        look="small"
        word={words.stays.all}
        isPressed={chosen === undefined}
        onClick={() => setQuery({ show: '' })}
      />
      {KIND_NAMES.map((each) => {
        const count = stays.filter(KINDS[each]).length;
        return (
          <button
            key={each}
            type="button"
            class="small"
            aria-pressed={chosen === each}
            onClick={() => setQuery({ show: each })}
          >
            {words.stays[each]} {count > 0 && <span class="tag warn">{count}</span>}
          </button>
        );
      })}
    </div>
  );
}

/** The service writes all times alike: of thousands the texts are compared far sooner than the times. */
const oldestFirst = (a: Session, b: Session): number =>
  a.created_at < b.created_at ? -1 : a.created_at > b.created_at ? 1 : 0;

const moreOf = (session: Session) => <StayChanges session={session} />;

/** That of the chosen lot, or of all when they have the same. */
function commonTimezone(lot: string): string | undefined {
  const chosen = lots.value.filter(({ id }) => lot === '' || String(id) === lot).map(({ timezone }) => timezone);
  return new Set(chosen).size === 1 ? chosen[0] : undefined;
}

/** All plates, lot by lot: in an emergency there is no time to ask for each. */
function askedByLot(stays: readonly Session[]): AskedPlates[] {
  const byLot = new Map<number, string[]>();
  for (const stay of stays) {
    const lot = zoneOf(stay.zone_id)?.lot_id ?? 0;
    const plates = byLot.get(lot) ?? [];
    if (plates.length === 0) byLot.set(lot, plates);
    plates.push(...askedOf(stay).plates);
  }
  return [...byLot].map(([id, plates]) => ({ of: { list: 'lots', id }, plates }));
}

const PAGE = 100;

/** Vehicles that were refused at an exit because nobody knows their entry: often a stay under a plate that was read wrongly. */
function LostExits({ lot }: { lot: string }) {
  // Not while the connection is lost, and again after it.
  const isLost = lostSince.value !== null;
  const read: Read<readonly Reading[]> = useRead(String(isLost), async (signal) => {
    if (isLost) return read.found ?? [];
    const since = new Date(Date.now() - DAY_MS).toISOString();
    const filter = ['access_decision_reason:eq:no_active_session', `date_from:eq:${since}`];
    return await client().get('/v2/plate-readings', { query: { filter, size: PAGE }, signal });
  });
  const known = new Map([...(read.found ?? []), ...readings.value].map((each) => [each.id, each]));
  const exits = lostExitsOf([...known.values()], Math.max(minute.value, Date.now()) - DAY_MS).filter(
    ({ id, zone_id }) => !passedOver.value.has(id) && (lot === '' || String(zoneOf(zone_id)?.lot_id) === lot),
  );
  return (
    <section class="exits no-print" aria-labelledby="lost-exits">
      <h2 id="lost-exits">{words.stays.lostExits}</h2>
      <p class="hint">{exits.length === 0 ? words.stays.noLostExits : words.stays.lostExitsWhat}</p>
      <Refused refusal={read.refusal} />
      <ul class="exits">
        {exits.map((reading) => (
          <LostExit key={reading.id} reading={reading} />
        ))}
      </ul>
    </section>
  );
}

function LostExit({ reading }: { reading: Reading }) {
  const say = words.stays;
  const { plate, created_at, zone_id, lpr_camera_id } = reading;
  const chosen = useSignal('');
  const calls = useStayCalls();
  const stays = othersOf(zoneOf(zone_id)?.lot_id ?? 0);
  const stay = stays.find(({ id }) => String(id) === chosen.value);
  const endOf = ({ id, created_at: began_at }: Session, exit_license_plate: string): StayCall => {
    // It stood at the exit before a stay that began later, whoever chose that one.
    const ended_at = new Date(Math.max(Date.parse(created_at), Date.parse(began_at))).toISOString();
    return { kind: 'close', id, body: { ended_at, exit_license_plate } };
  };
  const end = async () => {
    if (stay !== undefined && (await calls.run([endOf(stay, plate)]))) passOver(reading);
  };
  return (
    <li class="card">
      <p>
        <Plate plate={plate} of={{ list: 'plate-readings', id: reading.id }} />{' '}
        <span class="facts">
          {say.stoodAt(cameraOf(lpr_camera_id)?.name ?? '–', timeOf(created_at, timezoneOf(zone_id)))}
        </span>
      </p>
      {stays.length > 0 && (
        <StayChoice
          label={say.itWas}
          stays={stays}
          alike={plate}
          value={chosen.value}
          onValue={(value) => (chosen.value = value)}
        />
      )}
      <div class="buttons">
        {stay !== undefined && <Button look="main" word={words.sessions.end} onClick={end} />}
        <Button word={words.queue.ignore} about={shownPlate(plate)} onClick={() => passOver(reading)} />
      </div>
      <Refused refusal={calls.refusal.value} />
      {stay !== undefined && <CallShown call={toMake(endOf(stay, shownPlate(plate))).call} />}
    </li>
  );
}
