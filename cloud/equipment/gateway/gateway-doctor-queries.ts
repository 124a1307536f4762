/** Reads and writes what gateways find when they look at themselves. */
import type { DoctorReport } from '../../../shared/doctor/report.js';
import { decodeJson, encodeJson } from '../../../shared/json-text-codec.js';
import type { Db } from '../../kernel/store/entry.js';

/** Keeps the latest report of a gateway. */
export async function saveDoctorReport(
  db: Db,
  { gateway_id, report, now }: { gateway_id: number; report: DoctorReport; now: number },
): Promise<void> {
  const columns = { reported_at: now, report: encodeJson(report) };
  await db
    .insertInto('gateway_doctors')
    .values({ gateway_id, asked_at: null, ...columns })
    .onConflict((conflict) => conflict.column('gateway_id').doUpdateSet(columns))
    .execute();
}

export interface KeptDoctorReport {
  /** When it came, wall milliseconds. */
  reported_at: number;
  report: DoctorReport;
}

/** @returns null when there is no report of the gateway */
export async function findDoctorReport(db: Db, gateway_id: number): Promise<KeptDoctorReport | null> {
  const row = await db
    .selectFrom('gateway_doctors')
    .select(['reported_at', 'report'])
    .where('gateway_id', '=', gateway_id)
    .executeTakeFirst();
  if (row === undefined || row.reported_at === null || row.report === null) return null;
  return { reported_at: Number(row.reported_at), report: decodeJson(row.report) };
}

/**
 * Notes that the gateway is asked, unless it was a short while ago.
 * @returns how long it has still to be left alone, in milliseconds; null: it may be asked
 */
export async function noteDoctorAsked(
  db: Db,
  { gateway_id, now, everyMs }: { gateway_id: number; now: number; everyMs: number },
): Promise<number | null> {
  const { numInsertedOrUpdatedRows: written = 0n } = await db
    .insertInto('gateway_doctors')
    .values({ gateway_id, asked_at: now, reported_at: null, report: null })
    .onConflict((conflict) =>
      conflict
        .column('gateway_id')
        .doUpdateSet({ asked_at: now })
        .where(({ eb, or, ref }) =>
          or([
            eb(ref('gateway_doctors.asked_at'), 'is', null),
            eb(ref('gateway_doctors.asked_at'), '<=', now - everyMs),
            // The clock of the server was set back.
            eb(ref('gateway_doctors.asked_at'), '>', now),
          ]),
        ),
    )
    .executeTakeFirstOrThrow();
  if (written > 0n) return null;
  const row = await db
    .selectFrom('gateway_doctors')
    .select('asked_at')
    .where('gateway_id', '=', gateway_id)
    .executeTakeFirst();
  return Math.max(1, Number(row?.asked_at ?? now) + everyMs - now);
}
