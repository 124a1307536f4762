/**
 * What honest users notice of an attack, and what it leaves behind: quiet and attacked phases take turns, so that changes of the machine
 * affect both. The world is the real one; honest users and the attacker are processes of their own.
 */
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { AttackCounts } from '../attack/attack.js';
import { ATTACKS, type NamedAttack } from '../attack/attacks.js';
import { addStranger, type Stranger } from '../attack/stranger.js';
import { targetOf } from '../attack/target.js';
import { createWorld, type World } from '../sim/world/world.js';
import type { AttackerOrder } from './attacker.js';
import { answerOf } from './child-answer.js';
import { printFigure, quantile } from './figure.js';
import { HONEST_KINDS, type HonestKind, type HonestUsers, startHonestUsers } from './honest-users.js';
import { residentMb } from './resident-memory.js';
import { fillSessions } from './session-rows.js';

/** Of a phase; two phases of each sort make one figure. */
const ENOUGH: Record<HonestKind, number> = { command: 150, push: 150, list: 300 };
const PHASE_MAX_MS = 45_000;
const WARM_UP_MS = 5_000;
const MEMORY_EVERY_MS = 200;
/** The garbage collector removes what an attack left behind some ten seconds after it. */
const AFTERMATH_MS = 15_000;
const RECOVERY_MAX_MS = 60_000;
const P99_MAX = 2;
const MEMORY_MAX = 1.2;

/** Runs the benchmark. `--attack NAME`, as often as wanted, runs only these. */
export async function benchUnderAttack(args: readonly string[] = []): Promise<void> {
  const { attack: wanted = [] } = parseArgs({
    args: [...args],
    options: { attack: { type: 'string', multiple: true } },
  }).values;
  const unknown = wanted.filter((name) => !(name in ATTACKS));
  if (unknown.length > 0)
    throw new Error(`no attack named ${unknown.join(', ')}; there are: ${Object.keys(ATTACKS).join(', ')}`);
  for (const [name, attack] of Object.entries(ATTACKS)) {
    if (wanted.length === 0 || wanted.includes(name)) await measure(name, attack);
  }
}

/** Each attack has a world of its own: what one leaves behind must not be another's. */
async function measure(name: string, attack: NamedAttack): Promise<void> {
  const world = await createWorld();
  try {
    const stranger = await addStranger(world);
    if (attack.sessions !== undefined) await addSessions(world, { stranger, sessions: attack.sessions });
    const users = await startHonestUsers(world);
    await measureIn({ world, users, name, attack, stranger });
    users.close();
  } finally {
    await world.close();
  }
}

async function addSessions(
  world: World,
  { stranger, sessions }: { stranger: Stranger; sessions: number },
): Promise<void> {
  const { account_id, lot_id, gateway } = stranger;
  await world.stopCloud();
  fillSessions(join(world.dataDir, 'cloud', 'cloud.db'), {
    sessions,
    account: account_id,
    lot: String(lot_id),
    zone: String(gateway.zone_id),
    tariff: '1',
  });
  await world.startCloud();
  await world.settled();
}

async function measureIn(of: {
  world: World;
  users: HonestUsers;
  name: string;
  attack: NamedAttack;
  stranger: Stranger;
}): Promise<void> {
  const { world, users, name, attack, stranger } = of;
  const attacker = fork(new URL('./attacker.js', import.meta.url));
  const order = (what: AttackerOrder) => {
    const answer = answerOf<AttackCounts>(attacker);
    attacker.send(what);
    return answer;
  };
  const target = targetOf(world, stranger);
  const memory = watchMemory(attack.against === 'cloud' ? world.cloudPid() : world.agentPid());
  try {
    await users.work(after(WARM_UP_MS));
    const quiet = [await phase(users)];
    const beforeMb = memory.drain().median;
    const attacked: Phase[] = [];
    const counts: AttackCounts[] = [];
    for (let turn = 0; turn < 2; turn++) {
      await order({ attack: name, target });
      attacked.push(await phase(users));
      counts.push(await order('end'));
      await recovered(users, name);
      if (turn === 0) quiet.push(await phase(users));
    }
    const peakMb = memory.drain().max;
    await users.work(after(AFTERMATH_MS));
    memory.drain();
    const aftermath = await phase(users);
    const afterMb = memory.drain().median;
    report({ name, quiet: [...quiet, aftermath], attacked, counts });
    printFigure({
      what: `${name}: memory of the ${attack.against} afterwards, at its peak ${peakMb.toFixed(0)} MB`,
      measured: `${afterMb.toFixed(0)} MB`,
      reference: `before ${beforeMb.toFixed(0)} MB`,
      ratio: afterMb / beforeMb,
      reach: MEMORY_MAX,
    });
  } finally {
    memory.close();
    attacker.disconnect();
  }
}

type Phase = Awaited<ReturnType<HonestUsers['work']>>;

const after = (ms: number) => {
  const endMs = performance.now() + ms;
  return () => performance.now() > endMs;
};

function phase(users: HonestUsers): Promise<Phase> {
  const isLate = after(PHASE_MAX_MS);
  return users.work((samples) => isLate() || HONEST_KINDS.every((kind) => samples[kind].length >= ENOUGH[kind]));
}

/** After an attack, honest users are answered again before the next phase begins. A product that stays out of service is a figure too. */
async function recovered(users: HonestUsers, name: string): Promise<void> {
  const isLate = after(RECOVERY_MAX_MS);
  while ((await users.work(after(1_000))).failures.size > 0) {
    if (!isLate()) continue;
    console.log(`${name}: honest users are not served again within ${RECOVERY_MAX_MS / 1_000} s  MISSED`);
    return;
  }
}

function report(of: { name: string; quiet: Phase[]; attacked: Phase[]; counts: AttackCounts[] }): void {
  for (const [index, counts] of of.counts.entries()) {
    console.log(`${of.name}: the attack's turn ${index + 1} ${JSON.stringify(counts)}`);
  }
  const failures = of.attacked.flatMap(({ failures: found }) => [...found]).map(([what, count]) => `${count} ${what}`);
  if (failures.length > 0) console.log(`${of.name}: honest users who failed: ${failures.join(', ')}`);
  for (const kind of HONEST_KINDS) {
    const [attacked, quiet] = [of.attacked, of.quiet].map((phases) => phases.flatMap(({ samples }) => samples[kind]));
    for (const [quantileName, share, reach] of [
      ['p50', 0.5, null],
      ['p99', 0.99, P99_MAX],
    ] as const) {
      const measured = quantile(attacked ?? [], share);
      const reference = quantile(quiet ?? [], share);
      printFigure({
        what: `${of.name}: ${kind} ${quantileName}`,
        measured: `${measured.toFixed(1)} ms`,
        reference: `quiet ${reference.toFixed(1)} ms`,
        ratio: measured / reference,
        reach,
      });
    }
  }
}

/** The resident memory of a process, in megabytes, looked at again and again. */
function watchMemory(pid: number) {
  let looks: number[] = [];
  const timer = setInterval(() => looks.push(residentMb(pid)), MEMORY_EVERY_MS);
  return {
    /** What was seen since the last time. */
    drain() {
      const seen = { median: quantile(looks, 0.5), max: Math.max(...looks) };
      looks = [];
      return seen;
    },
    close: () => clearInterval(timer),
  };
}
