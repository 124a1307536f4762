/** Displays are signs that show how full a zone or a whole lot is. A display cannot move to another lot. */
import { displaySettingProblems } from '../../../shared/drivers/display-drivers.js';
import {
  defineResource,
  keptAddress,
  listTable,
  refuseMasked,
  representationOf,
  rule,
  withheldProblem,
} from '../../rest/entry.js';
import { reportedFault } from '../gateway/reported-fault.js';
import { DISPLAY_FIELDS } from './display-fields.js';
import { displaysByIds } from './display-queries.js';

export const DISPLAY_LIST = listTable({
  from: 'rgb_displays',
  id: 'rgb_displays.id',
  scope: { account_id: 'rgb_displays.account_id', lot_id: 'rgb_displays.lot_id' },
  fields: DISPLAY_FIELDS,
  rows: displaysByIds,
  scopeOf: (row) => row,
});

export const RGB_DISPLAY = representationOf('RgbDisplay', DISPLAY_FIELDS);

const driverHasItsSettings = rule(DISPLAY_FIELDS, ['driver', 'address', 'template'], (settings) =>
  displaySettingProblems(settings.driver, settings),
);

export const DISPLAY = defineResource({
  table: 'rgb_displays',
  one: 'display',
  many: 'displays',
  fields: DISPLAY_FIELDS,
  rules: [driverHasItsSettings],
  unique: [{ field: 'name', within: 'account' }],
  lot: { from: ['zone', 'lot'], isColumn: true, mayMove: false },
  rest: {
    path: '/v2/rgb-displays',
    tag: 'RGB displays',
    list: DISPLAY_LIST,
    item: RGB_DISPLAY.schema,
    items: (rows) =>
      rows.map((row) =>
        RGB_DISPLAY.of(row, {
          problem: withheldProblem(row) ?? reportedFault(row.gateway_health, { kind: 'display', id: row.id }),
        }),
      ),
    gatewaysOf: ({ lot_id }) => [lot_id],
    beforeInsert(_tx, { given }) {
      refuseMasked(given);
      return Promise.resolve({});
    },
    beforeUpdate: (_tx, { given, row }) => Promise.resolve(keptAddress(given, row.address)),
  },
  file: { at: ['rgb_displays'] },
});
