import { describe, expect, it } from 'vitest';
import { encodeAdminRecord } from '../../../shared/product-protocol/admin-record.js';
import { decodeChallenge, decodeRefuse } from '../../../shared/product-protocol/message-codec.js';
import { NO_EXPIRY_S } from '../../../shared/product-protocol/token-codec.js';
import { nextProductDeadlineMs } from '../../../scripts/sim/products/firmware/product-machine.js';
import { powerUpProduct } from '../../../scripts/sim/products/firmware/product-state.js';
import {
  blockOf,
  createWorld,
  give,
  giveMessage,
  pass,
  resultOf,
  run,
  SENSORS_FREE,
  type World,
} from './exchange-world.js';
import { crypto, IDENTITY, KEYS, mint, NOW_S } from './protocol-fixture.js';

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

  it('leaves the floor where it was when it is set back', () => {
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

describe('the budget of set_time', () => {
  const powerCut = (world: World) => {
    const { memory, rtc } = world.product;
    world.product = powerUpProduct(crypto, { memory, rtc, sensors: SENSORS_FREE, nowMs: world.nowMs });
  };
  const offS = (world: World) => clockOf(world).rtcS - NOW_S - Math.floor(world.nowMs / 1_000);
  const passHours = (world: World, hours: number) => {
    for (let hour = 0; hour < hours; hour++) pass(world, HOUR_S * 1_000);
  };

  it('is 15 minutes for both directions together, whoever asks, and beyond it nothing moves', () => {
    const world = createWorld();
    expect(setTime(world, NOW_S + 400, { slot: 3 })).toBe('ok');
    expect(setTime(world, NOW_S, { slot: 4 })).toBe('ok');
    expect(setTime(world, NOW_S + 400)).toBe('ok');
    expect(offS(world)).toBe(100);
    expect(setTime(world, NOW_S + 400)).toBe('error 1');
    expect(setTime(world, NOW_S)).toBe('error 1');
    // The present time asks for nothing.
    expect(setTime(world, NOW_S + 100)).toBe('ok');
    expect(offS(world)).toBe(100);
  });

  it('is whole again when the clock was left alone for 24 h, and a power cut does not make it so sooner', () => {
    const world = createWorld();
    setTime(world, NOW_S - 900);
    passHours(world, 12);
    world.nowMs += 59 * 60_000;
    powerCut(world);
    world.nowMs += 30 * HOUR_S * 1_000;
    powerCut(world);
    passHours(world, 11);
    expect(setTime(world, clockOf(world).rtcS - 1)).toBe('error 1');
    passHours(world, 1);
    expect(setTime(world, clockOf(world).rtcS + 900)).toBe('ok');
    expect(offS(world)).toBe(0);
  });

  it('counts its 24 h from the last move', () => {
    const world = createWorld();
    setTime(world, NOW_S - 899);
    passHours(world, 23);
    setTime(world, clockOf(world).rtcS - 1);
    passHours(world, 23);
    expect(setTime(world, clockOf(world).rtcS - 1)).toBe('error 1');
    passHours(world, 1);
    expect(setTime(world, clockOf(world).rtcS - 1)).toBe('ok');
  });

  it('is not for the installer, and does not reach 15 minutes below the floor', () => {
    const world = createWorld();
    expect(setTime(world, NOW_S + 20, { slot: 17 })).toBe('error 1');
    give(world, { type: 'rtcChanged', timeS: NOW_S - 600 });
    expect(setTime(world, NOW_S - 1_500)).toBe('ok');
    expect(offS(world)).toBe(-900);
    expect(setTime(world, NOW_S - 1_000)).toBe('error 1');
  });
});

describe('a clock record of the cloud', () => {
  const clockRecord = (world: World, timeS: number, options: { serial?: number; nonce?: number } = {}) => {
    const nonce = options.nonce ?? world.product.clockNonces.at(-1)?.nonce ?? 0;
    const action = { kind: 'clock', timeS, nonce } as const;
    const record = { serial: options.serial ?? 1, action };
    return encodeAdminRecord(crypto, { adminKey: KEYS.admin, identity: IDENTITY, record });
  };
  let events = 0;
  const deliver = (world: World, record: Uint8Array, grant: Parameters<typeof mint>[0] = {}) =>
    resultOf(
      run(world, {
        command: { name: 'admin', record },
        // Its own token is over: the record speaks for itself.
        credential: mint({ op: 'status', slot: 3, expiresS: 1, ...grant }),
        eventId: (events++).toString(16).padStart(8, '0'),
      }),
    );
  const question = (world: World, slot = 3) =>
    resultOf(run(world, { command: { name: 'status' }, credential: mint({ op: 'status', slot, expiresS: 1 }) }));

  it.each([{ byS: 2 * 86_400 }, { byS: -400 * 86_400 }])(
    'corrects $byS s, the floor too, and leaves the budget',
    ({ byS }) => {
      const world = createWorld();
      expect(question(world)).toBe('ok');
      expect(deliver(world, clockRecord(world, NOW_S + byS))).toBe('ok');
      expect(clockOf(world)).toEqual({ rtcS: NOW_S + byS, rtcValid: true });
      expect(world.product.memory.clockFloorS).toBe(NOW_S + byS);
      expect(setTime(world, NOW_S + byS + 901)).toBe('ok');
      expect(clockOf(world).rtcS).toBe(NOW_S + byS + 900);
    },
  );

  it('gives a clock that lost the time one below the floor', () => {
    const world = createWorld();
    pass(world, 0);
    give(world, { type: 'rtcChanged', timeS: null });
    expect(setTime(world, NOW_S - 1)).toBe('error 1');
    expect(deliver(world, clockRecord(world, NOW_S - 1))).toBe('ok');
    expect(clockOf(world)).toEqual({ rtcS: NOW_S - 1, rtcValid: true });
  });

  it('is used once: again it is answered alike and moves nothing, after a later one it is refused', () => {
    const world = createWorld();
    question(world);
    const first = clockRecord(world, NOW_S - 86_400);
    expect(deliver(world, first)).toBe('ok');
    world.nowMs = 60_000;
    expect(deliver(world, first)).toBe('ok');
    expect(clockOf(world).rtcS).toBe(NOW_S - 86_400 + 60);
    expect(deliver(world, clockRecord(world, NOW_S, { serial: 2 }))).toBe('ok');
    expect(deliver(world, first)).toBe('error 1');
    expect(clockOf(world).rtcS).toBe(NOW_S);
  });

  it('is refused when it names no exchange, one of a guest, an old one, or one before a power cut', () => {
    const world = createWorld();
    expect(deliver(world, clockRecord(world, 1, { nonce: 77 }))).toBe('error 1');
    const fresh = createWorld();
    question(fresh, 16);
    expect(fresh.product.clockNonces).toEqual([]);
    question(world);
    const kept = clockRecord(world, NOW_S - 86_400);
    world.nowMs = 600_001;
    expect(deliver(world, kept)).toBe('error 1');
    question(world);
    const cut = clockRecord(world, NOW_S - 86_400);
    const { memory, rtc } = world.product;
    world.product = powerUpProduct(crypto, { memory, rtc, sensors: SENSORS_FREE, nowMs: world.nowMs });
    expect(deliver(world, cut)).toBe('error 1');
    expect(clockOf(world).rtcS).toBe(NOW_S + 600);
    // A refused one uses up no serial.
    question(world);
    expect(deliver(world, clockRecord(world, NOW_S))).toBe('ok');
  });

  it('is refused from guests, the installer and who is revoked, and no other record passes an invalid clock with it', () => {
    const world = createWorld({ memory: { deniedIds: [{ id: 500, expiresS: NO_EXPIRY_S }] } });
    question(world);
    for (const grant of [{ slot: 16 }, { slot: 17 }, { id: 500 }, { gen: 1 }]) {
      expect(deliver(world, clockRecord(world, 5), grant)).toBe('error 1');
    }
    give(world, { type: 'rtcChanged', timeS: null });
    const deny = { serial: 1, action: { kind: 'deny', id: 1, expiresS: 9 } } as const;
    const bytes = encodeAdminRecord(crypto, { adminKey: KEYS.admin, identity: IDENTITY, record: deny });
    expect(deliver(world, bytes)).toBe('error 9');
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
  it('are checked for tokens against the clock, except for status', () => {
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
