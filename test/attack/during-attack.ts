import { type AttackCounts, type AttackOrder, ATTACKER_ADDRESS } from './attack.js';

/** Works while an attack runs, and ends it. @returns what the attack did */
export async function duringAttack(
  attack: (order: AttackOrder) => Promise<AttackCounts>,
  work: () => Promise<void>,
): Promise<AttackCounts> {
  const ending = new AbortController();
  const done = attack({ from: ATTACKER_ADDRESS, signal: ending.signal });
  try {
    await work();
  } finally {
    ending.abort();
  }
  return done;
}
