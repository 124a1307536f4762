import { describe, expect, it } from 'vitest';
import { decodeChallenge, decodeRefuse } from '../../../shared/product-protocol/message-codec.js';
import { nextProductDeadlineMs } from '../../sim/products/firmware/product-machine.js';
import { blockOf, createWorld, give, giveMessage, pass, resultOf, run, type World } from './exchange-world.js';
import { mint, NOW_S } from './protocol-fixture.js';

const HOUR_S = 3_600;

function clockOf(world: World): { rtcS: number; rtcValid: boolean } {
  give(world, { type: 'linkOpened' });
  const challenge = decodeChallenge(giveMessage(world, Uint8Array.of(1, 1, 1))[0]!);
  give(world, { type: 'linkClosed' });
  if (challenge === null) throw new Error('no CHALLENGE');
  return { rtcS: challenge.rtcS, rtcValid: challenge.flags.rtcValid };
}

const setTime = (world: World, timeS: number, grant: Parameters<typeof mint>[0] = {}) =>
  resultOf(run(world, { command: { name: 'set_time', timeS }, credential: mint({ op: 'status', ...grant }) }));

describe('a valid clock', () => {
  it('runs, and is told in CHALLENGE and REFUSE', () => {
    const world = createWorld();
    world.nowMs = 61_999;
    expect(clockOf(world)).toEqual({ rtcS: NOW_S + 61, rtcValid: true });
    give(world, { type: 'linkOpened' });
    expect(decodeRefuse(giveMessage(world, Uint8Array.of(9))[0]!)).toEqual({ type: 0, rtcS: NOW_S + 61 });
  });

  it.each([
    { by: 20, set: 20 },
    { by: -20, set: -20 },
    { by: 900, set: 900 },
    { by: 901, set: 900 },
    { by: 86_400, set: 900 },
    { by: -86_400, set: -900 },
  ])('set $by s away moves by $set s', ({ by, set }) => {
    const world = createWorld();
    expect(setTime(world, NOW_S + by)).toBe('ok');
    expect(clockOf(world).rtcS).toBe(NOW_S + set);
  });

  it('that is set back leaves the floor where it was', () => {
    const world = createWorld();
    setTime(world, NOW_S - 600);
    give(world, { type: 'rtcChanged', timeS: null });
    expect(clockOf(world).rtcS).toBe(NOW_S);
  });

  it('refuses a token whose window is not now, whatever time it brings', () => {
    const world = createWorld();
    expect(setTime(world, NOW_S + 20, { notBeforeS: NOW_S + 10 })).toBe('error 1');
    expect(setTime(world, NOW_S - 20, { expiresS: NOW_S })).toBe('error 1');
    expect(clockOf(world).rtcS).toBe(NOW_S);
  });
});

describe('a clock that lost the time', () => {
  /** Stored an hour after its start, then lost. */
  function lost(): World {
    const world = createWorld();
    pass(world, 0);
    pass(world, HOUR_S * 1_000);
    pass(world, 600_000);
    give(world, { type: 'rtcChanged', timeS: null });
    return world;
  }
  const floorS = NOW_S + HOUR_S;

  it('lets nothing move, answers questions, and tells the highest time it stored', () => {
    const world = lost();
    expect(clockOf(world)).toEqual({ rtcS: floorS, rtcValid: false });
    expect(resultOf(run(world, { command: { name: 'open' } }))).toBe('error 9');
    expect(resultOf(run(world, { command: { name: 'status' }, credential: mint({ op: 'status', expiresS: 5 }) }))).toBe(
      'ok',
    );
    expect(world.motor).toEqual([]);
  });

  it('is set within the window of the token, after which the command is obeyed', () => {
    const world = lost();
    const timeS = floorS + 86_400;
    expect(setTime(world, timeS, { notBeforeS: floorS, expiresS: timeS + 1 })).toBe('ok');
    expect(clockOf(world)).toEqual({ rtcS: timeS, rtcValid: true });
    expect(resultOf(run(world, { command: { name: 'open' } }))).toBe('ok');
  });

  it.each([
    { what: 'below the floor', timeS: floorS - 1, grant: {} },
    { what: 'before the window', timeS: floorS + 99, grant: { notBeforeS: floorS + 100 } },
    { what: 'after the window', timeS: floorS + 100, grant: { expiresS: floorS + 100 } },
  ])('is not set $what', ({ timeS, grant }) => {
    const world = lost();
    expect(setTime(world, timeS, grant)).toBe('error 1');
    expect(clockOf(world).rtcValid).toBe(false);
  });

  it('is set to the floor itself, also by the installer, never by a guest', () => {
    const world = lost();
    expect(setTime(world, floorS, { slot: 16 })).toBe('error 1');
    expect(setTime(world, floorS, { slot: 17 })).toBe('ok');
  });

  it('keeps the floor at what was set, if that was higher', () => {
    const world = lost();
    setTime(world, floorS + 500);
    give(world, { type: 'rtcChanged', timeS: null });
    expect(setTime(world, floorS + 499)).toBe('error 1');
    give(world, { type: 'rtcChanged', timeS: floorS + 10_000 });
    give(world, { type: 'rtcChanged', timeS: null });
    expect(clockOf(world).rtcS).toBe(floorS + 10_000);
  });
});

describe('the last second of the format', () => {
  it('is where the clock stands still, rather than start again', () => {
    const world = createWorld({ rtcS: 0xffffffff - 1 });
    pass(world, 5_000);
    expect(clockOf(world).rtcS).toBe(0xffffffff);
    expect(nextProductDeadlineMs(world.product)).toBeNull();
  });
});

describe('windows', () => {
  it('of tokens are checked against the clock, except for status', () => {
    const expired = { expiresS: NOW_S };
    const world = createWorld();
    expect(resultOf(run(world, { command: { name: 'open' }, credential: mint(expired) }))).toBe('error 1');
    const status = run(world, { command: { name: 'status' }, credential: mint({ op: 'status', ...expired }) });
    expect(blockOf(status).state).toBe('closed');
  });

  it('end between two attempts: a command that comes late moves nothing', () => {
    const world = createWorld();
    const credential = mint({ expiresS: NOW_S + 30 });
    world.nowMs = 30_000;
    expect(resultOf(run(world, { command: { name: 'open' }, credential }))).toBe('error 1');
    expect(world.motor).toEqual([]);
  });
});
