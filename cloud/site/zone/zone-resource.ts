/** Zones of a lot. A zone cannot move to another lot. */
import {
  defineResource,
  integerField,
  listTable,
  nameValue,
  referencesTo,
  referenceTo,
  required,
  textField,
  textValue,
  wholeValue,
  withDefault,
} from '../../rest/entry.js';
import type { Db } from '../../kernel/store/entry.js';
import { zoneHeldBy } from '../lot/in-use-queries.js';
import { DRIFT_AFTER_MS } from './decide-drift.js';
import { driftsOfZones } from './drift-queries.js';
import { countsOfZones } from './occupancy-queries.js';
import { representZone, type Zone, zoneSchema } from './zone-payload.js';
import { keepZones, type ZoneRow, zonesByIds } from './zone-queries.js';

export const ZONE_LIST = listTable({
  from: 'zones',
  id: 'zones.id',
  scope: { account_id: 'zones.account_id', lot_id: 'zones.lot_id' },
  filters: {
    name: textField('zones.name'),
    lot_id: integerField('zones.lot_id'),
    account_id: integerField('zones.account_id'),
  },
  sorts: { name: 'zones.name' },
  rows: zonesByIds,
  scopeOf: (row) => row,
});

/** @param shown.now wall milliseconds */
export async function itemsOfZones(rows: readonly ZoneRow[], { db, now }: { db: Db; now: number }): Promise<Zone[]> {
  const counts = await countsOfZones(db, rows, now);
  const drifts = await driftsOfZones(db, rows, now - DRIFT_AFTER_MS);
  return rows.map((row) =>
    representZone(row, counts.get(row.id) ?? { sensors: null, sessions: 0 }, drifts.get(row.id) ?? null),
  );
}

export const ZONE = defineResource({
  table: 'zones',
  one: 'zone',
  many: 'zones',
  fields: {
    name: required(nameValue),
    description: withDefault(textValue, ''),
    spot_count: withDefault(wholeValue(0, 1_000_000), 0),
    /** Hours. Older sessions are not counted as vehicles. */
    occupancy_max_hours: withDefault(wholeValue(1, 87_600), 72),
    /** The first one sets the prices. */
    tariffs: referencesTo('tariffs', {
      id: 'tariff_ids',
      pairs: { table: 'zone_tariffs', from: 'zone_id', to: 'tariff_id', isOrdered: true },
    }),
  },
  restFields: { lot: referenceTo('lots', { id: 'lot_id' }) },
  unique: [{ field: 'name', within: 'lot', isRefusedOverRest: true }],
  lot: { from: ['lot'], isColumn: true, mayMove: false },
  deletion: { heldBy: zoneHeldBy, kept: { with: 'lot', keep: keepZones } },
  rest: {
    path: '/v2/zones',
    tag: 'Zones',
    list: ZONE_LIST,
    item: zoneSchema,
    items: itemsOfZones,
    gatewaysOf: ({ lot_id }) => [lot_id],
  },
  file: { at: ['lots', 'zones'], isRemovedLast: true },
});
