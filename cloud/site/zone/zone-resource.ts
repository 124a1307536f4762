/** Zones of a lot. A zone cannot move to another lot. */
import { type AnswerOf, defineResource, isoOrNull, listTable, representationOf } from '../../rest/entry.js';
import type { Db } from '../../kernel/store/entry.js';
import { zoneHeldBy } from '../lot/in-use-queries.js';
import { DRIFT_AFTER_MS, occupiedCountOf } from './decide-drift.js';
import { driftsOfZones } from './drift-queries.js';
import { countsOfZones } from './occupancy-queries.js';
import { ZONE_FIELDS } from './zone-fields.js';
import { keepZones, type ZoneRow, zonesByIds } from './zone-queries.js';

export const ZONE_LIST = listTable({
  from: 'zones',
  id: 'zones.id',
  scope: { account_id: 'zones.account_id', lot_id: 'zones.lot_id' },
  fields: ZONE_FIELDS,
  rows: zonesByIds,
  scopeOf: (row) => row,
});

export const ZONE_ANSWER = representationOf('Zone', ZONE_FIELDS);

/** @param shown.now wall milliseconds */
export async function itemsOfZones(
  rows: readonly ZoneRow[],
  { db, now }: { db: Db; now: number },
): Promise<AnswerOf<typeof ZONE_FIELDS>[]> {
  const counts = await countsOfZones(db, rows, now);
  const drifts = await driftsOfZones(db, rows, now - DRIFT_AFTER_MS);
  return rows.map((row) => {
    const counted = counts.get(row.id) ?? { sensors: null, sessions: 0 };
    return ZONE_ANSWER.of(row, {
      occupied_count: occupiedCountOf(counted),
      counts: { ...counted, drift_since: isoOrNull(drifts.get(row.id) ?? null) },
    });
  });
}

export const ZONE = defineResource({
  table: 'zones',
  one: 'zone',
  many: 'zones',
  fields: ZONE_FIELDS,
  unique: [{ field: 'name', within: 'lot', isRefusedOverRest: true }],
  lot: { from: ['lot'], isColumn: true, mayMove: false },
  deletion: { heldBy: zoneHeldBy, kept: { with: 'lot', keep: keepZones } },
  rest: {
    path: '/v2/zones',
    tag: 'Zones',
    list: ZONE_LIST,
    item: ZONE_ANSWER.schema,
    items: itemsOfZones,
    gatewaysOf: ({ lot_id }) => [lot_id],
  },
  file: { at: ['lots', 'zones'], isRemovedLast: true },
});
