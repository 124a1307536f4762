/** A person lets a vehicle out at an exit that had refused it, at the gateway itself. */
import { beforeEach, expect, it } from 'vitest';
import { createOpenSessions, type OpenSessions } from '../../../agent/access/open-sessions.js';
import {
  createLocalOperations,
  type LocalOperations,
  type WaitingVehicle,
} from '../../../agent/command/local-operations.js';
import type { OpeningIntent } from '../../../agent/store/agent-store.js';
import type { HandledItem } from '../../../shared/gateway-config.js';
import type { EventId } from '../../../shared/ids.js';
import { silentLogger } from '../../../shared/logger.js';
import { FakeClock } from '../../world/fake-clock.js';
import { camera, JAMMED, SUCCEEDED, TestCommander, uidOf } from '../lpr/plate-world.js';
import { GATE, productItem } from '../product/product-item.js';

const ASKING = { by: 'console', address: '192.168.1.20' } as const;
const DONE = { is_done: true, type: null, problem: null };
const READ = uidOf(7);
const STAY = uidOf(20);
const HOUR_MS = 3_600_000;

let clock: FakeClock;
let commander: TestCommander;
let sessions: OpenSessions;
let handled: Map<string, HandledItem>;
let notified: { action: string; outcome?: unknown; reading_uid?: unknown; ended: unknown }[];
let intents: OpeningIntent[];
let isBroken: boolean;
let vehicle: WaitingVehicle;
let operations: LocalOperations;

beforeEach(() => {
  clock = new FakeClock();
  commander = new TestCommander([]);
  sessions = createOpenSessions();
  handled = new Map();
  notified = [];
  intents = [];
  isBroken = false;
  vehicle = {
    uid: READ,
    decided: { plate: 'ZG 1234-AB' },
    direction: 'out',
    event_ms: clock.now() - 60_000.4,
    age_ms: 60_000,
    camera: camera('cam-out', { product_device_id: GATE }),
  };
  operations = createLocalOperations({
    product: () => productItem(GATE),
    vehicle: () => vehicle,
    handled: {
      of: (uid) => handled.get(uid) ?? null,
      noteLetIn: (uid, at_ms) => void handled.set(uid, { how: 'let_in', by: 'South', at_ms }),
    },
    sessions,
    store: {
      async keepIntent(intent) {
        if (isBroken) throw new Error('the disk is full');
        intents.push(intent);
      },
    },
    commander,
    actions: { note: async (action, of, _at, ended) => void notified.push({ action, ...of, ended }) },
    clock,
    newEventId: () => 'deadbeef' as EventId,
    logger: silentLogger,
  });
});

const begin = (plate: string, agoMs = HOUR_MS) =>
  sessions.change({
    uid: STAY,
    plate,
    zone_id: 5,
    began_ms: clock.now() - agoMs,
    ended_ms: null,
    ended_by_look_alike: false,
  });
const letOut = () => operations.letIn(READ, ASKING);

it('the product opens, and the stay ends as of the read', async () => {
  begin('ZG1234AB');
  expect(await letOut()).toEqual({ ...DONE, stay: 'ended' });
  expect(commander.commands).toMatchObject([{ device_id: GATE, command: { name: 'open' } }]);
  expect(sessions.size).toBe(0);
  const ended = { uid: STAY, ended_ms: clock.now() - 60_000, ended_by_look_alike: false };
  expect(notified).toMatchObject([{ reading_uid: READ, outcome: 'succeeded', ended: [ended] }]);
});

it.each([
  ['the only one that looks like it', 'ZGI234A8', 'ended', true],
  ['none of another plate', 'RI777KK', 'unknown', false],
])('the stay that ends is %s', async (_, plate, stay, isAlike) => {
  begin(plate);
  expect(await letOut()).toEqual({ ...DONE, stay });
  expect(sessions.size).toBe(stay === 'ended' ? 0 : 1);
  expect(notified[0]?.ended).toMatchObject(isAlike ? [{ uid: STAY, ended_by_look_alike: true }] : []);
});

it('a stay that began after the read goes on', async () => {
  begin('ZG1234AB', 1_000);
  expect(await letOut()).toEqual({ ...DONE, stay: 'unknown' });
  expect(sessions.size).toBe(1);
});

it('a second try opens again, and ends nothing more', async () => {
  begin('ZG1234AB');
  await letOut();
  begin('ZG1234AB', 1_000);
  expect(await letOut()).toEqual({ ...DONE, stay: 'unknown' });
  expect([commander.commands.length, sessions.size]).toEqual([2, 1]);
});

it('a product that does not open ends no stay, and the vehicle waits', async () => {
  begin('ZG1234AB');
  commander.answer = JAMMED;
  expect(await letOut()).toMatchObject({ is_done: false, type: 5 });
  expect([sessions.size, handled.size, notified.length]).toEqual([1, 0, 1]);
  expect(notified).toMatchObject([{ outcome: 'failed', ended: [] }]);
});

it('two people at once open once', async () => {
  commander.answer = null;
  const first = letOut();
  expect(await letOut()).toMatchObject({ status: 409 });
  commander.reply(SUCCEEDED);
  expect(await first).toMatchObject({ is_done: true });
  expect([commander.commands.length, notified.length]).toEqual([1, 1]);
});

it('it is kept before the outcome, and no disk keeps the gate shut', async () => {
  commander.answer = null;
  const first = letOut();
  expect(intents).toEqual([{ reading_uid: READ, event_id: 'deadbeef', product_id: productItem(GATE).id }]);
  expect(commander.commands).toHaveLength(1);
  commander.reply(SUCCEEDED);
  await first;
  isBroken = true;
  commander.answer = SUCCEEDED;
  expect(await letOut()).toMatchObject({ is_done: true });
});

it('an entry is let in once, and ends no stay', async () => {
  begin('ZG1234AB');
  vehicle = { ...vehicle, direction: 'in' };
  expect(await letOut()).toEqual(DONE);
  expect(await letOut()).toMatchObject({ status: 409 });
  expect(sessions.size).toBe(1);
});
