import { z } from '@hono/zod-openapi';
import type { TokenRevocations } from '../../auth/token-revocations.js';
import { LOT_LIST } from '../../store/lists/lot-lists.js';
import { assignLot, insertRow, updateRow } from '../../store/queries/rows.js';
import type { Endpoint } from '../endpoint.js';
import { latitudeField, longitudeField, nameField, textField, timezoneField, wholeField } from '../fields.js';
import { type ResourceDeps, resourceEndpoints } from '../resource-endpoints.js';
import { lotRecord } from '../site-records.js';
import { lotSchema } from '../site-resources.js';

const fields = {
  name: nameField,
  address: textField,
  timezone: timezoneField,
  latitude: latitudeField,
  longitude: longitudeField,
  offline_exit: z.enum(['open', 'deny']),
  autonomy_days: wholeField(7, 366),
};

/** /v2/lots. A lot is assigned to whoever makes it; what stands in it is deleted with it, its gateways and products stay in none. */
export function lotEndpoints(deps: ResourceDeps & { revocations: TokenRevocations }): Endpoint[] {
  return resourceEndpoints(deps, {
    path: '/v2/lots',
    one: 'a lot',
    many: 'lots',
    tag: 'Lots',
    table: LOT_LIST,
    item: lotSchema,
    items: (rows) => rows.map(lotRecord),
    newBody: z.strictObject({
      ...fields,
      address: fields.address.default(''),
      timezone: fields.timezone.default('UTC'),
      latitude: fields.latitude.default(null),
      longitude: fields.longitude.default(null),
      offline_exit: fields.offline_exit.default('open'),
      autonomy_days: fields.autonomy_days.default(31),
    }),
    changeBody: z.strictObject(fields).partial(),
    async insert(tx, { caller, body, now }) {
      const { account_id, user_id } = caller;
      const lot_id = await insertRow(tx, 'lots', { ...body, account_id, created_at: now, updated_at: now });
      await assignLot(tx, { account_user_id: user_id, lot_id });
      return lot_id;
    },
    update: (tx, { row, body, now }) => updateRow(tx, 'lots', { id: row.id, set: { ...body, updated_at: now } }),
    managed: 'lots',
    created: () => deps.revocations.lotsChanged(),
    // A lot's gateways stay, in no lot, when it is deleted.
    lots: ({ id }) => [id, null],
  });
}
