import { describe, expect, it } from 'vitest';
import { type AdminRecord, encodeAdminRecord } from '../../../shared/product-protocol/admin-record.js';
import { PAIRING_WINDOW_MS } from '../../../shared/product-protocol/pairing.js';
import { decodeChallenge } from '../../../shared/product-protocol/message-codec.js';
import { deriveProductKeys } from '../../../shared/product-protocol/keys.js';
import { mintCredentialBytes, NO_EXPIRY_S } from '../../../shared/product-protocol/token-codec.js';
import { createWorld, give, giveMessage, pass, resultOf, run, type World } from './exchange-world.js';
import { crypto, DEVICE_ID, IDENTITY, KEYS, MASTER_KEY, mint, NOW_S } from './protocol-fixture.js';

let events = 0;

function deliver(world: World, record: AdminRecord, options: { slot?: number; adminKey?: Uint8Array } = {}): string {
  const bytes = encodeAdminRecord(crypto, { adminKey: options.adminKey ?? KEYS.admin, identity: IDENTITY, record });
  events++;
  return resultOf(
    run(world, {
      command: { name: 'admin', record: bytes },
      credential: mint({ op: 'status', slot: options.slot ?? 3 }),
      eventId: events.toString(16).padStart(8, '0'),
    }),
  );
}

function opens(world: World, grant: Parameters<typeof mint>[0]): string {
  events++;
  return resultOf(
    run(world, {
      command: { name: 'open' },
      credential: mint(grant),
      eventId: events.toString(16).padStart(8, '0'),
    }),
  );
}

const deny = (serial: number, id: number, expiresS = NO_EXPIRY_S): AdminRecord => ({
  serial,
  action: { kind: 'deny', id, expiresS },
});

describe('an admin record', () => {
  it('denies one id, and no other', () => {
    const world = createWorld();
    expect(deliver(world, deny(1, 500))).toBe('ok');
    expect(opens(world, { slot: 16, id: 500 })).toBe('error 1');
    expect(opens(world, { slot: 16, id: 501 })).toBe('ok');
  });

  it('raises the generation of one slot: older and newer tokens of it are refused', () => {
    const world = createWorld();
    expect(deliver(world, { serial: 1, action: { kind: 'raise_gen', slot: 3, gen: 2 } })).toBe('ok');
    expect(opens(world, { slot: 3, gen: 0 })).toBe('error 1');
    expect(opens(world, { slot: 3, gen: 3 })).toBe('error 1');
    expect(opens(world, { slot: 3, gen: 2 })).toBe('ok');
    expect(opens(world, { slot: 4 })).toBe('ok');
    // Never lowered.
    expect(deliver(world, { serial: 2, action: { kind: 'raise_gen', slot: 3, gen: 1 } }, { slot: 4 })).toBe('ok');
    expect(opens(world, { slot: 3, gen: 1 })).toBe('error 1');
  });

  it('has a growing serial: the last one is answered alike to every gateway, an older one is refused', () => {
    const world = createWorld();
    expect(deliver(world, deny(5, 500), { slot: 1 })).toBe('ok');
    expect(deliver(world, deny(5, 500), { slot: 2 })).toBe('ok');
    expect(deliver(world, deny(4, 501), { slot: 1 })).toBe('error 1');
    expect(opens(world, { id: 501 })).toBe('ok');
    expect(world.product.memory.deniedIds).toEqual([{ id: 500, expiresS: NO_EXPIRY_S }]);
  });

  it('is refused when the key is wrong, and from guests and the installer', () => {
    const world = createWorld();
    expect(deliver(world, deny(1, 500), { adminKey: KEYS.adv })).toBe('error 1');
    expect(deliver(world, deny(1, 500), { slot: 16 })).toBe('error 1');
    expect(deliver(world, deny(1, 500), { slot: 17 })).toBe('error 1');
    expect(world.product.memory.lastAdmin.serial).toBe(0);
  });

  it('denies beyond the end of the token, as long as there is room: the clock may be corrected backwards', () => {
    const world = createWorld();
    deliver(world, deny(1, 500, NOW_S + 10));
    world.nowMs = 20_000;
    deliver(world, deny(2, 501, NOW_S + 10));
    give(world, { type: 'rtcChanged', timeS: NOW_S });
    expect(opens(world, { slot: 16, id: 500, expiresS: NOW_S + 10 })).toBe('error 1');
    // The same id once more takes no second place.
    deliver(world, deny(3, 500, NOW_S + 10));
    expect(world.product.memory.deniedIds.map(({ id }) => id)).toEqual([501, 500]);
  });

  it('a full list drops ids whose tokens are over, and without such raises the guests generation and says so', () => {
    const world = createWorld();
    for (let index = 1; index <= 64; index++) {
      expect(deliver(world, deny(index, 1_000 + index, index === 7 ? NOW_S + 100 : NO_EXPIRY_S))).toBe('ok');
    }
    expect(deliver(world, deny(65, 1_065))).toBe('error 11');
    expect(deliver(world, deny(65, 1_065))).toBe('error 11');
    expect(world.product.memory.gens[16]).toBe(1);
    expect(opens(world, { slot: 16, id: 1_065 })).toBe('error 1');
    expect(opens(world, { slot: 0, id: 900 })).toBe('ok');

    world.nowMs = 100_000;
    expect(deliver(world, deny(66, 1_066))).toBe('ok');
    const ids = world.product.memory.deniedIds.map(({ id }) => id);
    expect(ids).toHaveLength(64);
    expect(ids).not.toContain(1_007);
    expect(ids).toContain(1_066);
  });

  it('keeps an id that it dropped from acting under a clock that set_time moved back', () => {
    const expiresS = NOW_S + 600;
    const deniedIds = Array.from({ length: 64 }, (_, index) => ({ id: 1_000 + index, expiresS }));
    const world = createWorld({ memory: { deniedIds } });
    const credential = mint({ op: 'status', slot: 3 });
    expect(resultOf(run(world, { command: { name: 'set_time', timeS: NOW_S + 601 }, credential }))).toBe('ok');
    expect(deliver(world, deny(1, 2_000))).toBe('ok');
    expect(resultOf(run(world, { command: { name: 'set_time', timeS: NOW_S + 400 }, credential }))).toBe('ok');
    expect(opens(world, { slot: 3, id: 1_000, expiresS })).toBe('error 1');
  });

  it('keeps an id that it dropped from acting under a clock that the cloud corrected backwards', () => {
    const expiresS = NOW_S + 600;
    const deniedIds = Array.from({ length: 64 }, (_, index) => ({ id: 1_000 + index, expiresS }));
    const world = createWorld({ memory: { deniedIds } });
    give(world, { type: 'rtcChanged', timeS: NOW_S + 86_400 });
    expect(deliver(world, deny(1, 2_000))).toBe('ok');
    const nonce = world.product.clockNonces.at(-1)?.nonce ?? 0;
    expect(deliver(world, { serial: 2, action: { kind: 'clock', timeS: NOW_S, nonce } })).toBe('ok');
    expect(opens(world, { slot: 3, id: 1_000, expiresS })).toBe('error 1');
    expect(opens(world, { slot: 3, id: 3_000, expiresS: expiresS + 1 })).toBe('ok');
    expect(opens(world, { slot: 0, expiresS })).toBe('ok');
  });

  it('a generation beyond 255 leaves no token of the slot', () => {
    const world = createWorld({
      memory: {
        gens: Array.from({ length: 18 }, () => 255),
        deniedIds: Array.from({ length: 64 }, (_, index) => ({ id: index, expiresS: NO_EXPIRY_S })),
      },
    });
    const record = deny(1, 999);
    const bytes = encodeAdminRecord(crypto, { adminKey: KEYS.admin, identity: IDENTITY, record });
    const credential = mint({ op: 'status', slot: 0, gen: 255, id: 900 });
    expect(resultOf(run(world, { command: { name: 'admin', record: bytes }, credential }))).toBe('error 11');
    expect(opens(world, { slot: 16, gen: 255, id: 901 })).toBe('error 1');
    expect(opens(world, { slot: 0, gen: 255, id: 902 })).toBe('ok');
  });
});

const pair = (world: World, pairingEpoch: number) =>
  give(world, { type: 'paired', masterKey: MASTER_KEY, pairingEpoch, timeS: NOW_S + 9 });

function flagsOf(world: World) {
  give(world, { type: 'linkOpened' });
  const challenge = decodeChallenge(giveMessage(world, Uint8Array.of(1, 1, 1))[0]!);
  give(world, { type: 'linkClosed' });
  return challenge?.flags;
}

describe('pairing', () => {
  it('is open for 120 s after the button, and only on a product without a key', () => {
    const world = createWorld({ paired: false });
    expect(flagsOf(world)).toMatchObject({ initialised: false, pairing: false });
    expect(resultOf(run(world, { command: { name: 'open' } }))).toBe('hint 8');
    expect(() => pair(world, 1)).toThrow('outside its window');
    give(world, { type: 'pairingButtonPressed' });
    pass(world, PAIRING_WINDOW_MS - 1);
    expect(flagsOf(world)).toMatchObject({ pairing: true });
    pass(world, 1);
    expect(flagsOf(world)).toMatchObject({ pairing: false });
    give(world, { type: 'pairingButtonPressed' });
    pair(world, 1);
    expect(flagsOf(world)).toMatchObject({ initialised: true, pairing: false, rtcValid: true });
    expect(resultOf(run(world, { command: { name: 'open' } }))).toBe('ok');

    give(world, { type: 'pairingButtonPressed' });
    expect(flagsOf(world)).toMatchObject({ pairing: false });
  });

  it('again needs an unpair record and a higher pairing epoch, and voids what was before', () => {
    const world = createWorld();
    expect(deliver(world, deny(1, 500))).toBe('ok');
    expect(deliver(world, { serial: 2, action: { kind: 'unpair' } })).toBe('ok');
    expect(flagsOf(world)).toMatchObject({ initialised: false });
    expect(opens(world, {})).toBe('hint 8');

    give(world, { type: 'pairingButtonPressed' });
    expect(() => pair(world, 1)).toThrow('not new');
    pair(world, 2);
    expect(opens(world, {})).toBe('hint 1');
    const keys = deriveProductKeys(crypto, { masterKey: MASTER_KEY, deviceId: DEVICE_ID, pairingEpoch: 2 });
    const credential = mintCredentialBytes(crypto, keys, {
      op: 'open',
      slot: 16,
      gen: 0,
      id: 500,
      notBeforeS: 0,
      expiresS: NO_EXPIRY_S,
    });
    expect(resultOf(run(world, { command: { name: 'open' }, credential }))).toBe('ok');
  });
});
