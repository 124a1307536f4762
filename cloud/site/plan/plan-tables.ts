import type { JsonColumn, Tables, TablesOf, Text } from '../../kernel/store/entry.js';
import type { PlanItem } from './plan-payload.js';

declare module '../../kernel/store/schema.js' {
  interface Database extends TablesOf<typeof PLAN_BASELINE> {}
}

export const PLAN_BASELINE = {
  lot_plans: {
    columns: {
      lot_id: { partOf: 'lots' },
      /** The items as they were given. Things that were deleted since are left out when a plan is read. */
      items: 'text' as Text<JsonColumn<PlanItem[]>>,
      created_at: 'bigint',
      updated_at: 'bigint',
    },
    primaryKey: ['lot_id'],
  },
} satisfies Tables;
