/** All tables of the first version. Ids are never given twice: other systems and the history keep the ids of what is gone. */
import { createHistoryTables } from './0001-history-tables.js';
import { createSiteTables } from './0001-site-tables.js';
import type { Schema } from './create-table.js';

export async function up(db: Schema): Promise<void> {
  await createSiteTables(db);
  await createHistoryTables(db);
}
