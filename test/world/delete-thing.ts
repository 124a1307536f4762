import { FILE_RESOURCES } from '../../cloud/doors/site-file/apply-site.js';
import { removeSiteRow } from '../../cloud/doors/site-file/site-queries.js';
import type { Tx } from '../../cloud/kernel/store/cloud-store.js';
import type { Database } from '../../cloud/kernel/store/schema.js';

/** Deletes a thing as its resource says. */
export async function deleteThing(tx: Tx, table: keyof Database, gone: { id: number; now: number }): Promise<void> {
  const resource = FILE_RESOURCES.find((each) => each.table === table);
  if (resource === undefined) throw new Error(`${table} has no resource`);
  await removeSiteRow(tx, resource, gone);
}
