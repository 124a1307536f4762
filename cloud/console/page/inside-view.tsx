/** Who is inside, the longest stay first: what is wrong with it, and a list on paper to go through in an emergency. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { DAY_MS } from '../../../shared/durations.js';
import { normalisePlate } from '../../../shared/plate/normalise-plate.js';
import { whyApart } from '../wording/counts-apart.js';
import { lostExitsOf, type StayCall } from '../wording/stay-changes.js';
import { paperTimeOf, timeOf, words } from './browser.js';
import { named, QueryChoice, QueryField } from './fields.js';
import { insideTotal } from './inside-store.js';
import { KeysOfList } from './list-keys.js';
import { LoadingSign } from './loading-sign.js';
import { readNames } from './muster-names.js';
import { Muster } from './muster-part.js';
import { Button, CallShown, Empty, joined, Refused } from './parts.js';
import { queryOf, setQuery } from './place.js';
import { type AskedPlates, shownPlate } from './plate-mask.js';
import { Plate, RevealButton } from './plate-part.js';
import { PrintedOnly } from './printed-only.js';
import { passOver, passRefusal } from './queue-part.js';
import { serverNow } from './server-clock.js';
import { client, signedIn } from './session.js';
import { inOrderAsked, RowTable } from './row-table.js';
import { askedOf, plateOf } from './session-plates.js';
import { isOverstay } from './session-rows.js';
import { sessionTable } from './session-table.js';
import { othersOf, StayChanges, toMake, useStayCalls } from './stay-changes-part.js';
import { StayChoice } from './stay-choice.js';
import {
  cameraOf,
  inside,
  isLoaded,
  lostSince,
  lots,
  minute,
  serverMinute,
  type Reading,
  readings,
  type Session,
  timezoneOf,
  zoneOf,
  zones,
} from './store.js';
import { type Read, useRead } from './use-read.js';

/** What is wrong with a stay, as the address names it. */
const KINDS: Readonly<Record<'overstay' | 'due' | 'maybeGone', (session: Session) => boolean>> = {
  overstay: isOverstay,
  due: ({ amount_due }) => amount_due > 0,
  maybeGone: ({ possibly_exited }) => possibly_exited === true,
};
type Kind = keyof typeof KINDS;
const KIND_NAMES = Object.keys(KINDS) as Kind[];

const TABLE = sessionTable(true, (session) => <StayChanges session={session} />);

/** Those whose plate has in it what the address asks for. */
function searched(stays: readonly Session[]): readonly Session[] {
  const plate = normalisePlate(queryOf('plate'));
  return plate === '' ? stays : stays.filter((stay) => normalisePlate(plateOf(stay)).includes(plate));
}

export function InsideView() {
  const total = insideTotal.value;
  if (!isLoaded.value || total === null) return <LoadingSign />;
  const lot = queryOf('lot');
  const kind = KIND_NAMES.find((each) => each === queryOf('show'));
  const all = inside.value.filter(({ zone_id }) => lot === '' || String(zoneOf(zone_id)?.lot_id) === lot);
  const shown = inOrderAsked(searched(kind === undefined ? all : all.filter(KINDS[kind])), TABLE);
  const now = timeOf(new Date(minute.value).toISOString(), commonTimezone(lot));
  const isCut = total > inside.value.length;
  return (
    <>
      <div class="head slim no-print">
        <div>
          <h1 tabIndex={-1}>{words.views.inside}</h1>
          <p class="facts">
            {words.sessions.inside(lot === '' ? total : all.length)} {words.sessions.printed(now)}.{' '}
            <Occupied lot={lot} inside={lot === '' ? total : all.length} />
          </p>
        </div>
        <Kinds chosen={kind} stays={all} />
        <search class="slim">
          {lots.value.length > 1 && (
            <QueryChoice name="lot" label={words.forms.lot} options={named(lots.value, words.forms.allLots)} />
          )}
          <QueryField name="plate" label={words.forms.plate} type="search" />
        </search>
        <div class="buttons">
          <RevealButton asked={askedByLot(all)} word={words.mask.showAll} />
          <Button look="small" word={words.sessions.print} onClick={() => void readNames().then(() => print())} />
          <KeysOfList name="session" />
        </div>
      </div>
      {isCut && (
        <p class="notice bad no-print" role="alert">
          {words.sessions.insideCut(inside.value.length, total)}
        </p>
      )}
      <div class="no-print">
        {shown.length === 0 ? <Empty>{words.sessions.none}</Empty> : <RowTable of={TABLE} items={shown} />}
      </div>
      <LostExits lot={lot} />
      <PrintedOnly class="muster">
        {() => (
          <Muster
            stays={all}
            now={paperTimeOf(new Date(minute.value).toISOString(), commonTimezone(lot))}
            missing={isCut ? words.stays.musterCut(inside.value.length, total) : null}
            printed={printedBy(lot)}
            lot={lots.value
              .filter(({ id }) => lot === '' || String(id) === lot)
              .map(({ name }) => name)
              .join(', ')}
          />
        )}
      </PrintedOnly>
    </>
  );
}

/** When the list is printed, by the clocks of the lot, and by whom. */
function printedBy(lot: string): string {
  const at = paperTimeOf(new Date(serverNow()).toISOString(), commonTimezone(lot));
  return joined([words.payments.receipt.printed(at), signedIn.value?.name]);
}

/** How many places are taken, where that is another number, and why. */
function Occupied({ lot, inside: count }: { lot: string; inside: number }) {
  const own = zones.value.filter(({ lot_id }) => lot === '' || String(lot_id) === lot);
  const why = whyApart(own, count, words);
  if (why === null) return null;
  const occupied = own.reduce((sum, { occupied_count }) => sum + occupied_count, 0);
  return (
    <span title={why}>
      {words.overview.occupied(occupied, 0)}. <span class="hidden">{why}</span>
    </span>
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
/** No event tells who dealt with an exit. */
const AGAIN_MS = 10_000;

/** Of several records of one reading the newest. */
function newestById(all: readonly Reading[]): Map<number, Reading> {
  const newest = new Map<number, Reading>();
  for (const each of all) if (!((newest.get(each.id)?.updated_at ?? '') > each.updated_at)) newest.set(each.id, each);
  return newest;
}

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
  useEffect(() => {
    const timer = setInterval(read.again, AGAIN_MS);
    return () => clearInterval(timer);
  }, []);
  const known = newestById([...(read.found ?? []), ...readings.value]);
  const exits = lostExitsOf([...known.values()], serverMinute() - DAY_MS).filter(
    ({ zone_id }) => lot === '' || String(zoneOf(zone_id)?.lot_id) === lot,
  );
  return (
    <section class="exits no-print" aria-labelledby="lost-exits">
      <h2 id="lost-exits">{words.stays.lostExits}</h2>
      <p class="hint">{exits.length === 0 ? words.stays.noLostExits : words.stays.lostExitsWhat}</p>
      <Refused refusal={read.refusal ?? passRefusal.value} />
      <ul class="exits">
        {exits.map((reading) => (
          <LostExit key={reading.id} reading={reading} onHandled={read.again} />
        ))}
      </ul>
    </section>
  );
}

function LostExit({ reading, onHandled }: { reading: Reading; onHandled: () => void }) {
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
    // Who ends the stay has settled the exit, too.
    if (stay !== undefined && (await calls.run([endOf(stay, plate)]))) onHandled();
  };
  const pass = async () => {
    if (await passOver(reading)) onHandled();
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
        <Button word={words.queue.ignore} about={shownPlate(plate)} onClick={pass} />
      </div>
      <Refused refusal={calls.refusal.value} />
      {stay !== undefined && <CallShown call={toMake(endOf(stay, shownPlate(plate))).call} />}
    </li>
  );
}
