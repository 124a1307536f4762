import type { JsonColumn, Timestamps } from '../../kernel/entry.js';
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
