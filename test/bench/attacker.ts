/** An attacker in its own process: the processor time that it needs does not delay the honest users, and its memory is not theirs. */
import type { AttackCounts } from '../attack/attack.js';
import { ATTACKS, type AttackTarget } from '../attack/attacks.js';
import { routeTo } from '../attack/own-network.js';
import { serveParent } from './harness.js';

/** The parent sends a name and a target to begin, and `end` for the counts. */
export type AttackerOrder = { attack: string; target: AttackTarget } | 'end';

let ending = new AbortController();
let running: Promise<AttackCounts> | undefined;

function obey(order: AttackerOrder): Promise<AttackCounts> | undefined | 'attacking' {
  if (order === 'end') {
    ending.abort();
    return running;
  }
  ending = new AbortController();
  const attack = ATTACKS[order.attack];
  running = attack?.run(order.target, { ...routeTo(attack.against), signal: ending.signal });
  return 'attacking';
}
serveParent('ready', { answer: obey });
