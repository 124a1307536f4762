import { type AttackCounts, type AttackOrder, ATTACKER_ADDRESS } from './attack.js';

/** Works while an attack runs, ends it, and prints what it did. */
export async function duringAttack(
  what: string,
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
  const counts = await done;
  process.stdout.write(`attack: ${what}: ${JSON.stringify(counts)}\n`);
  return counts;
}
