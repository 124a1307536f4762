import { z } from '@hono/zod-openapi';
import { LOT_LIST, ZONE_LIST } from '../../store/lists/lot-lists.js';
import { TARIFF_LIST } from '../../store/lists/member-lists.js';
import { occupiedCountsOfZones } from '../../store/queries/parking-places.js';
import { insertRow, replacePairs, updateRow } from '../../store/queries/rows.js';
import type { Endpoint } from '../endpoint.js';
import { idField, idsField, nameField, textField, wholeField } from '../fields.js';
import { type ResourceDeps, resourceEndpoints } from '../resource-endpoints.js';
import { sameLot } from '../same-lot.js';
import { zoneRecord } from '../site-records.js';
import { zoneSchema } from '../site-resources.js';

const fields = {
  lot_id: idField,
  name: nameField,
  description: textField,
  spot_count: wholeField(0, 1_000_000),
  occupancy_max_hours: wholeField(1, 87_600),
  tariff_ids: idsField,
};

/** /v2/zones. A zone stays in its lot. */
export function zoneEndpoints(deps: ResourceDeps): Endpoint[] {
  return resourceEndpoints(deps, {
    path: '/v2/zones',
    one: 'a zone',
    many: 'zones',
    tag: 'Zones',
    table: ZONE_LIST,
    item: zoneSchema,
    async items(rows, { now }) {
      const occupied = await occupiedCountsOfZones(deps.store.reader, rows, now);
      return rows.map((row) => zoneRecord(row, occupied.get(row.id) ?? 0));
    },
    newBody: z.strictObject({
      ...fields,
      description: fields.description.default(''),
      spot_count: fields.spot_count.default(0),
      occupancy_max_hours: fields.occupancy_max_hours.default(72),
      tariff_ids: fields.tariff_ids.default([]),
    }),
    changeBody: z.strictObject(fields).partial(),
    references: { lot_id: LOT_LIST, tariff_ids: TARIFF_LIST },
    async insert(tx, { caller: { account_id }, body: { tariff_ids, ...columns }, now }) {
      const id = await insertRow(tx, 'zones', { ...columns, account_id, created_at: now, updated_at: now });
      await replacePairs(tx, 'zone_tariffs', { of: id, to: tariff_ids });
      return id;
    },
    async update(tx, { row: { id, lot_id }, body: { tariff_ids, ...columns }, now }) {
      sameLot(lot_id, { lot_id: columns.lot_id });
      await updateRow(tx, 'zones', { id, set: { ...columns, updated_at: now } });
      if (tariff_ids !== undefined) await replacePairs(tx, 'zone_tariffs', { of: id, to: tariff_ids });
    },
    managed: 'zones',
    lots: ({ lot_id }) => [lot_id],
  });
}
