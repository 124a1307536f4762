import type { Generated } from 'kysely';
import type { Timestamps } from '../store/schema.js';
import type { TariffWindow } from '../../shared/tariff/price-stay.js';
import type { JsonColumn } from '../store/json-column.js';

interface TariffsTable extends Timestamps {
  id: Generated<number>;
  account_id: number;
  name: string;
  currency: string;
  /** Percent, as text. */
  vat: string;
  free_minutes: number;
  /** Minor units of the currency per started step. */
  price_minor: number;
  step_minutes: number;
  daily_max_minor: number | null;
  windows: JsonColumn<TariffWindow[]>;
}

interface ZoneTariffsTable {
  zone_id: number;
  tariff_id: number;
  /** Their order in the site file; the first tariff sets the price. */
  position: number;
}

declare module '../store/schema.js' {
  interface Database {
    tariffs: TariffsTable;
    zone_tariffs: ZoneTariffsTable;
  }
}
