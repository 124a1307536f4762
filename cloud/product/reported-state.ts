/** Writes what was decided of a product's state, and tells of it as gateways' reports are told. */
import type { Db, EventRecorder } from '../store/cloud-store.js';
import {
  deleteProductError,
  saveProductBlock,
  saveProductError,
  saveProductReport,
} from '../store/queries/products.js';
import type { ReportedState } from './decide-reported-state.js';
import { lotChangeEvent, type ProductView } from './lot-change-payload.js';

export interface SavedState {
  /** As it is now. */
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
  if (decided.product !== null) {
    after.product = await saveProductReport(tx, { id, ...decided.product, updated_at: now });
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

/** lot_change without an event_id: sent twice, next to each other, as the specification has it. */
export async function recordReportPair(events: EventRecorder, { view, isChanged }: SavedState): Promise<void> {
  const { account_id, lot_id } = view.product;
  const payload = lotChangeEvent(view);
  for (let copy = 0; copy < 2; copy++) {
    await events.record({ account_id, lot_id, event: 'lot_change', payload, journalled: isChanged });
  }
}
