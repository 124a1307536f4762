/** Commands of the cloud at the gateway: never late, never twice. */
import { describe, expect, it } from 'vitest';
import { createRemoteCommands } from '../../../agent/command/remote-commands.js';
import type { CommandOutcome, ProductCommand } from '../../../agent/product/product-commander.js';
import type { OutboxEntry } from '../../../agent/store/agent-store.js';
import type { EventId, ProductDeviceId } from '../../../shared/ids.js';
import { silentLogger } from '../../../shared/logger.js';
import type { StatusBlock } from '../../../shared/product-protocol/status-block.js';
import { type CommandMessage, commandMessageSchema } from '../../../shared/uplink-orders.js';
import { recordPayloadSchema } from '../../../shared/uplink.js';
import { FakeClock, settle } from '../../world/fake-clock.js';
import { warningsDuring } from '../../world/warnings-during.js';
import { JAMMED, SUCCEEDED, TestCommander, uidOf } from '../lpr/plate-world.js';

const text = (length: number) => 'A'.repeat(length);
const CREDENTIAL = { token: text(43), status_key: text(22), challenge_key: text(43) };
const CLOUD_AHEAD_MS = 3_600_000;

function remoteWorld(options: { cloudOffsetMs?: number | null } = {}) {
  const clock = new FakeClock();
  const calls: string[] = [];
  const commander = new TestCommander(calls);
  const kept: OutboxEntry[] = [];
  const committed: number[] = [];
  const disk = { isFull: false };
  const { cloudOffsetMs = clock.now() + CLOUD_AHEAD_MS } = options;
  let made = 0;
  const remote = createRemoteCommands(
    {
      store: {
        append(entry) {
          if (disk.isFull) return Promise.reject(new Error('the disk is full'));
          return Promise.resolve(kept.push(entry));
        },
      },
      clock,
      cloudOffsetMs: () => cloudOffsetMs,
      stamp: () => ({ uid: uidOf((made += 1)), mono_ms: clock.monotonic(), wall_ms: clock.now(), clock_ok: true }),
      logger: silentLogger,
      onCommitted: (lane) => committed.push(lane),
    },
    commander,
  );
  return {
    clock,
    commander,
    remote,
    committed,
    disk,
    kept,
    /** Results as they travel. */
    results: () => kept.map(({ lane, payload }) => ({ lane, ...recordPayloadSchema.parse(payload) })),
    cloudNow: () => clock.monotonic() + (cloudOffsetMs ?? 0),
    message(change: Partial<CommandMessage> = {}): CommandMessage {
      return commandMessageSchema.parse({
        event_id: 'deadbeef',
        product_id: 7,
        device_id: 'a4c138000001',
        command: { name: 'close' },
        credential: CREDENTIAL,
        set_time_credential: CREDENTIAL,
        deadline_ms: clock.monotonic() + (cloudOffsetMs ?? 0) + 30_000,
        ...change,
      });
    },
  };
}
const LINK_FAILURE: CommandOutcome = { outcome: 'failed', type: 4, authenticated: false };
const blockOf = (outcome: CommandOutcome): StatusBlock => {
  if (outcome.outcome === 'failed' && !outcome.authenticated) throw new Error('there is none');
  return outcome.block;
};
const BUSY: CommandOutcome = {
  outcome: 'failed',
  type: 10,
  authenticated: true,
  block: { ...blockOf(SUCCEEDED), state: 'moving' },
};

describe('a command of the cloud', () => {
  it('is given at once, with its own credentials and the deadline on the own clock', async () => {
    const world = remoteWorld();
    await world.clock.advance(5_000);
    world.remote.handle(world.message({ command: { name: 'autoclose', on: true, seconds: 9 }, has_others: true }));
    expect(world.commander.commands).toEqual([
      {
        device_id: 'a4c138000001' as ProductDeviceId,
        event_id: 'deadbeef' as EventId,
        command: { name: 'autoclose', on: true, seconds: 9 },
        deadline_mono_ms: 35_000,
        credentials: { command: expect.anything(), set_time: expect.anything() },
        can_hand_over: true,
      } satisfies ProductCommand,
    ]);
    await settle();
    expect(world.results()).toEqual([
      {
        lane: 0,
        kind: 'command_result',
        event_id: 'deadbeef',
        product_id: 7,
        outcome: 'succeeded',
        gateway_error_type: null,
        authenticated: true,
        refused_late: false,
        status: {
          state: 'opened',
          permanent_position: 'disabled',
          is_car_on_top: false,
          is_autoclose: false,
          autoclose_time: 10,
          battery_status: 80,
          errors: 0,
        },
      },
    ]);
    expect(world.committed).toEqual([0]);
  });

  it('waits at twenty products at once, and nothing looks like a leak', async () => {
    const world = remoteWorld();
    world.commander.answer = null;
    const warnings = await warningsDuring(async () => {
      for (let nth = 0; nth < 20; nth++) {
        const mark = (nth + 16).toString(16);
        world.remote.handle(
          world.message({ event_id: `0000ab${mark}` as EventId, device_id: `a4c1380001${mark}` as ProductDeviceId }),
        );
      }
      await settle();
      await world.remote.close();
    });
    expect(world.results()).toHaveLength(20);
    expect(warnings).toEqual([]);
  });

  it.each([
    ['the product', JAMMED, { gateway_error_type: 5, authenticated: true, status: { state: 'opened' } }],
    ['the link', LINK_FAILURE, { gateway_error_type: 4, authenticated: false, status: null }],
    ['a product that moves', BUSY, { gateway_error_type: 10, authenticated: true, status: null }],
  ])('tells what %s refused', async (_who, outcome, sent) => {
    const world = remoteWorld();
    world.commander.answer = outcome;
    world.remote.handle(world.message());
    await settle();
    expect(world.results()).toMatchObject([{ outcome: 'failed', refused_late: false, ...sent }]);
  });

  it.each([
    ['its deadline is now', 0, undefined],
    ['its deadline is long over', -86_400_000, undefined],
    ['the cloud never told its time', 30_000, null],
  ])('moves nothing when %s', async (_when, leftMs, cloudOffsetMs) => {
    const world = remoteWorld(cloudOffsetMs === undefined ? {} : { cloudOffsetMs });
    world.remote.handle(world.message({ deadline_ms: Math.max(0, world.cloudNow() + leftMs) }));
    await settle();
    expect(world.commander.commands).toEqual([]);
    expect(world.results()).toMatchObject([
      { outcome: 'failed', refused_late: true, authenticated: false, status: null },
    ]);
  });

  it.each([
    ['the link failed before', 29_900, LINK_FAILURE, 1],
    ['its time ran out, and that is all', 30_000, LINK_FAILURE, 0],
    ['its time ran out by the timer, a moment early', 29_999, LINK_FAILURE, 0],
    ['the product itself says so late', 40_000, JAMMED, 1],
    ['the product did it late', 40_000, SUCCEEDED, 1],
  ])('has a result of its own unless only its time ran out: %s', async (_when, atMs, outcome, results) => {
    const world = remoteWorld();
    world.commander.answer = null;
    const message = world.message();
    world.remote.handle(message);
    await world.clock.advance(atMs);
    world.commander.reply(outcome);
    await settle();
    expect(world.results()).toHaveLength(results);
    // Asked again, it has not forgotten, and does nothing.
    world.remote.handle(message);
    await settle();
    expect([world.commander.commands.length, world.results().length]).toEqual([1, 2 * results]);
  });

  it('is judged by the connection, not by a wall clock that jumps', async () => {
    const world = remoteWorld();
    const message = world.message();
    world.clock.jumpWall(10 * 365 * 86_400_000);
    world.remote.handle(message);
    await world.clock.advance(30_000);
    world.clock.jumpWall(-20 * 365 * 86_400_000);
    world.remote.handle({ ...message, event_id: 'deadbee5' as EventId });
    await settle();
    expect(world.results().map((each) => each.kind === 'command_result' && each.refused_late)).toEqual([false, true]);
  });

  it('is not done again when it comes again: while it runs there is one answer, afterwards the same one', async () => {
    const world = remoteWorld();
    world.commander.answer = null;
    world.remote.handle(world.message());
    world.remote.handle(world.message());
    expect(world.commander.commands).toHaveLength(1);
    world.commander.reply(JAMMED);
    await settle();
    expect(world.results()).toHaveLength(1);
    await world.clock.advance(60_000);
    world.remote.handle(world.message());
    await settle();
    expect(world.commander.commands).toHaveLength(1);
    const [first, again] = world.results();
    expect(again).toEqual(first);
    expect(new Set(world.kept.map(({ uid }) => uid)).size).toBe(2);
  });

  it('with credentials that cannot be read is refused as the product would', async () => {
    const world = remoteWorld();
    world.remote.handle(world.message({ credential: { ...CREDENTIAL, token: 'short' } }));
    await settle();
    expect(world.commander.commands).toEqual([]);
    expect(world.results()).toMatchObject([{ gateway_error_type: 1, authenticated: false }]);
  });

  it('whose result cannot be kept does not stop the others', async () => {
    const world = remoteWorld();
    world.disk.isFull = true;
    world.remote.handle(world.message());
    await settle();
    world.disk.isFull = false;
    world.remote.handle(world.message());
    await settle();
    expect(world.commander.commands).toHaveLength(1);
    expect(world.results()).toMatchObject([{ outcome: 'succeeded' }]);
  });

  it('is broken off when the gateway stops, and its result is kept', async () => {
    const world = remoteWorld();
    world.commander.answer = null;
    world.remote.handle(world.message());
    await world.remote.close();
    expect(world.results()).toMatchObject([{ outcome: 'failed', gateway_error_type: 2, authenticated: false }]);
  });
});
