import { beforeEach, describe, expect, it } from 'vitest';
import {
  createLocalOperations,
  type LocalOperations,
  type WaitingVehicle,
} from '../../../agent/command/local-operations.js';
import type { HandledItem } from '../../../shared/gateway-config.js';
import type { EventId, ProductDeviceId } from '../../../shared/ids.js';
import { createOpenSessions } from '../../../agent/access/open-sessions.js';
import { silentLogger } from '../../../shared/logger.js';
import { FakeClock } from '../../world/fake-clock.js';
import { camera, JAMMED, SUCCEEDED, TestCommander, uidOf } from '../lpr/plate-world.js';
import { BARRIER, GATE, productItem } from '../product/product-item.js';

const ASKING = { by: 'console', address: '192.168.1.20' } as const;
const UNPAIRED = 'a4c138000009' as ProductDeviceId;
const MINUTE_MS = 60_000;

let clock: FakeClock;
let commander: TestCommander;
let notified: unknown[];
let sighted: WaitingVehicle | null;
let handled: Map<string, HandledItem>;
let operations: LocalOperations;

beforeEach(() => {
  clock = new FakeClock();
  commander = new TestCommander([]);
  notified = [];
  sighted = null;
  handled = new Map();
  const more = Array.from({ length: 9 }, (_, index) => productItem(`a4c1380001${index}0` as ProductDeviceId));
  const products = [productItem(BARRIER), productItem(GATE), { ...productItem(UNPAIRED), pairing: null }, ...more];
  operations = createLocalOperations({
    product: (deviceId) => products.find(({ device_id }) => device_id === deviceId),
    vehicle: () => sighted,
    handled: {
      of: (uid) => handled.get(uid) ?? null,
      noteLetIn: (uid, at_ms) => void handled.set(uid, { how: 'let_in', by: 'North', at_ms }),
    },
    sessions: createOpenSessions(),
    store: { keepIntent: async () => {} },
    logger: silentLogger,
    commander,
    actions: { note: async (action, of, at_ms) => void notified.push({ action, ...of, at_ms }) },
    clock,
    newEventId: () => 'deadbeef' as EventId,
  });
});

describe('an operation at the gateway itself', () => {
  it('is done with its own credentials, and told with its outcome', async () => {
    expect(await operations.operate(BARRIER, 'stay_open', ASKING)).toEqual({
      is_done: true,
      type: null,
      problem: null,
    });
    expect(commander.commands).toMatchObject([{ device_id: BARRIER, command: { name: 'stay_open' } }]);
    expect(commander.commands[0]).not.toHaveProperty('credentials');
    expect(notified).toMatchObject([
      { action: 'operation', ...ASKING, operation: 'stay_open', event_id: 'deadbeef', outcome: 'succeeded' },
    ]);
  });

  it('says why it is not done', async () => {
    commander.answer = JAMMED;
    expect(await operations.operate(BARRIER, 'open', ASKING)).toEqual({
      is_done: false,
      type: expect.any(Number),
      problem: expect.any(String),
    });
    expect(notified).toMatchObject([{ outcome: 'failed', gateway_error_type: 5 }]);
  });

  it('is tried again while only the link fails, as the same one', async () => {
    commander.answer = { outcome: 'failed', type: 4, authenticated: false };
    const done = operations.operate(BARRIER, 'open', ASKING);
    await clock.advance(600);
    commander.answer = SUCCEEDED;
    await clock.advance(600);
    expect(await done).toEqual({ is_done: true, type: null, problem: null });
    expect(new Set(commander.commands.map(({ event_id }) => event_id)).size).toBe(1);
    expect(notified).toHaveLength(1);
  });

  it('is refused where there is no such product, and where it is not paired', async () => {
    expect(await operations.operate('ffffffffffff', 'open', ASKING)).toMatchObject({ status: 404 });
    expect(await operations.operate(UNPAIRED, 'open', ASKING)).toMatchObject({
      status: 409,
      message: expect.stringContaining('not paired'),
    });
    expect([commander.commands, notified]).toEqual([[], []]);
  });

  it('is one at a time for each product, and eight at once', async () => {
    commander.answer = null;
    const first = operations.operate(BARRIER, 'open', ASKING);
    expect(await operations.operate(BARRIER, 'close', ASKING)).toMatchObject({ status: 409 });
    const others = [0, 1, 2, 3, 4, 5, 6].map((index) => operations.operate(`a4c1380001${index}0`, 'open', ASKING));
    expect(await operations.operate(GATE, 'open', ASKING)).toMatchObject({ status: 429, retryAfterS: 5 });
    for (let reply = 0; reply < 8; reply++) commander.reply(SUCCEEDED);
    await Promise.all([first, ...others]);
    commander.answer = SUCCEEDED;
    expect(await operations.operate(GATE, 'open', ASKING)).toMatchObject({ is_done: true });
  });

  it('is broken off and told when the gateway stops', async () => {
    commander.answer = null;
    const running = operations.operate(BARRIER, 'open', ASKING);
    await operations.close();
    expect(await running).toMatchObject({ is_done: false });
    expect(notified).toMatchObject([{ outcome: 'failed' }]);
  });
});

describe('a vehicle without a plate', () => {
  const seen = (change: Partial<WaitingVehicle> = {}): WaitingVehicle => ({
    uid: uidOf(7),
    decided: null,
    direction: 'in',
    event_ms: 0,
    camera: camera('cam-in', { product_device_id: BARRIER }),
    age_ms: MINUTE_MS,
    ...change,
  });

  it('is let in by the product of its camera, once', async () => {
    sighted = seen();
    expect(await operations.letIn(uidOf(7), ASKING)).toEqual({ is_done: true, type: null, problem: null });
    expect(commander.commands).toMatchObject([{ device_id: BARRIER, command: { name: 'open' } }]);
    expect(notified).toMatchObject([
      { action: 'let_in', sighting_uid: uidOf(7), operation: 'open', outcome: 'succeeded' },
    ]);
    expect(await operations.letIn(uidOf(7), ASKING)).toMatchObject({
      status: 409,
      message: 'The vehicle was let in already by North',
    });
    expect(commander.commands).toHaveLength(1);
  });

  it('is not let in once more while it is, nor when the cloud did that; one that was passed over is let in', async () => {
    sighted = seen();
    commander.answer = null;
    const first = operations.letIn(uidOf(7), ASKING);
    expect(await operations.letIn(uidOf(7), ASKING)).toMatchObject({ status: 409 });
    commander.reply(JAMMED);
    expect(await first).toMatchObject({ is_done: false });
    commander.answer = SUCCEEDED;
    handled.set(uidOf(7), { how: 'let_in', by: 'Ana', at_ms: 0 });
    expect(await operations.letIn(uidOf(7), ASKING)).toMatchObject({
      status: 409,
      message: 'The vehicle was let in already by Ana',
    });
    handled.set(uidOf(7), { how: 'ignored', by: 'Ana', at_ms: 0 });
    expect(await operations.letIn(uidOf(7), ASKING)).toMatchObject({ is_done: true });
  });

  it('may be a refused one, which is told as a reading', async () => {
    sighted = seen({ decided: { plate: 'ZG1234AB' } });
    expect(await operations.letIn(uidOf(7), ASKING)).toMatchObject({ is_done: true });
    expect(notified).toMatchObject([{ action: 'let_in', sighting_uid: null, reading_uid: uidOf(7) }]);
    expect(handled.get(uidOf(7))).toMatchObject({ how: 'let_in' });
  });

  it('may be tried again where the product did not open', async () => {
    sighted = seen();
    commander.answer = JAMMED;
    expect(await operations.letIn(uidOf(7), ASKING)).toMatchObject({ is_done: false });
    commander.answer = SUCCEEDED;
    expect(await operations.letIn(uidOf(7), ASKING)).toMatchObject({ is_done: true });
  });

  it('is not let in ten minutes later, nor where nobody knows it, nor where its camera opens nothing', async () => {
    expect(await operations.letIn(uidOf(7), ASKING)).toMatchObject({ status: 404 });
    sighted = seen({ age_ms: 10 * MINUTE_MS + 1 });
    expect(await operations.letIn(uidOf(7), ASKING)).toMatchObject({ status: 409 });
    sighted = seen({ age_ms: Infinity });
    expect(await operations.letIn(uidOf(7), ASKING)).toMatchObject({ status: 409 });
    sighted = seen({ camera: camera('cam-in', { product_device_id: null }) });
    expect(await operations.letIn(uidOf(7), ASKING)).toMatchObject({ status: 409 });
    sighted = seen({ camera: camera('cam-in', { product_device_id: UNPAIRED }) });
    expect(await operations.letIn(uidOf(7), ASKING)).toMatchObject({ status: 409 });
    expect([commander.commands, notified]).toEqual([[], []]);
  });
});
