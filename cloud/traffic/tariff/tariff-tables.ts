import type { Generated } from 'kysely';
import type { JsonColumn, Tables, Timestamps } from '../../kernel/store/entry.js';
import type { TariffWindow } from './price-stay.js';

/** The columns from which the price of a stay is computed. */
interface TariffTerms {
  currency: string;
  free_minutes: number;
  /** Minor units of the currency per started step. */
  price_minor: number;
  step_minutes: number;
  daily_max_minor: number | null;
  windows: JsonColumn<TariffWindow[]>;
}

interface TariffsTable extends Timestamps, TariffTerms {
  id: Generated<number>;
  account_id: number;
  name: string;
  /** Percent, as text. */
  vat: string;
}

/** A tariff as it was from a time on, until its next version. A version never changes, and is kept when its tariff is deleted. */
interface TariffVersionsTable extends TariffTerms {
  id: Generated<number>;
  account_id: number;
  tariff_id: number;
  /** Wall milliseconds. A stay that began before the first version is priced by the first version. */
  valid_from: number;
}

interface ZoneTariffsTable {
  zone_id: number;
  tariff_id: number;
  /** Its position in the site file. The first tariff determines the price. */
  position: number;
}

declare module '../../kernel/store/schema.js' {
  interface Database {
    tariffs: TariffsTable;
    tariff_versions: TariffVersionsTable;
    zone_tariffs: ZoneTariffsTable;
  }
}

export const TARIFF_BASELINE: Tables = {
  tariffs: {
    columns: {
      id: 'id',
      account_id: { partOf: 'accounts' },
      name: 'text',
      currency: 'text',
      vat: 'text',
      free_minutes: 'integer',
      price_minor: 'bigint',
      step_minutes: 'integer',
      daily_max_minor: 'bigint null',
      windows: 'text',
      created_at: 'bigint',
      updated_at: 'bigint',
    },
    indices: [['account_id']],
  },
  // A version outlives its tariff: it refers to nothing.
  tariff_versions: {
    columns: {
      id: 'id',
      account_id: 'integer',
      tariff_id: 'integer',
      valid_from: 'bigint',
      currency: 'text',
      free_minutes: 'integer',
      price_minor: 'bigint',
      step_minutes: 'integer',
      daily_max_minor: 'bigint null',
      windows: 'text',
    },
    indices: [['tariff_id', 'valid_from']],
  },
  zone_tariffs: {
    columns: {
      zone_id: { partOf: 'zones' },
      tariff_id: { partOf: 'tariffs' },
      position: 'integer',
    },
    primaryKey: ['zone_id', 'tariff_id'],
    indices: [['tariff_id']],
  },
};
