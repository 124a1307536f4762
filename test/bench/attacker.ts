/** An attacker in its own process: the processor time that it needs does not delay the honest users, and its memory is not theirs. */
import type { AttackCounts } from '../attack/attack.js';
import { ATTACKS, type AttackTarget } from '../attack/attacks.js';
import { routeTo } from '../attack/own-network.js';

/** The parent sends a name and a target to begin, and `end` for the counts. */
export type AttackerOrder = { attack: string; target: AttackTarget } | 'end';

let ending = new AbortController();
let running: Promise<AttackCounts> | undefined;

process.on('message', (order: AttackerOrder) => {
  if (order === 'end') {
    ending.abort();
    void running?.then((counts) => process.send?.(counts));
    return;
  }
  ending = new AbortController();
  const attack = ATTACKS[order.attack];
  running = attack?.run(order.target, { ...routeTo(attack.against), signal: ending.signal });
  process.send?.('attacking');
});
process.once('disconnect', () => process.exit(0));
