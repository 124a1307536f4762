/**
 * How often a product was opened since it stood closed. One that closes by itself may have done so before a busy machine looks, and that is
 * a movement too: it is no second opening.
 */
export const openingsSince = (closed: { moves: number }, now: { moves: number }): number =>
  Math.ceil((now.moves - closed.moves) / 2);
