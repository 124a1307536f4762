/** Decides which slot at the products of its lot a gateway gets (product protocol, "Token"). */
import { GENERATION_MAX } from '../../../shared/product-protocol/token-codec.js';

export interface GatewaySlot {
  /** 1 to 15. */
  slot: number;
  /** u8: a product accepts only credentials of its present generation of the slot. */
  generation: number;
}

const SLOT_MAX = 15;

/**
 * Never assigns a slot and generation twice: the credentials of a gateway that is gone or was stolen remain valid for weeks. Slots that
 * no gateway had come first. Once all were given, the one that was given least often is given again, a generation higher. The products
 * refuse the new gateway until they are ordered to raise the generation, and from then on they refuse the old one.
 * @param given all slots the lot ever gave, with the highest generation of each
 * @param held slots that present gateways have
 * @returns null when all are held, or have reached the highest generation
 */
export function decideGatewaySlot(given: readonly GatewaySlot[], held: ReadonlySet<number>): GatewaySlot | null {
  const generations = new Map(given.map(({ slot, generation }) => [slot, generation]));
  const slots = Array.from({ length: SLOT_MAX }, (_, index) => index + 1);
  const fresh = slots.find((slot) => !generations.has(slot) && !held.has(slot));
  if (fresh !== undefined) return { slot: fresh, generation: 0 };
  const [again] = slots
    .filter((slot) => !held.has(slot))
    .map((slot) => ({ slot, generation: (generations.get(slot) ?? 0) + 1 }))
    .filter(({ generation }) => generation <= GENERATION_MAX)
    .toSorted((a, b) => a.generation - b.generation || a.slot - b.slot);
  return again ?? null;
}
