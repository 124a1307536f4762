import { z } from '@hono/zod-openapi';
import { ApiError } from '../../../shared/errors.js';
import { normalisePlate } from '../../../shared/plate/normalise-plate.js';
import { visibleRow } from '../../store/lists/list-table.js';
import { ZONE_LIST } from '../../store/lists/lot-lists.js';
import { ALERT_LIST } from '../../store/lists/record-lists.js';
import {
  alertsByIds,
  deleteAlertReceiver,
  type NewAlertPlate,
  replaceAlertPlates,
  replaceAlertReceivers,
} from '../../store/queries/records.js';
import { insertRow, updateRow } from '../../store/queries/rows.js';
import { type Endpoint, protectedEndpoint } from '../endpoint.js';
import { IDS_MAX, idField, nameField, plateField, receiverEmailField, wholeField } from '../fields.js';
import { licensePlateAlertRecord, licensePlateAlertSchema } from '../record-resources.js';
import { MANAGERS, type ResourceDeps, resourceEndpoints } from '../resource-endpoints.js';

const PATH = '/v2/license-plate-alerts';
const TAG = 'License plate alerts';

const receiverField = z.strictObject({ name: nameField, receiver_email: receiverEmailField });

const fields = {
  name: nameField,
  plates: z
    .array(plateField)
    .max(IDS_MAX)
    .superRefine((plates, context) => {
      for (const at of repeated(plates.map(normalisePlate))) {
        context.addIssue({ code: 'custom', path: [at], message: 'Is the same plate as an earlier one' });
      }
    }),
  min_minutes_between_emails: wholeField(0, 525_600),
  /** null: all zones of the account. */
  zone_id: idField.nullable(),
  receivers: z
    .array(receiverField)
    .max(IDS_MAX)
    .superRefine((receivers, context) => {
      for (const at of repeated(receivers.map(({ receiver_email }) => receiver_email))) {
        context.addIssue({ code: 'custom', path: [at, 'receiver_email'], message: 'Is the same as an earlier one' });
      }
    }),
};

/** /v2/license-plate-alerts: plates whose sight is mailed to receivers. */
export function licensePlateAlertEndpoints(deps: ResourceDeps): Endpoint[] {
  return [
    ...resourceEndpoints(deps, {
      path: PATH,
      one: 'a license plate alert',
      many: 'license plate alerts',
      tag: TAG,
      table: ALERT_LIST,
      item: licensePlateAlertSchema,
      items: (rows) => rows.map(licensePlateAlertRecord),
      newBody: z.strictObject({
        ...fields,
        plates: fields.plates.default([]),
        min_minutes_between_emails: fields.min_minutes_between_emails.default(30),
        zone_id: fields.zone_id.default(null),
        receivers: fields.receivers.default([]),
      }),
      changeBody: z.strictObject(fields).partial(),
      references: { zone_id: ZONE_LIST },
      async insert(tx, { caller: { account_id }, body: { plates, receivers, ...columns }, now }) {
        const times = { created_at: now, updated_at: now };
        const id = await insertRow(tx, 'license_plate_alerts', { ...columns, account_id, ...times });
        await replaceAlertPlates(tx, { id, plates: plates.map(alertPlate), now });
        await replaceAlertReceivers(tx, { id, receivers, now });
        return id;
      },
      async update(tx, { row: { id }, body: { plates, receivers, ...columns }, now }) {
        await updateRow(tx, 'license_plate_alerts', { id, set: { ...columns, updated_at: now } });
        if (plates !== undefined) await replaceAlertPlates(tx, { id, plates: plates.map(alertPlate), now });
        if (receivers !== undefined) await replaceAlertReceivers(tx, { id, receivers, now });
      },
      managed: 'license_plate_alerts',
      // Gateways send no mail: none of them knows of alerts.
      lots: () => [],
    }),
    removeReceiverEndpoint(deps),
  ];
}

function removeReceiverEndpoint({ store, clock }: ResourceDeps): Endpoint {
  return protectedEndpoint({
    method: 'delete',
    // The specification spells it so.
    path: `${PATH}/{id}/receivers/{reciverId}`,
    summary: 'Remove a receiver from a license plate alert',
    tag: TAG,
    roles: MANAGERS,
    answer: licensePlateAlertSchema,
    async find({ caller, ids }) {
      const alert = await visibleRow(store.reader, ALERT_LIST, { caller, id: ids.id });
      const receiver = alert?.receivers.find(({ id }) => id === ids.reciverId);
      return alert === null || receiver === undefined ? null : { alert, receiver };
    },
    async handle({ found: { alert, receiver } }) {
      const row = await store.change(async (tx) => {
        if (!(await deleteAlertReceiver(tx, { id: receiver.id, alert_id: alert.id }))) throw new ApiError(6);
        await updateRow(tx, 'license_plate_alerts', { id: alert.id, set: { updated_at: clock.now() } });
        return (await alertsByIds(tx, [alert.id]))[0];
      });
      if (row === undefined) throw new ApiError(6);
      return licensePlateAlertRecord(row);
    },
  });
}

const alertPlate = (plate: string): NewAlertPlate => ({ plate, plate_normalised: normalisePlate(plate) });

/** Where something stands that stood there before. */
function repeated(texts: readonly string[]): number[] {
  const first = new Map<string, number>();
  for (const [at, text] of texts.entries()) if (!first.has(text)) first.set(text, at);
  return texts.flatMap((text, at) => (first.get(text) === at ? [] : [at]));
}
