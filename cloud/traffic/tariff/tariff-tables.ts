import { type Generated, type Kysely, sql } from 'kysely';
import type { Tables, TablesOf } from '../../kernel/store/entry.js';
import type { TableOf } from '../../rest/entry.js';
import type { TARIFF_FIELDS } from './tariff-fields.js';

type TariffsTable = TableOf<typeof TARIFF_FIELDS>;

/** The columns from which the price of a stay is computed. */
type TariffTerm = 'currency' | 'free_minutes' | 'price_minor' | 'step_minutes' | 'daily_max_minor' | 'windows';

/**
 * A tariff as it was from a time on, until its next version. A version never changes but for the name, and is kept when its tariff is
 * deleted.
 */
interface TariffVersionsTable extends Pick<TariffsTable, TariffTerm> {
  id: Generated<number>;
  account_id: number;
  tariff_id: number;
  /** Wall milliseconds. A stay that began before the first version is priced by the first version. */
  valid_from: number;
  /** The tax at that time, as the tariff has it. */
  vat: string;
  /** What the tariff is called now, or was called last. */
  name: string;
}

declare module '../../kernel/store/schema.js' {
  interface Database extends Pick<TablesOf<typeof TARIFF_BASELINE>, 'zone_tariffs'> {
    tariffs: TariffsTable;
    tariff_versions: TariffVersionsTable;
  }
}

export const TARIFF_BASELINE = {
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
      /** Its position in the site file. The first tariff determines the price. */
      position: 'integer',
    },
    primaryKey: ['zone_id', 'tariff_id'],
    indices: [['tariff_id']],
  },
} satisfies Tables;

/** Gives the versions of tariffs that were there before the name and the tax that their tariffs have now. */
export async function nameVersions(db: Kysely<unknown>): Promise<void> {
  for (const column of ['vat', 'name']) {
    const known = sql`select ${sql.ref(`tariffs.${column}`)} from tariffs where tariffs.id = tariff_versions.tariff_id`;
    await sql`update tariff_versions set ${sql.ref(column)} = coalesce((${known}), '')`.execute(db);
  }
}
