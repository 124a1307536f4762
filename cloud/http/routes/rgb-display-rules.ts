import { z } from '@hono/zod-openapi';
import { ApiError } from '../../../shared/errors.js';
import { DISPLAY_LIST, DISPLAY_RULE_LIST } from '../../store/lists/record-lists.js';
import { lastRuleOrder } from '../../store/queries/records.js';
import { insertRow, updateRow } from '../../store/queries/rows.js';
import type { Endpoint } from '../endpoint.js';
import {
  idField,
  nameField,
  textField,
  timeField,
  together,
  wholeField,
  windowErrors,
  windowFields,
} from '../fields.js';
import { RULE_OPERATORS, rgbDisplayRuleRecord, rgbDisplayRuleSchema } from '../record-resources.js';
import { type ResourceDeps, resourceEndpoints } from '../resource-endpoints.js';
import type { FieldError } from '../validation.js';

const COUNT_MAX = 1_000_000;
const ORDER_MAX = 10_000;

const fields = {
  name: nameField,
  rgb_display_id: idField,
  operator: z.enum(RULE_OPERATORS),
  occupied_value: wholeField(0, COUNT_MAX),
  /** Of `between` only. */
  occupied_value_to: wholeField(0, COUNT_MAX).nullable(),
  display_text: textField,
  order: wholeField(0, ORDER_MAX),
  /** null: from always, for ever. */
  start_time: timeField.nullable(),
  end_time: timeField.nullable(),
};

const countFields = z.object({
  operator: z.enum(RULE_OPERATORS),
  occupied_value: z.number(),
  occupied_value_to: z.number().nullable(),
});

/** /v2/rgb-display-rules: what a display shows when so many vehicles are there; the first that fits in their order. */
export function rgbDisplayRuleEndpoints(deps: ResourceDeps): Endpoint[] {
  return resourceEndpoints(deps, {
    path: '/v2/rgb-display-rules',
    one: 'a display rule',
    many: 'display rules',
    tag: 'RGB displays',
    table: DISPLAY_RULE_LIST,
    item: rgbDisplayRuleSchema,
    items: (rows) => rows.map(rgbDisplayRuleRecord),
    newBody: z
      .strictObject({
        ...fields,
        occupied_value: fields.occupied_value.default(0),
        occupied_value_to: fields.occupied_value_to.default(null),
        display_text: fields.display_text.default(''),
        /** The last of its display when left out. */
        order: fields.order.optional(),
        start_time: fields.start_time.default(null),
        end_time: fields.end_time.default(null),
      })
      .superRefine(...together(countFields, countErrors))
      .superRefine(...together(windowFields, windowErrors)),
    changeBody: z.strictObject(fields).partial(),
    references: { rgb_display_id: DISPLAY_LIST },
    async insert(tx, { body, now }) {
      const order = body.order ?? Math.min(ORDER_MAX, (await lastRuleOrder(tx, body.rgb_display_id)) + 1);
      return insertRow(tx, 'rgb_display_rules', { ...body, order, created_at: now, updated_at: now });
    },
    async update(tx, { row, body, now }) {
      const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
      const rule = { ...row, ...given };
      const errors = [...countErrors(rule), ...windowErrors(rule)];
      if (errors.length > 0) throw ApiError.validation(errors);
      await updateRow(tx, 'rgb_display_rules', { id: row.id, set: { ...body, updated_at: now } });
    },
    managed: 'rgb_display_rules',
    // Displays are in no section of a gateway's configuration.
    lots: () => [],
  });
}

/** What is wrong with values that do not belong together. */
function countErrors({ operator, occupied_value, occupied_value_to }: z.infer<typeof countFields>): FieldError[] {
  const told = (message: string): FieldError[] => [{ field: 'occupied_value_to', message }];
  if (operator !== 'between') {
    return occupied_value_to === null ? [] : told('Belongs to the operator between, and to no other');
  }
  if (occupied_value_to === null) return told('Is needed with the operator between');
  return occupied_value_to < occupied_value ? told('Must be at least occupied_value') : [];
}
