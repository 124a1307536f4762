/** Licence plate alerts: when a camera reads one of the plates, the receivers get a mail. An alert without a zone covers the whole account. */
import { ApiError, VALIDATION } from '../../../shared/errors.js';
import { normalisePlate } from '../../../shared/plate/normalise-plate.js';
import {
  anyField,
  defineResource,
  integerField,
  listTable,
  plateField,
  representationOf,
  type RestChange,
  type ValuesOf,
  writableIds,
} from '../../rest/entry.js';
import type { Db } from '../../kernel/store/entry.js';
import { ALERT_FIELDS, ALERT_PLATE_FIELDS, ALERT_RECEIVER_FIELDS } from './alert-fields.js';
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
  fields: ALERT_FIELDS,
  filters: {
    account_id: integerField('license_plate_alerts.account_id'),
    lot_id: integerField('zones.lot_id'),
    plate: anyField(plateField('alert_plates.plate_normalised'), somePlateOfAlert),
  },
  sorts: { plate: FIRST_PLATE_OF_ALERT },
  rows: alertsByIds,
});

export const ALERT_ANSWER = representationOf('LicensePlateAlert', ALERT_FIELDS);

export const ALERT = defineResource({
  table: 'license_plate_alerts',
  one: 'license plate alert',
  many: 'license plate alerts',
  fields: ALERT_FIELDS,
  unique: [{ field: 'name', within: 'account' }],
  rest: {
    path: '/v2/license-plate-alerts',
    tag: 'License plate alerts',
    list: ALERT_LIST,
    item: ALERT_ANSWER.schema,
    items: (rows) => rows.map((row) => ALERT_ANSWER.of(row)),
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
  const parts = given as Partial<Pick<ValuesOf<typeof ALERT_FIELDS>, 'plates' | 'receivers'>>;
  if (parts.plates !== undefined) await replaceAlertPlates(tx, { id, plates: parts.plates.map(alertPlate), now });
  if (parts.receivers !== undefined) await replaceAlertReceivers(tx, { id, receivers: parts.receivers, now });
}

const alertPlate = (plate: string) => ({ plate, plate_normalised: normalisePlate(plate) });

export const ALERT_PLATE = defineResource({
  table: 'alert_plates',
  one: 'plate',
  many: 'plates',
  fields: ALERT_PLATE_FIELDS,
  parentColumn: 'license_plate_alert_id',
  unique: [{ field: 'plate', within: 'parent', word: 'plate of the alert', normalise: normalisePlate }],
  file: { at: ['license_plate_alerts', 'plates'], textField: 'plate', isPart: true },
});

export const ALERT_RECEIVER = defineResource({
  table: 'alert_receivers',
  one: 'receiver',
  many: 'receivers',
  fields: ALERT_RECEIVER_FIELDS,
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
