/** Every attack that was made on the product, against the real programs: honest users are served, nothing breaks, and nothing is left behind. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type AttackCounts, PROXY_ADDRESS } from '../attack/attack.js';
import { ATTACKS } from '../attack/attacks.js';
import { addStranger } from '../attack/stranger.js';
import { routeInWords, routeTo } from '../attack/own-network.js';
import { ATTACKED_WORLD, targetOf } from '../attack/target.js';
import type { AttackerOrder } from '../bench/attacker.js';
import { type Child, residentMb, startChild } from '../bench/harness.js';
import { HONEST_KINDS, type HonestUsers, type Samples, startHonestUsers } from '../bench/honest-users.js';
import { fillSessions } from '../bench/session-rows.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';
import { createWorld, type World } from '../world/world.js';
import { longRuns } from '../depth.js';
import { SEED } from '../seed.js';

/** Answers of each kind that honest users get, or wait for in vain, while an attack goes on. */
const ANSWERS = longRuns(10);
const SESSIONS = longRuns(30_000);
/** What processes may grow by, once they have been under every kind of load: megabytes. */
const GROWTH_MB = 150;
const AGAIN_WITHIN_MS = 180_000;

let world: World;
let users: HonestUsers;
let attacker: Child<unknown>;
let order: (what: AttackerOrder) => Promise<AttackCounts>;
let target: ReturnType<typeof targetOf>;
let pids: Record<'cloud' | 'agent', number>;

beforeAll(async () => {
  world = await createWorld(ATTACKED_WORLD);
  const stranger = await addStranger(world);
  await world.stopCloud();
  fillSessions(databasePath(), {
    sessions: SESSIONS,
    account: stranger.account_id,
    lot: String(stranger.lot_id),
    zone: String(stranger.gateway.zone_id),
    tariff: '1',
  });
  await world.startCloud();
  await world.settled();
  users = await startHonestUsers(world);
  target = targetOf(world, stranger);
  pids = { cloud: world.cloudPid(), agent: world.agentPid() };
  attacker = await startChild('attacker.js', [], { env: { ...process.env, TEST_SEED: String(SEED) } });
  process.stdout.write(`${routeInWords(routeTo('agent'))}\n`);
  order = (what) => attacker.ask<AttackCounts>(what, AGAIN_WITHIN_MS);
  await users.work(served);
});

afterAll(async () => {
  attacker.kill();
  users.close();
  await world.close();
});

const databasePath = () => join(world.dataDir, 'cloud', 'cloud.db');
const served = (samples: Samples) => HONEST_KINDS.every((kind) => samples[kind].length >= ANSWERS);

const attacks = Object.entries(ATTACKS).map(([name, { against }]) => [against, name] as const);

describe.each(attacks)('under the attack on the %s: %s', (against, name) => {
  afterEach(() => order('end').catch(() => {}));

  it('honest users are not told that the service is at fault, and it leaves nothing behind', async () => {
    const beforeMb = residentMb(pids[against]);
    await order({ attack: name, target });
    const { failures } = await users.work(served);
    const counts = await order('end');
    process.stdout.write(`${name}: ${JSON.stringify(counts)}, honest failures ${JSON.stringify([...failures])}\n`);
    expect([...failures.keys()].filter((what) => /answered 5\d\d/.test(what))).toEqual([]);
    expect({ cloud: world.cloudPid(), agent: world.agentPid() }, world.output().slice(-2_000)).toEqual(pids);

    const again = async () => {
      const after = await users.work(served);
      if (after.failures.size > 0) throw new Error(JSON.stringify([...after.failures]));
      return true;
    };
    await waitUntil('honest users to be served as before', again, AGAIN_WITHIN_MS);
    await waitUntil('no connection of the attacker to be left', () => connectionsFromAttacker() === 0, AGAIN_WITHIN_MS);
    await waitUntil('no picture to be left that nobody announced', () => orphans().length === 0, AGAIN_WITHIN_MS);
    await waitUntil(
      `the memory of the ${against} to be back at ${beforeMb.toFixed(0)} MB`,
      () => residentMb(pids[against]) < beforeMb + GROWTH_MB,
      AGAIN_WITHIN_MS,
    );
    const afterMb = residentMb(pids[against]);
    process.stdout.write(`${name}: memory of the ${against} ${(afterMb / beforeMb).toFixed(2)} times what it was\n`);
  });
});

/** The connections that servers hold with attackers, as the kernel lists them. */
function connectionsFromAttacker(): number {
  const TIME_WAIT = '06';
  const attackers = new Set([routeTo('cloud').from, routeTo('agent').from, PROXY_ADDRESS].map(asKernel));
  const lines = readFileSync('/proc/net/tcp', 'utf8').trim().split('\n').slice(1);
  return lines
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , remote = '', state]) => attackers.has(remote.split(':')[0] ?? '') && state !== TIME_WAIT).length;
}

/** `127.0.0.2` as /proc/net/tcp writes it: `0200007F`. */
const asKernel = (address: string): string =>
  Buffer.from(address.split('.').map(Number).toReversed()).toString('hex').toUpperCase();

/** Files of pictures without a row, and bytes of pictures without a file. */
function orphans(): string[] {
  const folder = join(world.dataDir, 'cloud', 'images');
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const files = paths
    .map((path) => /(?:^|\/)([0-9a-f-]{36})(?:\.thumbnail)?\.jpg$/.exec(path)?.[1])
    .filter((uid) => uid !== undefined);
  const bytes = paths.filter((path) => /\/[0-9a-f]{64}\.jpg$/.test(path));
  const unnamed = bytes.filter((path) => statSync(join(folder, path), { throwIfNoEntry: false })?.nlink === 1);
  const db = new Database(databasePath(), { readonly: true });
  try {
    const find = db.prepare('select 1 from images where uid = ?');
    return [...unnamed, ...files.filter((uid) => find.get(uid) === undefined)];
  } finally {
    db.close();
  }
}
