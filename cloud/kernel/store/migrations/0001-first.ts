/** All tables of the first version. Ids are never given twice, because other systems and the history keep the ids of deleted things. */
import { createHistoryTables } from './first-history-tables.js';
import { createSiteTables } from './first-site-tables.js';
import type { Schema } from './create-table.js';

export async function up(db: Schema): Promise<void> {
  await createSiteTables(db);
  await createHistoryTables(db);
}
