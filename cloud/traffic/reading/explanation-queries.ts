/** Reads what was kept of decisions. */
import { decodeJson } from '../../../shared/json-text-codec.js';
import type { Db } from '../../kernel/entry.js';
import type { ExplainedReading } from './explanation-payload.js';

/** Finds a reading with what its decision saw. */
export async function findExplainedReading(db: Db, id: number): Promise<ExplainedReading | null> {
  const row = await db
    .selectFrom('plate_readings')
    .leftJoin('gateways', 'gateways.id', 'plate_readings.gateway_id')
    .leftJoin('deleted_gateways', 'deleted_gateways.id', 'plate_readings.gateway_id')
    .select([
      'plate_readings.id',
      'plate_readings.access_decision',
      'plate_readings.access_decision_reason',
      'plate_readings.created_at',
      'plate_readings.decided_at',
      'plate_readings.decision_trace',
    ])
    .select(({ fn }) => fn.coalesce('gateways.uuid', 'deleted_gateways.uuid').as('gateway_uuid'))
    .where('plate_readings.id', '=', id)
    .executeTakeFirst();
  if (row === undefined) return null;
  const { decision_trace, ...reading } = row;
  return { ...reading, trace: decision_trace === null ? null : decodeJson(decision_trace) };
}
