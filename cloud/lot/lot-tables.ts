import type { Generated } from 'kysely';
import type { Timestamps } from '../store/schema.js';

interface LotsTable extends Timestamps {
  id: Generated<number>;
  account_id: number;
  name: string;
  address: string;
  timezone: string;
  latitude: number | null;
  longitude: number | null;
  offline_exit: 'open' | 'deny';
  autonomy_days: number;
}

declare module '../store/schema.js' {
  interface Database {
    lots: LotsTable;
  }
}
