/** Assigns slots to gateways, and keeps which products have still to refuse a gateway that is gone, or that another device was claimed as. */
import { type Db, LOCKS, type Row, type Tx } from '../../kernel/store/entry.js';
import { decideGatewaySlot, type GatewaySlot } from './decide-gateway-slot.js';
import { slotsOfLot } from './gateway-queries.js';

export type SlotRevocation = Row<'slot_revocations'>;

/**
 * Assigns a slot of the lot that no gateway ever had, as long as there is one: credentials of a gateway that is gone last for weeks. Notes
 * it as given.
 * @returns null when the lot has as many gateways as it can have
 */
export async function assignGatewaySlot(tx: Tx, lot_id: number): Promise<GatewaySlot | null> {
  await tx.lock(LOCKS.gatewaySlots);
  const held = await slotsOfLot(tx, lot_id);
  const given = await tx
    .selectFrom('gateway_slots')
    .select(['slot', 'generation'])
    .where('lot_id', '=', lot_id)
    .execute();
  const assigned = decideGatewaySlot(given, held);
  if (assigned !== null) await saveGatewaySlot(tx, { lot_id, ...assigned });
  return assigned;
}

/** Remembers a slot as given. */
export async function saveGatewaySlot(tx: Db, given: Row<'gateway_slots'>): Promise<void> {
  await tx
    .insertInto('gateway_slots')
    .values(given)
    .onConflict((conflict) => conflict.columns(['lot_id', 'slot']).doUpdateSet({ generation: given.generation }))
    .execute();
}

/**
 * Has the paired products of the lot refuse the credentials of the device that was claimed as this gateway; without a device there are none.
 * @returns the products that have to hear of it
 */
export async function revokeGatewaySlot(tx: Tx, gateway: Row<'gateways'>, now: number): Promise<number[]> {
  const { lot_id, slot, slot_generation, public_key } = gateway;
  if (lot_id === null || public_key === null) return [];
  await tx.lock(LOCKS.gatewaySlots);
  // In a full lot a device has the slot of the one before it, with a generation that is not noted yet.
  const noted = await tx
    .selectFrom('gateway_slots')
    .select('generation')
    .where('lot_id', '=', lot_id)
    .where('slot', '=', slot)
    .executeTakeFirst();
  await saveGatewaySlot(tx, { lot_id, slot, generation: Math.max(slot_generation, noted?.generation ?? 0) });
  const products = await tx
    .selectFrom('products')
    .select(['id', 'pairing_epoch'])
    .where('lot_id', '=', lot_id)
    .where('master_key_sealed', 'is not', null)
    .execute();
  if (products.length === 0) return [];
  const rows = products.map(({ id, pairing_epoch }) => ({
    product_id: id,
    pairing_epoch,
    gateway_id: gateway.id,
    slot,
    generation: slot_generation + 1,
    sent_serial: null,
    sent_at: null,
    told_at: null,
    created_at: now,
    updated_at: now,
  }));
  await tx.insertInto('slot_revocations').values(rows).execute();
  return products.map(({ id }) => id);
}

/** Lists what products have still to be told, the oldest first. */
export async function pendingRevocationsOf(db: Db, product_ids: readonly number[]): Promise<SlotRevocation[]> {
  if (product_ids.length === 0) return [];
  return db
    .selectFrom('slot_revocations')
    .innerJoin('products', 'products.id', 'slot_revocations.product_id')
    .selectAll('slot_revocations')
    .whereRef('slot_revocations.pairing_epoch', '=', 'products.pairing_epoch')
    .where('products.master_key_sealed', 'is not', null)
    .where('slot_revocations.product_id', 'in', [...product_ids])
    .where('told_at', 'is', null)
    .orderBy('slot_revocations.id')
    .execute();
}

/** Lists the products of a lot that have not heard of every gateway which they have to refuse. */
export async function unconfirmedProductsOfLot(db: Db, lot_id: number): Promise<number[]> {
  const rows = await db
    .selectFrom('slot_revocations')
    .innerJoin('products', 'products.id', 'slot_revocations.product_id')
    .select('products.id')
    .distinct()
    .whereRef('slot_revocations.pairing_epoch', '=', 'products.pairing_epoch')
    .where('products.master_key_sealed', 'is not', null)
    .where('products.lot_id', '=', lot_id)
    .where('told_at', 'is', null)
    .orderBy('products.id')
    .execute();
  return rows.map(({ id }) => id);
}

/** @param sent_serial null: no record can tell it, which was logged */
export async function saveRevocationSent(
  tx: Db,
  { id, sent_serial, now }: { id: number; sent_serial: number | null; now: number },
): Promise<void> {
  const set = { sent_serial, sent_at: now, updated_at: now };
  await tx.updateTable('slot_revocations').set(set).where('id', '=', id).execute();
}

/** @param told_at null: the product refused the record, and its answer counts once */
export async function saveRevocationAnswered(
  tx: Db,
  { id, told_at, now }: { id: number; told_at: number | null; now: number },
): Promise<void> {
  const set = { sent_serial: null, told_at, updated_at: now };
  await tx.updateTable('slot_revocations').set(set).where('id', '=', id).execute();
}

/** @param of.sent_at as if it had been sent then: what follows counts from it */
export async function saveRevocationUndelivered(
  tx: Db,
  of: { id: number; sent_at: number; now: number },
): Promise<void> {
  const set = { sent_serial: null, sent_at: of.sent_at, updated_at: of.now };
  await tx.updateTable('slot_revocations').set(set).where('id', '=', of.id).execute();
}

/** Lists the products that have still to hear that they refuse a device of this gateway. */
export async function productsToWarnOf(db: Db, gateway_id: number): Promise<number[]> {
  const rows = await db
    .selectFrom('slot_revocations')
    .select('product_id')
    .distinct()
    .where('gateway_id', '=', gateway_id)
    .where('told_at', 'is', null)
    .execute();
  return rows.map(({ product_id }) => product_id);
}
