/** The rules of displays: each has the text for a number of vehicles. The first rule that fits, in their order, decides. */
import { defineResource, endsAfterStart, integerField, listTable, representationOf, rule } from '../../rest/entry.js';
import { rowsByIds } from '../../kernel/store/entry.js';
import { lastRuleOrder, lotsOfDisplay, rulesWithDisplays } from './display-queries.js';
import { DISPLAY_RULE_FIELDS, ORDER_MAX } from './display-rule-fields.js';

export const RGB_DISPLAY_RULE = representationOf('RgbDisplayRule', DISPLAY_RULE_FIELDS);

const betweenHasBounds = rule(
  DISPLAY_RULE_FIELDS,
  ['operator', 'occupied_value', 'occupied_value_to'],
  ({ operator, occupied_value, occupied_value_to }) => {
    if (operator !== 'between') return [];
    if (occupied_value_to === null) {
      return [{ field: 'occupied_value_to', reason: 'is needed with the operator between' }];
    }
    return occupied_value_to < occupied_value
      ? [{ field: 'occupied_value_to', reason: 'must be at least occupied_value' }]
      : [];
  },
);

export const DISPLAY_RULE = defineResource({
  table: 'rgb_display_rules',
  one: 'display rule',
  many: 'display rules',
  fields: DISPLAY_RULE_FIELDS,
  rules: [betweenHasBounds, endsAfterStart],
  unique: [{ field: 'name', within: 'parent', word: 'rule of the display' }],
  parentColumn: 'rgb_display_id',
  rest: {
    path: '/v2/rgb-display-rules',
    tag: 'RGB displays',
    list: listTable({
      from: rulesWithDisplays,
      id: 'rgb_display_rules.id',
      scope: { account_id: 'rgb_displays.account_id', lot_id: 'rgb_displays.lot_id' },
      fields: DISPLAY_RULE_FIELDS,
      filters: {
        account_id: integerField('rgb_displays.account_id'),
        lot_id: integerField('rgb_displays.lot_id'),
        zone_id: integerField('rgb_displays.zone_id'),
      },
      rows: (db, ids) => rowsByIds(db, 'rgb_display_rules', ids),
    }),
    item: RGB_DISPLAY_RULE.schema,
    items: (rows) => rows.map((row) => RGB_DISPLAY_RULE.of(row)),
    gatewaysOf: ({ rgb_display_id }, tx) => lotsOfDisplay(tx, rgb_display_id),
    async beforeInsert(tx, { given }) {
      if (given.order !== undefined) return {};
      return { order: Math.min(ORDER_MAX, (await lastRuleOrder(tx, Number(given.display))) + 1) };
    },
  },
  file: {
    at: ['rgb_displays', 'rules'],
    label: (name, display) => `rule ${display}/${name}`,
    declare: ({ order }, { index }) => (order === undefined ? { values: { order: index + 1 } } : {}),
  },
});
