/** Displays are signs that show how full a zone or a whole lot is. A display cannot move to another lot. */
import { displayDriverSchema, displaySettingProblems } from '../../../shared/drivers/display-drivers.js';
import {
  addressValue,
  defineResource,
  gatewayOfLot,
  holdsAddressSecret,
  integerField,
  keptAddress,
  listTable,
  nameValue,
  referenceTo,
  refuseMasked,
  required,
  rule,
  textField,
  textValue,
  withDefault,
} from '../../rest/entry.js';
import { representRgbDisplay, rgbDisplaySchema } from './display-payload.js';
import { displaysByIds } from './display-queries.js';

export const DISPLAY_LIST = listTable({
  from: 'rgb_displays',
  id: 'rgb_displays.id',
  scope: { account_id: 'rgb_displays.account_id', lot_id: 'rgb_displays.lot_id' },
  filters: {
    account_id: integerField('rgb_displays.account_id'),
    lot_id: integerField('rgb_displays.lot_id'),
    zone_id: integerField('rgb_displays.zone_id'),
    gateway_id: integerField('rgb_displays.gateway_id'),
    name: textField('rgb_displays.name'),
  },
  sorts: { name: 'rgb_displays.name' },
  rows: displaysByIds,
  scopeOf: (row) => row,
});

const fields = {
  name: required(nameValue),
  /** What is counted; null: the whole lot. */
  zone: referenceTo('zones', { id: 'zone_id', isNullable: true, default: null, isRequiredInFile: true }),
  /** The gateway that writes to it. */
  gateway: gatewayOfLot({ where: " of the zone's lot" }),
  /** Empty: it has no driver yet. */
  driver: withDefault(displayDriverSchema, ''),
  address: withDefault(addressValue, '', { holdsSecret: holdsAddressSecret }),
  /** How its driver sends the text: `{text}` stands for it. Empty: the driver's own way. */
  template: withDefault(textValue, ''),
  /** Its text when the count is unknown. */
  stale_text: withDefault(textValue, ''),
};

const driverHasItsSettings = rule(fields, ['driver', 'address', 'template'], (settings) =>
  displaySettingProblems(settings.driver, settings),
);

export const DISPLAY = defineResource({
  table: 'rgb_displays',
  one: 'display',
  many: 'displays',
  fields,
  rules: [driverHasItsSettings],
  restFields: { lot: referenceTo('lots', { id: 'lot_id', isOptional: true }) },
  unique: [{ field: 'name', within: 'account' }],
  lot: { from: ['zone', 'lot'], isColumn: true, mayMove: false },
  rest: {
    path: '/v2/rgb-displays',
    tag: 'RGB displays',
    list: DISPLAY_LIST,
    item: rgbDisplaySchema,
    items: (rows) => rows.map(representRgbDisplay),
    gatewaysOf: ({ lot_id }) => [lot_id],
    beforeInsert(_tx, { given }) {
      refuseMasked(given);
      return Promise.resolve({});
    },
    beforeUpdate: (_tx, { given, row }) => Promise.resolve(keptAddress(given, row.address)),
  },
  file: { at: ['rgb_displays'] },
});
