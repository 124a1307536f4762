/**
 * Keeps what is deleted. A gateway that was offline may still send records that name a zone, place, camera or parking gateway that was
 * deleted meanwhile, and the history names lots, zones, cameras and gateways for good. So each of these is kept as a row with `deleted_at`,
 * in a table of its own that only late records and the history use. The tables of the site hold only what exists, so that no list or other
 * query has to leave out deleted rows; names and device_ids are free again, and foreign keys clear what referred to the row. Passwords and
 * keys are not kept.
 */
import { sql } from 'kysely';
import type { Db, GoneRows } from '../../kernel/store/entry.js';
import { type Resource, restFieldsOf } from './resource.js';

/** Has the deletion of each thing keep it, with all that goes with it. */
export const keepingDeleted = (resources: readonly Resource[]): Resource[] =>
  resources.map((resource) => {
    const { deletion } = resource;
    if (deletion?.kept === undefined) return resource;
    return {
      ...resource,
      deletion: {
        ...deletion,
        async before(tx, gone) {
          await deletion.before?.(tx, gone);
          await keepRows(tx, resource, { ids: sql<number>`(${gone.id})`, now: gone.now, resources });
        },
      },
    };
  });

async function keepRows(
  tx: Db,
  { table, deletion }: Resource,
  rows: GoneRows & { resources: readonly Resource[] },
): Promise<void> {
  await deletion?.kept?.keep(tx, rows);
  for (const part of rows.resources) {
    const reference = restFieldsOf(part)[part.deletion?.kept?.with ?? '']?.reference;
    if (reference?.to !== table) continue;
    const ids = sql<number>`(select id from ${sql.table(part.table)} where ${sql.ref(reference.id)} in ${rows.ids})`;
    await keepRows(tx, part, { ...rows, ids });
  }
}
