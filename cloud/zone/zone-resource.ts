/** Zones of a lot. A zone cannot move to another lot. */
import { integerField, textField } from '../list/list-fields.js';
import { listTable } from '../list/list-table.js';
import { referencesTo, referenceTo, required, withDefault } from '../resource/field.js';
import { defineResource } from '../resource/resource.js';
import { nameValue, textValue, wholeValue } from '../resource/values.js';
import { zoneHeldBy } from '../store/in-use-queries.js';
import { occupiedCountsOfZones } from './occupancy-queries.js';
import { representZone, zoneSchema } from './zone-payload.js';
import { zonesByIds } from './zone-queries.js';

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

export const ZONE = defineResource({
  table: 'zones',
  one: 'zone',
  many: 'zones',
  fields: {
    name: required(nameValue),
    description: withDefault(textValue, ''),
    spot_count: withDefault(wholeValue(0, 1_000_000), 0),
    /** Older sessions are not counted as vehicles. */
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
  deletion: { heldBy: zoneHeldBy },
  rest: {
    path: '/v2/zones',
    tag: 'Zones',
    list: ZONE_LIST,
    item: zoneSchema,
    async items(rows, { db, now }) {
      const occupied = await occupiedCountsOfZones(db, rows, now);
      return rows.map((row) => representZone(row, occupied.get(row.id) ?? 0));
    },
    gatewaysOf: ({ lot_id }) => [lot_id],
  },
  file: { at: ['lots', 'zones'], isRemovedLast: true },
});
