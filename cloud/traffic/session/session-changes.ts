/** The changes that people and programs make to sessions over REST (REST contract, "Sessions"). */
import type { Clock } from '../../../shared/clock.js';
import { ApiError, NO_PERMISSION, VALIDATION } from '../../../shared/errors.js';
import { type Caller, mayGiveMoney, mayReportPayments, seesLot } from '../../kernel/auth/entry.js';
import { type Change, LOCKS, type Tx } from '../../kernel/store/entry.js';
import { noteAudit } from '../../kernel/audit/entry.js';
import { normalisePlate } from '../../../shared/plate/normalise-plate.js';
import { mailAlerts } from '../../guests/entry.js';
import type { ConfigChanged } from '../../rest/entry.js';
import { nameOfCaller } from '../../site/entry.js';
import { correctReadingPlate, insertPlateReading, saveReadingSession } from '../reading/reading-queries.js';
import { columnsOfPlate, samePlate } from './entry-plate.js';
import type { SessionDetails } from './session-detail-queries.js';
import {
  addSessionPayment,
  changeSession,
  endSession,
  findPricedBy,
  findZoneOwner,
  insertSession,
} from './session-change-queries.js';
import { lockOpenSessions, lockSessionsBeside } from './session-queries.js';
import { type AskedAmount, type AskedGrant, grantedColumns, paidMinorUnits } from './session-money.js';
import { BEGINNING_RULE, endRule } from './session-times.js';
import { settleRefusedExits } from '../reading/handled-queries.js';
import { detailsOf, journalChange } from './session-journal.js';
import { endByLetOuts } from './let-out-queries.js';
import { typedReading } from './typed-reading.js';

/**
 * Each method commits its change with the event and returns the changed session. It throws ApiError for a change that is refused.
 * @param change makes it: that of the request
 */
export interface SessionChanges {
  begin(change: Change, caller: Caller, asked: AskedSession): Promise<SessionDetails>;
  update(change: Change, caller: Caller, session_id: number, asked: AskedUpdate): Promise<SessionDetails>;
  /** Ends a session. One that has already ended does not change. */
  close(change: Change, caller: Caller, session_id: number, asked: AskedClose): Promise<SessionDetails>;
  pay(change: Change, caller: Caller, session_id: number, asked: AskedPayment): Promise<SessionDetails>;
}

export interface AskedSession extends AskedGrant {
  zone_id: number;
  entry_license_plate?: string | undefined;
  /** Wall milliseconds, as `BEGINNING_RULE` allows. */
  created_at?: number | undefined;
}

export interface AskedUpdate extends AskedGrant {
  entry_license_plate?: string | undefined;
}

export interface AskedClose {
  /** Wall milliseconds, from the session's beginning to now. */
  ended_at?: number | undefined;
  exit_license_plate?: string | undefined;
}

export interface AskedPayment extends AskedAmount {
  reference?: string | undefined;
  reason?: string | undefined;
}

export interface SessionChangesDeps {
  clock: Clock;
  /** 10 characters, A-Z and 0-9. */
  generatePublicId: () => string;
  generateUid: () => string;
  configChanged: ConfigChanged;
}

/** The parts that a change works with in its transaction. */
interface Scope {
  tx: Tx;
  caller: Caller;
  now: number;
  /** Marks what the lot's gateways know of sessions, and of refused exits, as stale. */
  markStale(lot: { lot_id: number }): void;
}

export function createSessionChanges(deps: SessionChangesDeps): SessionChanges {
  const changing = <T>(change: Change, caller: Caller, work: (scope: Scope) => Promise<T>): Promise<T> =>
    change((tx) => {
      const markStale = ({ lot_id }: { lot_id: number }) =>
        tx.onCommit(() => deps.configChanged({ lot_id }, ['sessions', 'handled']));
      return work({ tx, caller, now: deps.clock.now(), markStale });
    });

  return {
    begin: (change, caller, asked) => changing(change, caller, (scope) => beginSession(scope, asked, deps)),
    update: (change, caller, session_id, asked) =>
      changing(change, caller, (scope) => updateSession(scope, session_id, asked)),
    close: (change, caller, session_id, asked) =>
      changing(change, caller, (scope) => closeSession(scope, session_id, asked)),
    pay: (change, caller, session_id, asked) =>
      changing(change, caller, (scope) => paySession(scope, session_id, asked)),
  };
}

/** Looks for an open session in the transaction that inserts: of several requests at once for one plate only one begins a session. */
async function beginSession(
  scope: Scope,
  asked: AskedSession,
  ids: Pick<SessionChangesDeps, 'generatePublicId' | 'generateUid'>,
): Promise<SessionDetails> {
  const { tx, caller, now } = scope;
  const { zone_id, entry_license_plate: plate, created_at = now } = asked;
  const granted = await grantedColumns(scope, asked, null);
  const plate_normalised = normalisePlate(plate ?? '');
  const zone = await lockZone(tx, zone_id);
  const isVisible = zone?.account_id === caller.account_id && seesLot(caller, zone.lot_id);
  const problems: { field: string; message: string }[] = [];
  if (!isVisible) problems.push({ field: 'zone_id', message: 'There is no such zone' });
  if (!BEGINNING_RULE.allows(created_at, now)) {
    problems.push({ field: 'created_at', message: BEGINNING_RULE.message });
  }
  if (isVisible && plate !== undefined) {
    const open = await lockOpenSessions(tx, { lot_id: zone.lot_id, plates_normalised: [plate_normalised] });
    if (open.length > 0) problems.push(samePlate('entry_license_plate'));
  }
  if (problems.length > 0 || zone === undefined) throw ApiError.validation(problems);

  const { account_id, lot_id } = zone;
  const zoneColumns = { account_id, lot_id, zone_id };
  const pricedBy = await findPricedBy(tx, { account_id, zone_id, plate_normalised, created_at });
  const reading =
    plate === undefined
      ? null
      : await insertPlateReading(
          tx,
          typedReading({ session: zoneColumns, session_id: null, plate, direction: 'in', at: created_at, now }),
        );
  const source = sourceOf(caller);
  const { id } = await insertSession(tx, {
    ...zoneColumns,
    uid: ids.generateUid(),
    public_id: ids.generatePublicId(),
    ...pricedBy,
    price_minor: null,
    plate_normalised,
    entry_reading_id: reading?.id ?? null,
    exit_reading_id: null,
    entry_type: source.type,
    entry_source_id: source.id,
    exit_type: null,
    exit_source_id: null,
    ended_at: null,
    ended_by_look_alike: 0,
    discount_time: null,
    ...granted,
    amount_paid_minor: 0,
    possibly_exited: null,
    created_at,
    updated_at: now,
  });
  noteAudit(tx, { made: id, lot_id: zone.lot_id });
  if (reading !== null) {
    await saveReadingSession(tx, { id: reading.id, session_id: id });
    await mailAlerts(tx, [{ ...reading, image_uid: null }], now);
  }
  scope.markStale(zone);
  const begun = await journalChange(scope, 'session_create', id);
  return endIfLetOut(scope, begun);
}

/** Finds the zone. It is not deleted, nor does another session of its lot begin, until this transaction ends. */
async function lockZone(tx: Tx, zone_id: number): Promise<{ account_id: number; lot_id: number } | undefined> {
  const zone = await findZoneOwner(tx, zone_id);
  if (zone === undefined) return undefined;
  await tx.lock(LOCKS.openSessions(zone.lot_id));
  return findZoneOwner(tx, zone_id);
}

async function updateSession(scope: Scope, session_id: number, asked: AskedUpdate): Promise<SessionDetails> {
  const { tx, now } = scope;
  await lockSessionsBeside(tx, session_id);
  const before = await detailsOf(tx, session_id);
  if (before.session.ended_at !== null) {
    throw new ApiError(VALIDATION, { field: 'ended_at', message: 'The session has ended' });
  }
  const { entry_license_plate: plate } = asked;
  const granted = await grantedColumns(scope, asked, before.session);
  if (plate === undefined && granted === null) return before;
  const plateColumns = plate === undefined ? {} : await changePlate(scope, before, plate);
  const set = { ...plateColumns, ...granted };
  await changeSession(tx, { id: session_id, now, set });
  const shown = await journalChange(scope, 'session_update', session_id);
  if (plate === undefined) return shown;
  scope.markStale(before);
  return endIfLetOut(scope, shown);
}

/** Ends a session whose vehicle was let out before anybody told of it, or told its right plate. @returns the session as it is then */
async function endIfLetOut({ tx, now }: Scope, shown: SessionDetails): Promise<SessionDetails> {
  const ended = await endByLetOuts(tx, [shown.session], now);
  return ended.length === 0 ? shown : detailsOf(tx, shown.session.id);
}

/** Changes the plate in the reading of the entry, which holds a session's plate. @returns the session's columns that follow from it */
async function changePlate({ tx, caller, now }: Scope, { session, entry }: SessionDetails, plate: string) {
  const plate_normalised = normalisePlate(plate);
  const columns = await columnsOfPlate(tx, session, { plate_normalised, field: 'entry_license_plate' });
  if (entry === null) {
    const at = session.created_at;
    const reading = typedReading({ session, session_id: session.id, plate, direction: 'in', at, now });
    return { ...columns, entry_reading_id: (await insertPlateReading(tx, reading)).id };
  }
  if (entry.plate !== plate) {
    const corrected_by = caller.user_id;
    await correctReadingPlate(tx, { id: entry.reading_id, plate, plate_normalised, corrected_by, now });
  }
  return columns;
}

async function closeSession(scope: Scope, session_id: number, asked: AskedClose): Promise<SessionDetails> {
  const { tx, caller, now } = scope;
  await lockSessionsBeside(tx, session_id);
  const before = await detailsOf(tx, session_id);
  const { session } = before;
  if (session.ended_at !== null) return before;
  // A camera whose clock is ahead may have begun the session in the near future.
  const { ended_at = Math.max(now, session.created_at), exit_license_plate: plate } = asked;
  const rule = endRule(session);
  if (!rule.allows(ended_at, now)) throw new ApiError(VALIDATION, { field: 'ended_at', message: rule.message });
  const reading =
    plate === undefined
      ? null
      : await insertPlateReading(tx, typedReading({ session, session_id, plate, direction: 'out', at: ended_at, now }));
  const source = sourceOf(caller);
  await endSession(tx, {
    id: session_id,
    ended_at,
    exit_type: source.type,
    exit_source_id: source.id,
    exit_reading_id: reading?.id ?? null,
    ended_by_look_alike: false,
    possibly_exited: null,
    now,
  });
  const { lot_id, plate_normalised, created_at: began } = session;
  const exits = { lot_id, plate_normalised, began, exit_plate_normalised: normalisePlate(plate ?? '') };
  await settleRefusedExits(tx, exits, { by: await nameOfCaller(tx, caller), at: now });
  scope.markStale(session);
  return journalChange(scope, 'session_update', session_id);
}

async function paySession(scope: Scope, session_id: number, asked: AskedPayment): Promise<SessionDetails> {
  const { tx, caller, now } = scope;
  if (asked.amount < 0 ? !mayGiveMoney(caller) : !mayReportPayments(caller)) throw new ApiError(NO_PERMISSION);
  await lockSessionsBeside(tx, session_id);
  const details = await detailsOf(tx, session_id);
  const { session } = details;
  const amount_minor = paidMinorUnits(details, asked, now);
  const source = sourceOf(caller);
  await addSessionPayment(tx, {
    account_id: session.account_id,
    lot_id: session.lot_id,
    session_id,
    amount_minor,
    reference: asked.reference ?? null,
    reason: asked.reason ?? null,
    source_type: source.type,
    source_id: source.id,
    created_by_name: await nameOfCaller(tx, caller),
    created_at: now,
  });
  return journalChange(scope, 'session_update', session_id);
}

/** `account` for a change by an API token, `attendant` for one by a user (specification, "session_create"). */
export function sourceOf(caller: Caller): { type: 'account' | 'attendant'; id: number } {
  return caller.kind === 'api' ? { type: 'account', id: caller.account_id } : { type: 'attendant', id: caller.user_id };
}
