/** Lots. Deleting a lot deletes everything in it except its products, which then belong to no lot. */
import { z } from 'zod';
import { OPERATION_UNFINISHED } from '../../../shared/errors.js';
import { parseUpdateHours } from '../../../shared/update-hours.js';
import { addLotOfApiToken } from '../api-token/api-token-queries.js';
import {
  defineResource,
  type Deletion,
  integerField,
  latitudeValue,
  listTable,
  longitudeValue,
  nameValue,
  required,
  textField,
  textValue,
  timezoneValue,
  wholeValue,
  withDefault,
} from '../../rest/entry.js';
import { representLot, lotSchema } from './lot-payload.js';
import { lotHeldBy } from './in-use-queries.js';
import { assignLot, hasEquipment, keepLots, lotsByIds } from './lot-queries.js';

const updateHoursValue = z
  .string()
  .refine((text) => parseUpdateHours(text) !== null, 'must be two times of the day such as 02:00-05:00')
  .nullable();

const list = listTable({
  from: 'lots',
  id: 'lots.id',
  scope: { account_id: 'lots.account_id', lot_id: 'lots.id' },
  filters: { name: textField('lots.name'), account_id: integerField('lots.account_id') },
  sorts: { name: 'lots.name' },
  rows: lotsByIds,
});

/**
 * @param deleteGateways deletes the gateways of a lot before the lot is deleted. Gateways belong to the wing `equipment`, which this wing
 * does not import
 */
export const lotResource = (deleteGateways: NonNullable<Deletion['before']>) =>
  defineResource({
    table: 'lots',
    one: 'lot',
    many: 'lots',
    fields: {
      name: required(nameValue),
      address: withDefault(textValue, ''),
      timezone: withDefault(timezoneValue, 'UTC'),
      /** What the lot's gateways do at exits while they are offline: open for everybody, or deny unknown plates. */
      offline_exit: withDefault(z.enum(['open', 'deny']), 'open'),
      /** How many days the lot's gateways work without the cloud. */
      autonomy_days: withDefault(wholeValue(7, 366), 31),
      /** When the lot's gateways may exchange their software. */
      update_hours: withDefault(updateHoursValue, null),
      latitude: withDefault(latitudeValue, null),
      longitude: withDefault(longitudeValue, null),
    },
    unique: [{ field: 'name', within: 'account' }],
    deletion: { heldBy: lotHeldBy, before: deleteGateways, kept: { keep: keepLots } },
    rest: {
      path: '/v2/lots',
      tag: 'Lots',
      list,
      item: lotSchema,
      items: (rows) => rows.map(representLot),
      gatewaysOf: ({ id }) => [id],
      deleteErrors: [OPERATION_UNFINISHED],
      isDeletedByName: hasEquipment,
      /** Assigns the lot to its creator: to the user, and to the API token if that is limited to lots. */
      async afterInsert(tx, { id, caller, services }) {
        await assignLot(tx, { account_user_id: caller.user_id, lot_id: id });
        if (caller.has_own_lots) await addLotOfApiToken(tx, { api_token_id: caller.token_id, lot_id: id });
        tx.onCommit(() => services.lotsChanged());
      },
    },
    file: { at: ['lots'], isRemovedLast: true },
  });
