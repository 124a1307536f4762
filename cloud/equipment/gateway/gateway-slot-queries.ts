/** Reads and writes the slots that lots gave to gateways (`decide-gateway-slot.ts`). */
import type { Db, Row } from '../../kernel/entry.js';

/** Remembers a slot as given. */
export async function saveGatewaySlot(tx: Db, given: Row<'gateway_slots'>): Promise<void> {
  await tx
    .insertInto('gateway_slots')
    .values(given)
    .onConflict((conflict) => conflict.columns(['lot_id', 'slot']).doUpdateSet({ generation: given.generation }))
    .execute();
}
