/** Which slot at its lot's products a gateway gets (product protocol, "Token"). */

export interface GatewaySlot {
  /** 1 to 15. */
  slot: number;
  /** u8: a product takes credentials of its own generation of the slot only. */
  generation: number;
}

const SLOT_MAX = 15;
const GENERATION_MAX = 255;

/**
 * Never a slot and generation that was given before: the credentials of a gateway that is gone, or was stolen, live on for weeks.
 * Slots that nobody had go first. Once all were given, the one given least often is given again, a generation higher: its
 * products refuse the new gateway until they have been told to raise the generation, and from then on the old one.
 * @param given all slots the lot ever gave, with the highest generation of each
 * @param held slots that present gateways have
 * @returns null when all are held, or can go no higher
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
