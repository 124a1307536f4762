/**
 * Gives a new database of the demo a past: the site file applied weeks ago, and since then the records that its
 * gateways would have sent, through the cloud's own ingest and reports, by a clock that stands in the past. Records
 * written by an earlier run that was ended are not written twice: the ingest knows its cursors.
 */
import { createHash } from 'node:crypto';
import type { Caller } from '../../../cloud/kernel/auth/caller.js';
import { createBootClocks } from '../../../cloud/equipment/gateway/boot-clocks.js';
import { createFileImageStore } from '../../../cloud/traffic/image/file-image-store.js';
import { ownChange } from '../../../cloud/kernel/audit/audit-note.js';
import { createIngest } from '../../../cloud/traffic/ingest/ingest.js';
import { createProductReceptions } from '../../../cloud/equipment/product/product-receptions.js';
import { createProductReports } from '../../../cloud/equipment/product/product-reports.js';
import { generatePublicId } from '../../../cloud/traffic/session/public-id.js';
import { createSessionChanges } from '../../../cloud/traffic/session/session-changes.js';
import type { CloudStore } from '../../../cloud/kernel/store/cloud-store.js';
import type { Clock } from '../../../shared/clock.js';
import { inPieces } from '../../../shared/grouping.js';
import type { GatewayUuid } from '../../../shared/ids.js';
import type { Logger } from '../../../shared/logger.js';
import { systemClock } from '../../../shared/system-clock.js';
import { LANES, type OutboxEpoch } from '../../../shared/uplink.js';
import { BATCH_RECORDS_MAX } from '../../../shared/uplink-bounds.js';
import type { TrafficLot } from '../../sim/traffic/traffic-lots.js';
import { localDay, visitsOfDay } from '../../sim/traffic/traffic-schedule.js';
import { createChance } from '../../sim/traffic/chance.js';
import { type HistoryRecord, recordsOfVisits, uidOf } from './history-reads.js';
import { type HistoryReport, reportsOfHours } from './history-reports.js';
import { type HistorySite, readHistorySite } from './history-site.js';
import { DAY_MS, HOUR_MS } from '../../../shared/durations.js';
import { Registry } from 'prom-client';
import { createIngestMeasurement } from '../../../cloud/traffic/ingest/ingest-metrics.js';

/** The records that are written together: longer ago in larger pieces. */
const PIECE_MS = 12 * HOUR_MS;
const LAST_PIECE_MS = 2 * HOUR_MS;
const LAST_MS = DAY_MS;
/** Signals are reported for every hour of these days, and before them for some hours of the day. */
const SIGNALS_HOURLY_MS = 3 * DAY_MS;
const SIGNAL_HOURS = 6;
const PAID_SHARE = 0.94;
const SEEN_WITHIN_MS = 120_000;

/** A clock that shows what it was set to. */
export interface PastClock extends Clock {
  set(ms: number): void;
}

export function createPastClock(): PastClock {
  let shown = 0;
  return {
    now: () => shown,
    monotonic: systemClock.monotonic,
    setTimer: systemClock.setTimer,
    set: (ms) => void (shown = ms),
  };
}

export interface HistoryOptions {
  lot: TrafficLot;
  seed: number;
  /** Wall milliseconds. */
  from_ms: number;
  until_ms: number;
}

export interface HistoryDeps {
  store: CloudStore;
  /** Where pictures would be kept. */
  imagesDirectory: string;
  clock: PastClock;
  logger: Logger;
}

export interface WrittenHistory {
  records: number;
  reports: number;
  payments: number;
}

/** @throws Error when a batch is not taken as a whole */
export async function writeHistory(deps: HistoryDeps, options: HistoryOptions): Promise<WrittenHistory> {
  const { store, clock, logger } = deps;
  const { lot, seed, from_ms, until_ms } = options;
  const site = await readHistorySite(store, lot);
  const first = localDay(lot.timezone, from_ms);
  const last = localDay(lot.timezone, until_ms);
  const visits = Array.from({ length: last - first + 1 }, (_, day) => visitsOfDay(lot, { seed, day: first + day }));
  const records = recordsOfVisits(site, {
    visits: visits.flat().filter(({ passes }) => (passes[0]?.at_ms ?? 0) >= from_ms),
    seed,
    until_ms,
  });
  const reports = reportsOfHours(site, { hours: hoursOf(options), seed });
  const configChanged = () => {};
  const reportWriter = createProductReports({
    store,
    clock,
    logger,
    receptions: createProductReceptions({ clock, seenWithinMs: SEEN_WITHIN_MS }),
    seenWithinMs: SEEN_WITHIN_MS,
    adoptSeen: async () => false,
    corrections: { answer: async () => false },
    adminDispatcher: { answer: async () => {} },
  });
  const ingest = createIngest({
    store,
    images: createFileImageStore({ directory: deps.imagesDirectory }),
    clock,
    logger,
    bootClocks: createBootClocks({ store }),
    generatePublicId,
    // No command of the past is recorded.
    commands: { applyResult: async () => false, applyOffer: async () => false },
    configChanged,
    measurement: createIngestMeasurement(new Registry()),
    tracer: null,
    countRecords() {},
    disconnectGateway() {},
    pace: { clock, everyMs: 0 },
  });
  const send = createSender(seed, from_ms, (uuid, batch) => ingest.apply(uuid, batch));
  const pay = createPayments(deps, { site, seed });
  try {
    let payments = 0;
    for (const { begin_ms, end_ms } of piecesOf(options)) {
      const isWithin = ({ at_ms }: { at_ms: number }) => at_ms >= begin_ms && at_ms < end_ms;
      await report(reportWriter, reports.filter(isWithin), clock);
      clock.set(end_ms);
      await send(records.filter(isWithin));
      payments += await pay({ begin_ms, end_ms });
    }
    return { records: records.length, reports: reports.length, payments };
  } finally {
    await reportWriter.close();
  }
}

async function report(
  writer: Pick<ReturnType<typeof createProductReports>, 'handleReport'>,
  reports: readonly HistoryReport[],
  clock: PastClock,
): Promise<void> {
  for (const { gateway, at_ms, report: reportAt } of reports) {
    clock.set(at_ms);
    await writer.handleReport(gateway, reportAt);
  }
}

function* piecesOf({ from_ms, until_ms }: HistoryOptions): Generator<{ begin_ms: number; end_ms: number }> {
  for (let begin_ms = from_ms; begin_ms < until_ms; ) {
    const length = begin_ms < until_ms - LAST_MS ? PIECE_MS : LAST_PIECE_MS;
    const end_ms = Math.min(begin_ms + length, until_ms);
    yield { begin_ms, end_ms };
    begin_ms = end_ms;
  }
}

function hoursOf({ from_ms, until_ms }: HistoryOptions): number[] {
  const count = Math.floor((until_ms - from_ms) / HOUR_MS);
  const begin = Math.ceil(from_ms / HOUR_MS) * HOUR_MS;
  return Array.from({ length: count }, (_, hour) => begin + hour * HOUR_MS).filter(
    // At three o'clock a camera may be away.
    (hour) => hour >= until_ms - SIGNALS_HOURLY_MS || (hour / HOUR_MS) % SIGNAL_HOURS === 3,
  );
}

/** Sends records as a gateway does: each lane by itself, numbered without a gap, in batches. */
export function createSender(
  seed: number,
  boot_ms: number,
  apply: (uuid: GatewayUuid, batch: Uint8Array) => Promise<{ seq: number } | null>,
) {
  const seqs = new Map<string, number>();
  return async (records: readonly HistoryRecord[]): Promise<void> => {
    for (const gateway of new Set(records.map((record) => record.gateway))) {
      const epoch = createHash('sha256')
        .update(`${seed} ${boot_ms} ${gateway}`)
        .digest('hex')
        .slice(0, 32) as OutboxEpoch;
      const boot_id = uidOf(seed, `boot ${gateway}`);
      for (const lane of LANES) {
        const key = `${gateway} ${lane}`;
        const own = records.filter((record) => record.gateway === gateway && record.lane === lane);
        for (const piece of inPieces(own, BATCH_RECORDS_MAX)) {
          const before = seqs.get(key) ?? 0;
          const numbered = piece.map(({ uid, at_ms, payload }, index) => {
            const wall_ms = at_ms;
            return {
              seq: before + index + 1,
              uid,
              boot_id,
              mono_ms: at_ms - boot_ms,
              wall_ms,
              clock_ok: true,
              payload,
            };
          });
          const seq = before + piece.length;
          const ack = await apply(gateway, Buffer.from(JSON.stringify({ epoch, lane, records: numbered })));
          if (ack === null || ack.seq < seq)
            throw new Error(`the cloud took records of ${gateway} up to ${ack?.seq} of ${seq}`);
          seqs.set(key, seq);
        }
      }
    }
  };
}

/** Most of those who owe something have paid when they leave, at a machine that uses the account's API token. */
function createPayments(
  { store, clock }: Pick<HistoryDeps, 'store' | 'clock'>,
  { site, seed }: { site: HistorySite; seed: number },
) {
  const changes = createSessionChanges({
    clock,
    generatePublicId,
    generateUid: () => {
      throw new Error('no session begins by a payment');
    },
    configChanged: () => {},
  });
  const caller: Caller = {
    kind: 'api',
    token_id: 0,
    token_hash: '',
    account_id: site.account_id,
    user_id: 0,
    role: 'Admin',
    money: 'all',
    lot_ids: new Set([site.lot_id]),
    has_own_lots: false,
    expires_at: null,
  };
  return async ({ begin_ms, end_ms }: { begin_ms: number; end_ms: number }): Promise<number> => {
    const owing = await store.reader
      .selectFrom('sessions')
      .select(['id', 'price_minor', 'plate_normalised', 'ended_at'])
      .where('lot_id', '=', site.lot_id)
      .where('ended_at', '>=', begin_ms)
      .where('ended_at', '<', end_ms)
      .where('price_minor', '>', 0)
      .where('amount_paid_minor', '=', 0)
      .orderBy('ended_at')
      .execute();
    const paying = owing.filter(
      ({ id, plate_normalised: plate }) =>
        !site.members.has(plate) && createChance(seed, `payment ${id}`).happens(PAID_SHARE),
    );
    await Promise.all(
      paying.map(({ id, price_minor }) =>
        changes.pay(ownChange(store), caller, id, {
          amount: Number(price_minor) / 100,
          reference: `Machine ${1 + (id % 2)}`,
        }),
      ),
    );
    return paying.length;
  };
}
