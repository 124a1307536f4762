/** Lots. Deleting a lot deletes everything in it except its products, which then belong to no lot. */
import { OPERATION_UNFINISHED } from '../../../shared/errors.js';
import { addLotOfApiToken } from '../api-token/api-token-queries.js';
import { defineResource, type Deletion, listTable, representationOf } from '../../rest/entry.js';
import { lotHeldBy } from './in-use-queries.js';
import { LOT_FIELDS } from './lot-fields.js';
import { assignLot, hasEquipment, keepLots, lotsByIds } from './lot-queries.js';

const list = listTable({
  from: 'lots',
  id: 'lots.id',
  scope: { account_id: 'lots.account_id', lot_id: 'lots.id' },
  fields: LOT_FIELDS,
  rows: lotsByIds,
});

export const LOT_ANSWER = representationOf('Lot', LOT_FIELDS);

/**
 * @param deleteGateways deletes the gateways of a lot before the lot is deleted. Gateways belong to the wing `equipment`, which this wing
 * does not import
 */
export const lotResource = (deleteGateways: NonNullable<Deletion['before']>) =>
  defineResource({
    table: 'lots',
    one: 'lot',
    many: 'lots',
    fields: LOT_FIELDS,
    unique: [{ field: 'name', within: 'account' }],
    deletion: { heldBy: lotHeldBy, before: deleteGateways, kept: { keep: keepLots } },
    rest: {
      path: '/v2/lots',
      tag: 'Lots',
      list,
      item: LOT_ANSWER.schema,
      items: (rows) => rows.map((row) => LOT_ANSWER.of(row, { lot_cluster_id: row.id })),
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
