/**
 * A stolen gateway asks a product to set its clock back, again and again, so that the credentials that the gateway holds never end. It
 * is the attack on every product whose clock anybody may move by a little as often as he likes.
 */

/** A product as its attacker reaches it. */
export interface AttackedClock {
  /** Seconds since 1970, as the product tells it. */
  clockS(): number;
  /** Asks for this time with a credential that is valid by the product's clock. @returns the product's answer */
  setTime(timeS: number): string;
}

/** The success of the attacker. */
export interface ClockWalk {
  /** How often the product answered each of its answers. */
  answers: Record<string, number>;
  /** By how much the clock went back in all. */
  movedS: number;
}

/** @param stepS by how much each call asks to go back */
export function walkClockBack(product: AttackedClock, { calls, stepS }: { calls: number; stepS: number }): ClockWalk {
  const startS = product.clockS();
  const answers: ClockWalk['answers'] = {};
  for (let call = 0; call < calls; call++) {
    const answer = product.setTime(product.clockS() - stepS);
    answers[answer] = (answers[answer] ?? 0) + 1;
  }
  return { answers, movedS: startS - product.clockS() };
}
