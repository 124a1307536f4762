/** How often gateways healed their Bluetooth, by step. */
import type { Schema } from './create-table.js';

const COUNTS = ['frees_count', 'rescans_count', 'resets_count', 'restarts_count', 'power_cycles_count'] as const;

export async function up(db: Schema): Promise<void> {
  for (const name of COUNTS) {
    await db.schema
      .alterTable('gateway_health')
      .addColumn(name, 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
  }
}
