/** Writes openings. */
import { type CloudStore, type Db, deleteInPieces, insertRows, type Row } from '../../kernel/store/entry.js';

/** As long as the history of occupancy. */
export const OPENINGS_KEPT_MS = 366 * 24 * 3_600_000;

type Cells = Omit<Row<'openings'>, 'id' | 'updated_at'>;
type Facts = 'account_id' | 'lot_id' | 'product_id' | 'operation' | 'cause' | 'outcome' | 'at';

/** Only what is known of it. */
export type NewOpening = Pick<Cells, Facts> & Partial<Cells>;

const NOTHING = {
  gateway_id: null,
  given_by: null,
  error_type: null,
  event_id: null,
  plate_reading_id: null,
  plate_sighting_id: null,
};

/** @param now wall milliseconds */
export const insertOpenings = (tx: Db, openings: readonly NewOpening[], now: number): Promise<void> =>
  insertRows(
    tx,
    'openings',
    openings.map((each) => ({ ...NOTHING, ...each, updated_at: now })),
  );

/** Removes what cameras had opened for these readings: another outcome of theirs counts instead. */
export async function deleteOpeningsOfReadings(tx: Db, reading_ids: readonly number[]): Promise<void> {
  if (reading_ids.length === 0) return;
  await tx.deleteFrom('openings').where('plate_reading_id', 'in', reading_ids).where('cause', '=', 'camera').execute();
}

/** Notes that a product did after the end of its command what it was asked. */
export async function saveLateOpening(
  tx: Db,
  late: { command: Pick<Row<'commands'>, 'event_id' | 'product_id' | 'created_at'>; gateway_id: number; now: number },
): Promise<void> {
  const { command, gateway_id, now } = late;
  await tx
    .updateTable('openings')
    .set({ outcome: 'succeeded', error_type: null, gateway_id, updated_at: now })
    .where('product_id', '=', command.product_id)
    .where('at', '>=', command.created_at)
    .where('event_id', '=', command.event_id)
    .execute();
}

export async function pruneOpenings(store: Pick<CloudStore, 'change'>, before: number): Promise<void> {
  await deleteInPieces(store, async (tx, limit) => {
    const old = tx.selectFrom('openings').select('id').where('at', '<', before).orderBy('at').limit(limit);
    const { numDeletedRows } = await tx.deleteFrom('openings').where('id', 'in', old).executeTakeFirstOrThrow();
    return Number(numDeletedRows);
  });
}
