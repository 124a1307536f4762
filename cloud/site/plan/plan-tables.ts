import type { JsonColumn, Timestamps } from '../../kernel/entry.js';
import type { PlanItem } from './plan-payload.js';

interface LotPlansTable extends Timestamps {
  lot_id: number;
  /** As they were given: what was deleted since is left out when they are read. */
  items: JsonColumn<PlanItem[]>;
}

declare module '../../kernel/store/schema.js' {
  interface Database {
    lot_plans: LotPlansTable;
  }
}
