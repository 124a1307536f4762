import type { JsonColumn, Tables, Timestamps } from '../../kernel/store/entry.js';
import type { PlanItem } from './plan-payload.js';

interface LotPlansTable extends Timestamps {
  lot_id: number;
  /** The items as they were given. Things that were deleted since are left out when a plan is read. */
  items: JsonColumn<PlanItem[]>;
}

declare module '../../kernel/store/schema.js' {
  interface Database {
    lot_plans: LotPlansTable;
  }
}

export const PLAN_BASELINE: Tables = {
  lot_plans: {
    columns: {
      lot_id: { partOf: 'lots' },
      items: 'text',
      created_at: 'bigint',
      updated_at: 'bigint',
    },
    primaryKey: ['lot_id'],
  },
};
