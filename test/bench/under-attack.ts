/**
 * What honest users notice of an attack, and what it leaves behind: quiet and attacked phases take turns, so that changes of the machine
 * affect both. The world is the real one; honest users and the attacker are processes of their own. Where the machine allows it, all of them
 * are in a network of their own, so that the gateway is attacked from another host of its LAN.
 */
import { spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { AttackCounts } from '../attack/attack.js';
import { ATTACKS, type NamedAttack } from '../attack/attacks.js';
import { addStranger, type Stranger } from '../attack/stranger.js';
import { inOwnNetwork, isInOwnNetwork, routeInWords, routeTo } from '../attack/own-network.js';
import { ATTACKED_WORLD, targetOf } from '../attack/target.js';
import { SEED } from '../seed.js';
import { createWorld, type World } from '../world/world.js';
import type { AttackerOrder } from './attacker.js';
import { amount, median, printFigure, quantile, residentMb, startChild } from './harness.js';
import { HONEST_KINDS, type HonestKind, type HonestUsers, startHonestUsers } from './honest-users.js';
import { fillEvents, fillSessions } from './session-rows.js';

/** As `main.ts` calls it. */
const NAME = 'under-attack';
/** Of a phase; two phases of each sort make one figure. */
const ENOUGH: Record<HonestKind, number> = { command: 150, push: 150, list: 300 };
const PHASE_SECONDS = 45;
const WARM_UP_MS = 5_000;
const MEMORY_EVERY_MS = 200;
/** The garbage collector removes what an attack left behind some ten seconds after it. */
const AFTERMATH_MS = 15_000;
/** An attacker that does not say what it did is at fault itself. */
const ATTACKER_ANSWERS_MS = 60_000;
const RECOVERY_MAX_MS = 60_000;
const P99_MAX = 2;
const MEMORY_MAX = 1.2;

/**
 * Runs the benchmark. `--attack NAME`, as often as wanted, runs only these; `--phase-seconds N` ends a phase earlier, with fewer samples,
 * for who wants all attacks within an hour.
 */
export async function benchUnderAttack(args: readonly string[] = []): Promise<void> {
  const { attack: wanted = [], 'phase-seconds': seconds = String(PHASE_SECONDS) } = parseArgs({
    args: [...args],
    options: { attack: { type: 'string', multiple: true }, 'phase-seconds': { type: 'string' } },
  }).values;
  if (!/^[1-9]\d{0,3}$/.test(seconds)) throw new Error(`--phase-seconds needs whole seconds, not ${seconds}`);
  const unknown = wanted.filter((name) => !(name in ATTACKS));
  if (unknown.length > 0)
    throw new Error(`no attack named ${unknown.join(', ')}; there are: ${Object.keys(ATTACKS).join(', ')}`);
  const command = isInOwnNetwork()
    ? null
    : inOwnNetwork([process.execPath, ...process.argv.slice(1, 2), NAME, ...args]);
  if (command !== null) return runToEnd(command);
  console.log(`attacks are drawn from TEST_SEED=${SEED}; ${routeInWords(routeTo('agent'))}`);
  for (const [name, attack] of Object.entries(ATTACKS)) {
    if (wanted.length === 0 || wanted.includes(name)) await measure(name, attack, Number(seconds) * 1_000);
  }
}

function runToEnd([program, ...args]: readonly [string, ...string[]]): Promise<void> {
  const child = spawn(program, args, { stdio: 'inherit', env: { ...process.env, TEST_SEED: String(SEED) } });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`the attacked network ended (${code})`))));
  });
}

/** Each attack has a world of its own: what one leaves behind must not be another's. */
async function measure(name: string, attack: NamedAttack, phaseMaxMs: number): Promise<void> {
  const world = await createWorld(ATTACKED_WORLD);
  try {
    const stranger = await addStranger(world);
    await addRows(world, { stranger, attack });
    const users = await startHonestUsers(world);
    await measureIn({ world, users, name, attack, stranger, phaseMaxMs });
    users.close();
  } finally {
    await world.close();
  }
}

async function addRows(world: World, { stranger, attack }: { stranger: Stranger; attack: NamedAttack }): Promise<void> {
  const { sessions, events } = attack;
  if (sessions === undefined && events === undefined) return;
  const { account_id, lot_id, gateway } = stranger;
  const path = join(world.dataDir, 'cloud', 'cloud.db');
  await world.stopCloud();
  if (sessions !== undefined) {
    fillSessions(path, {
      sessions,
      account: account_id,
      lot: String(lot_id),
      zone: String(gateway.zone_id),
      tariff: '1',
    });
  }
  if (events !== undefined) fillEvents(path, { account: account_id, lot: lot_id, events });
  await world.startCloud();
  await world.settled();
}

async function measureIn(of: {
  world: World;
  users: HonestUsers;
  name: string;
  attack: NamedAttack;
  stranger: Stranger;
  phaseMaxMs: number;
}): Promise<void> {
  const { world, users, name, attack, stranger } = of;
  const phase = () => phaseOf(users, of.phaseMaxMs);
  const attacker = await startChild('attacker.js', [], { env: { ...process.env, TEST_SEED: String(SEED) } });
  // An attacker has a machine of its own: what it needs itself must not be taken from those that it attacks.
  setPriority(attacker.pid, constants.priority.PRIORITY_LOW);
  const order = (what: AttackerOrder) => attacker.ask<AttackCounts>(what, ATTACKER_ANSWERS_MS);
  const target = targetOf(world, stranger);
  const memory = watchMemory(attack.against === 'cloud' ? world.cloudPid() : world.agentPid());
  try {
    await users.work(after(WARM_UP_MS));
    const quiet = [await phase()];
    const beforeMb = memory.drain().median;
    const attacked: Phase[] = [];
    const counts: AttackCounts[] = [];
    for (let turn = 0; turn < 2; turn++) {
      await order({ attack: name, target });
      attacked.push(await phase());
      counts.push(await order('end'));
      await recovered(users, name);
      if (turn === 0) quiet.push(await phase());
    }
    const peakMb = memory.drain().max;
    await users.work(after(AFTERMATH_MS));
    memory.drain();
    const aftermath = await phase();
    const afterMb = memory.drain().median;
    report({ name, quiet: [...quiet, aftermath], attacked, counts });
    printFigure(
      `${name}: memory of the ${attack.against} afterwards, at its peak ${peakMb.toFixed(0)} MB`,
      amount(afterMb, '{} MB'),
      amount(beforeMb, 'before {} MB'),
      MEMORY_MAX,
    );
  } finally {
    memory.close();
    // It may be too busy to notice that nobody listens any more.
    attacker.kill();
  }
}

type Phase = Awaited<ReturnType<HonestUsers['work']>>;

const after = (ms: number) => {
  const endMs = performance.now() + ms;
  return () => performance.now() > endMs;
};

function phaseOf(users: HonestUsers, maxMs: number): Promise<Phase> {
  const isLate = after(maxMs);
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
      printFigure(
        `${of.name}: ${kind} ${quantileName}`,
        amount(quantile(attacked ?? [], share), '{} ms', 1),
        amount(quantile(quiet ?? [], share), 'quiet {} ms', 1),
        reach,
      );
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
      const seen = { median: median(looks), max: Math.max(...looks) };
      looks = [];
      return seen;
    },
    close: () => clearInterval(timer),
  };
}
