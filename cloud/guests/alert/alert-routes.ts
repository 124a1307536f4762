/** DELETE /v2/license-plate-alerts/{id}/receivers/{reciverId} */
import { ApiError, NOT_FOUND } from '../../../shared/errors.js';
import { noteAudit } from '../../kernel/audit/entry.js';
import { updateRow } from '../../kernel/store/entry.js';
import {
  type Endpoint,
  lotOfRow,
  MANAGERS,
  protectedEndpoint,
  type ResourceDeps,
  writableRow,
} from '../../rest/entry.js';
import { alertsByIds, deleteAlertReceiver } from './alert-queries.js';
import { ALERT_ANSWER, ALERT_LIST } from './alert-resource.js';

export function alertReceiverEndpoint({ store, clock }: Pick<ResourceDeps, 'store' | 'clock'>): Endpoint {
  return protectedEndpoint({
    method: 'delete',
    // `reciverId` is the spelling of the interface.
    path: '/v2/license-plate-alerts/{id}/receivers/{reciverId}',
    summary: 'Remove a receiver from a license plate alert',
    tag: 'License plate alerts',
    roles: MANAGERS,
    answer: ALERT_ANSWER.schema,
    async find({ caller, ids }) {
      const alert = await writableRow(store.reader, ALERT_LIST, { caller, id: ids.id });
      const receiver = alert?.receivers.find(({ id }) => id === ids.reciverId);
      return alert === null || receiver === undefined ? null : { alert, receiver };
    },
    async handle({ found: { alert, receiver }, change }) {
      const row = await change(async (tx) => {
        noteAudit(tx, { lot_id: await lotOfRow(tx, ALERT_LIST, alert.id) });
        if (!(await deleteAlertReceiver(tx, { id: receiver.id, alert_id: alert.id }))) throw new ApiError(NOT_FOUND);
        await updateRow(tx, 'license_plate_alerts', { id: alert.id, set: { updated_at: clock.now() } });
        return (await alertsByIds(tx, [alert.id]))[0];
      });
      if (row === undefined) throw new ApiError(NOT_FOUND);
      return ALERT_ANSWER.of(row);
    },
  });
}
