/** The rules of displays: each has the text for a number of vehicles. The first rule that fits, in their order, decides. */
import { z } from 'zod';
import { RULE_OPERATORS } from '../../../shared/display/decide-display-text.js';
import {
  defineResource,
  endsAfterStart,
  integerField,
  listTable,
  nameValue,
  optional,
  referenceTo,
  required,
  rule,
  textField,
  textValue,
  timeOrNullValue,
  wholeValue,
  withDefault,
} from '../../rest/entry.js';
import { rowsByIds } from '../../kernel/store/entry.js';
import { representRgbDisplayRule, rgbDisplayRuleSchema } from './display-payload.js';
import { lastRuleOrder, lotsOfDisplay, rulesWithDisplays } from './display-queries.js';

const COUNT_MAX = 1_000_000;
const ORDER_MAX = 10_000;

const fields = {
  name: required(nameValue),
  operator: required(z.enum(RULE_OPERATORS)),
  occupied_value: withDefault(wholeValue(0, COUNT_MAX), 0),
  /** The upper bound of `between`. Other operators ignore it. */
  occupied_value_to: withDefault(wholeValue(0, COUNT_MAX).nullable(), null),
  display_text: withDefault(textValue, ''),
  /** Left out: after the other rules of its display. */
  order: optional(wholeValue(0, ORDER_MAX)),
  /** null: the rule has no beginning, or no end. */
  start_time: withDefault(timeOrNullValue, null),
  end_time: withDefault(timeOrNullValue, null),
};

const betweenHasBounds = rule(
  fields,
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
  fields,
  restFields: { display: referenceTo('rgb_displays', { id: 'rgb_display_id' }) },
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
      filters: {
        account_id: integerField('rgb_displays.account_id'),
        lot_id: integerField('rgb_displays.lot_id'),
        zone_id: integerField('rgb_displays.zone_id'),
        rgb_display_id: integerField('rgb_display_rules.rgb_display_id'),
        name: textField('rgb_display_rules.name'),
      },
      sorts: { name: 'rgb_display_rules.name', order: 'rgb_display_rules.order' },
      rows: (db, ids) => rowsByIds(db, 'rgb_display_rules', ids),
    }),
    item: rgbDisplayRuleSchema,
    items: (rows) => rows.map(representRgbDisplayRule),
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
