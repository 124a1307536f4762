/** Licence plate alerts: when a camera reads one of the plates, the receivers get a mail. An alert without a zone covers the whole account. */
import { z } from 'zod';
import { ApiError, VALIDATION } from '../../../shared/errors.js';
import { normalisePlate } from '../../../shared/plate/normalise-plate.js';
import {
  anyField,
  defineResource,
  emailValue,
  type Field,
  integerField,
  LIST_MAX,
  listTable,
  nameValue,
  plateField,
  plateValue,
  referenceTo,
  required,
  type RestChange,
  textField,
  wholeValue,
  withDefault,
  writableIds,
} from '../../rest/entry.js';
import type { Db } from '../../kernel/store/entry.js';
import { representLicensePlateAlert, licensePlateAlertSchema } from './alert-payload.js';
import {
  alertsByIds,
  alertsWithZones,
  FIRST_PLATE_OF_ALERT,
  LOTS_OF_ALERT,
  replaceAlertPlates,
  replaceAlertReceivers,
  somePlateOfAlert,
} from './alert-queries.js';

export const ALERT_LIST = listTable({
  from: alertsWithZones,
  id: 'license_plate_alerts.id',
  scope: { account_id: 'license_plate_alerts.account_id', lot_id: 'zones.lot_id', lotless: true },
  actsOn: LOTS_OF_ALERT,
  filters: {
    account_id: integerField('license_plate_alerts.account_id'),
    lot_id: integerField('zones.lot_id'),
    zone_id: integerField('license_plate_alerts.zone_id'),
    name: textField('license_plate_alerts.name'),
    plate: anyField(plateField('alert_plates.plate_normalised'), somePlateOfAlert),
  },
  sorts: { name: 'license_plate_alerts.name', plate: FIRST_PLATE_OF_ALERT },
  rows: alertsByIds,
});

const receiver = { name: required(nameValue), receiver_email: required(emailValue) };
const receiverValue = z.strictObject({ name: nameValue, receiver_email: emailValue });

/** These lists have their own tables. A REST body replaces the whole list; in a site file the items are resources of their own. */
const plates: Field<string[]> = withDefault(
  z
    .array(plateValue)
    .max(LIST_MAX)
    .superRefine((given, context) => {
      for (const at of repeated(given.map(normalisePlate))) {
        context.addIssue({ code: 'custom', path: [at], message: 'is the same plate as an earlier one' });
      }
    }),
  [],
  { columns: {} },
);
const receivers: Field<z.output<typeof receiverValue>[]> = withDefault(
  z
    .array(receiverValue)
    .max(LIST_MAX)
    .superRefine((given, context) => {
      for (const at of repeated(given.map(({ receiver_email }) => receiver_email))) {
        context.addIssue({ code: 'custom', path: [at, 'receiver_email'], message: 'is the same as an earlier one' });
      }
    }),
  [],
  { columns: {} },
);

/** A year. */
export const MINUTES_BETWEEN_MAILS_MAX = 525_600;

export const ALERT = defineResource({
  table: 'license_plate_alerts',
  one: 'license plate alert',
  many: 'license plate alerts',
  fields: {
    name: required(nameValue),
    /** null: all zones of the account. */
    zone: referenceTo('zones', { id: 'zone_id', isNullable: true, default: null }),
    min_minutes_between_emails: withDefault(wholeValue(0, MINUTES_BETWEEN_MAILS_MAX), 30),
  },
  restFields: { plates, receivers },
  unique: [{ field: 'name', within: 'account' }],
  rest: {
    path: '/v2/license-plate-alerts',
    tag: 'License plate alerts',
    list: ALERT_LIST,
    item: licensePlateAlertSchema,
    items: (rows) => rows.map(representLicensePlateAlert),
    // The configuration of gateways does not contain alerts.
    gatewaysOf: () => [],
    async afterInsert(tx, { id, ...change }) {
      await requireItsLots(tx, id, change);
      await replaceParts(tx, id, change);
    },
    async afterUpdate(tx, { row: { id }, ...change }) {
      await requireItsLots(tx, id, change);
      await replaceParts(tx, id, change);
    },
  },
  file: { at: ['license_plate_alerts'] },
});

/** @throws ApiError VALIDATION when the alert covers lots that the caller cannot see */
async function requireItsLots(tx: Db, id: number, { caller }: Pick<RestChange, 'caller'>): Promise<void> {
  if ((await writableIds(tx, ALERT_LIST, { caller, ids: [id] })).length > 0) return;
  const message = 'Without a zone it watches all lots of the account, of which you have only some: name a zone';
  throw new ApiError(VALIDATION, { field: 'zone_id', message });
}

async function replaceParts(tx: Db, id: number, { given, now }: Pick<RestChange, 'given' | 'now'>): Promise<void> {
  // The schema of the body has checked the types.
  const parts = given as { plates?: string[]; receivers?: z.output<typeof receiverValue>[] };
  if (parts.plates !== undefined) await replaceAlertPlates(tx, { id, plates: parts.plates.map(alertPlate), now });
  if (parts.receivers !== undefined) await replaceAlertReceivers(tx, { id, receivers: parts.receivers, now });
}

const alertPlate = (plate: string) => ({ plate, plate_normalised: normalisePlate(plate) });

export const ALERT_PLATE = defineResource({
  table: 'alert_plates',
  one: 'plate',
  many: 'plates',
  fields: {
    plate: required(plateValue, {
      columns: { plate: { from: (plate: string) => plate }, plate_normalised: { from: normalisePlate } },
    }),
  },
  parentColumn: 'license_plate_alert_id',
  unique: [{ field: 'plate', within: 'parent', word: 'plate of the alert', normalise: normalisePlate }],
  file: { at: ['license_plate_alerts', 'plates'], textField: 'plate', isPart: true },
});

export const ALERT_RECEIVER = defineResource({
  table: 'alert_receivers',
  one: 'receiver',
  many: 'receivers',
  fields: receiver,
  parentColumn: 'license_plate_alert_id',
  unique: [
    {
      field: 'receiver_email',
      within: 'parent',
      word: 'receiver of the alert',
      normalise: lowerCase,
      isShownAsGiven: true,
    },
  ],
  file: { at: ['license_plate_alerts', 'receivers'], isPart: true },
});

function lowerCase(text: string): string {
  return text.toLowerCase();
}

/** Returns the indexes of texts that occur earlier in the list. */
function repeated(texts: readonly string[]): number[] {
  const first = new Map<string, number>();
  for (const [at, text] of texts.entries()) if (!first.has(text)) first.set(text, at);
  return texts.flatMap((text, at) => (first.get(text) === at ? [] : [at]));
}
