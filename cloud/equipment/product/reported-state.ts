/** Writes what was decided of a product's state, and journals it like a gateway's report. */
import type { ProductStatus } from '../../../shared/uplink.js';
import type { Db, Row, Tx } from '../../kernel/store/entry.js';
import {
  deleteProductError,
  productViewOf,
  saveProductBlock,
  saveProductError,
  saveProductReport,
} from './product-queries.js';
import { decideAnsweredState, isMovement, type ReportedState } from './decide-reported-state.js';
import { lotChangeEvent, type ProductView } from './lot-change-event.js';

export interface SavedState {
  /** The product as it is now. */
  view: ProductView;
  isChanged: boolean;
}

export async function saveReportedState(
  tx: Db,
  { view, decided, now }: { view: ProductView; decided: ReportedState; now: number },
): Promise<SavedState> {
  const { id } = view.product;
  const stamps = { product_id: id, created_at: now, updated_at: now };
  const after = { ...view };
  const moved = isMovement(view, decided) ? { last_moved: now } : {};
  if (decided.product !== null || 'last_moved' in moved) {
    after.product = await saveProductReport(tx, { id, ...decided.product, ...moved, updated_at: now });
  }
  if (decided.block !== null) after.block = await saveProductBlock(tx, { ...stamps, ...decided.block });
  if (decided.error === 'none') {
    await deleteProductError(tx, id);
    after.error = null;
  } else if (decided.error !== null) {
    after.error = await saveProductError(tx, { ...stamps, ...decided.error });
  }
  return { view: after, isChanged: Object.values(decided).some((part) => part !== null) };
}

/** lot_change without an event_id is sent twice in succession (specification, "lot_change"). */
export function journalReportPair(tx: Pick<Tx, 'journal'>, { view, isChanged }: SavedState): void {
  const { account_id, lot_id } = view.product;
  const payload = lotChangeEvent(view);
  for (let copy = 0; copy < 2; copy++) {
    tx.journal({ account_id, lot_id, event: 'lot_change', payload, isKept: isChanged });
  }
}

/**
 * Writes what a product said of itself in answer to a command.
 * @param answer.autoclose what the command set auto-close to; undefined: it was no such command
 */
export async function saveAnsweredState(
  tx: Db,
  answer: { product: Row<'products'>; status: ProductStatus; autoclose: boolean | undefined; now: number },
): Promise<SavedState> {
  const { product, status, autoclose, now } = answer;
  const view = await productViewOf(tx, product);
  return saveReportedState(tx, { view, decided: decideAnsweredState(view, status, autoclose), now });
}

/** lot_change as the answer to a command is sent once (specification, "lot_change"). */
export function journalAnswer(tx: Pick<Tx, 'journal'>, view: ProductView, event_id: string): void {
  const { account_id, lot_id } = view.product;
  tx.journal({ account_id, lot_id, event: 'lot_change', payload: lotChangeEvent(view, event_id) });
}
