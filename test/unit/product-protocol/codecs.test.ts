import * as fc from '../../property.js';
import { describe, expect, it } from 'vitest';
import type { GatewayErrorType } from '../../../shared/errors.js';
import { type EventId, PRODUCT_TYPES, type ProductDeviceId } from '../../../shared/ids.js';
import { type AdminAction, encodeAdminRecord, openAdminRecord } from '../../../shared/product-protocol/admin-record.js';
import {
  acceptAdvertisement,
  decodeAdvertisement,
  encodeAdvertisement,
  isAdvertisementGenuine,
} from '../../../shared/product-protocol/advertisement-codec.js';
import { bytesToHex, concatBytes, hexToBytes } from '../../../shared/product-protocol/bytes.js';
import {
  COMMAND_NAMES,
  decodeCommand,
  encodeCommand,
  type ProtocolCommand,
} from '../../../shared/product-protocol/commands.js';
import {
  decodeChallenge,
  decodeHello,
  decodeRefuse,
  decodeRequest,
  decodeStatus,
  encodeChallenge,
  encodeHello,
  encodeRefuse,
  encodeUnsignedRequest,
  type Request,
  statusHeader,
} from '../../../shared/product-protocol/message-codec.js';
import { decodePairingOffer } from '../../../shared/product-protocol/pairing.js';
import {
  type BlockResult,
  CONDITION_STATES,
  decodeStatusBlock,
  encodeStatusBlock,
  errorBits,
} from '../../../shared/product-protocol/status-block.js';
import {
  decodeCredential,
  decodeToken,
  isInTokenWindow,
  isTokenGenuine,
  mintCredential,
  mintCredentialBytes,
  NO_EXPIRY_S,
  type TokenOp,
} from '../../../shared/product-protocol/token-codec.js';
import { bitFlips, crypto, EVENT_ID, IDENTITY, KEYS, VECTOR_GRANT } from './protocol-fixture.js';
import { runs } from '../../depth.js';

const u8 = fc.integer({ min: 0, max: 0xff });
const u16 = fc.integer({ min: 0, max: 0xffff });
const u32 = fc.integer({ min: 0, max: 0xffffffff });
const sized = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const hex = (length: number) => sized(length).map(bytesToHex);

const grant = fc.record({
  op: fc.constantFrom<TokenOp>('open', 'close', 'status'),
  slot: fc.integer({ min: 0, max: 17 }),
  gen: u8,
  id: u32,
  notBeforeS: u32,
  expiresS: u32,
});

const command = fc.constantFrom(...COMMAND_NAMES).chain((name): fc.Arbitrary<ProtocolCommand> => {
  switch (name) {
    case 'set_time':
      return u32.map((timeS) => ({ name, timeS }));
    case 'autoclose':
      return fc.record({ name: fc.constant(name), on: fc.boolean(), seconds: fc.integer({ min: 1, max: 255 }) });
    case 'admin':
      return sized(29).map((record) => ({ name, record }));
    default:
      return fc.constant({ name });
  }
});

const condition = {
  state: fc.constantFrom(...CONDITION_STATES),
  carOnTop: fc.boolean(),
  autoClose: fc.boolean(),
  permanentPosition: fc.constantFrom('disabled' as const, 'stay_open' as const, 'stay_close' as const),
  errors: fc.integer({ min: 0, max: 0x3f }),
  battery: fc.option(fc.integer({ min: 0, max: 100 })),
};

const result: fc.Arbitrary<BlockResult> = fc.oneof(
  fc.constant<BlockResult>({ kind: 'ok' }),
  fc.constant<BlockResult>({ kind: 'in_progress' }),
  fc.integer({ min: 0, max: 11 }).map((type): BlockResult => ({ kind: 'error', type: type as GatewayErrorType })),
);

describe('round trips', () => {
  it('tokens and credentials', () => {
    fc.assert(
      fc.property(grant, (value) => {
        const bytes = mintCredentialBytes(crypto, KEYS, value);
        expect(decodeToken(bytes.token)).toEqual(value);
        expect(isTokenGenuine(crypto, KEYS, bytes.token)).toBe(true);
        expect(decodeCredential(mintCredential(crypto, KEYS, value))).toEqual(bytes);
      }),
    );
    expect(() => mintCredentialBytes(crypto, KEYS, { ...VECTOR_GRANT, slot: 18 })).toThrow(RangeError);
    expect(() => mintCredentialBytes(crypto, KEYS, { ...VECTOR_GRANT, gen: 256 })).toThrow(RangeError);
    const text = mintCredential(crypto, KEYS, VECTOR_GRANT);
    expect(decodeCredential({ ...text, token: text.token.slice(1) })).toBeNull();
    expect(decodeCredential({ ...text, status_key: text.token })).toBeNull();
    expect(decodeCredential({ ...text, challenge_key: '!' })).toBeNull();
  });

  it('commands', () => {
    fc.assert(
      fc.property(command, (value) => {
        const { code, params } = encodeCommand(value);
        expect(decodeCommand(code, params)).toEqual(value);
      }),
    );
    expect(() => encodeCommand({ name: 'autoclose', on: true, seconds: 0 })).toThrow(RangeError);
    expect(() => encodeCommand({ name: 'admin', record: new Uint8Array(28) })).toThrow(RangeError);
    expect(decodeCommand(0x21, Uint8Array.of(2, 10))).toBeNull();
    expect(decodeCommand(0x21, Uint8Array.of(1, 0))).toBeNull();
    expect(decodeCommand(0x01, Uint8Array.of(1))).toBeNull();
    expect(decodeCommand(0x04, new Uint8Array(0))).toBeNull();
  });

  it('messages', () => {
    fc.assert(
      fc.property(u8, u8, (minVersion, maxVersion) => {
        expect(decodeHello(encodeHello({ minVersion, maxVersion }))).toEqual({ minVersion, maxVersion });
      }),
    );
    const challenge = fc.record({
      version: u8,
      flags: fc.record({
        initialised: fc.boolean(),
        rtcValid: fc.boolean(),
        busy: fc.boolean(),
        pairing: fc.boolean(),
      }),
      pairingEpoch: u16,
      rtcS: u32,
      productNonce: sized(16),
    });
    fc.assert(fc.property(challenge, (value) => void expect(decodeChallenge(encodeChallenge(value))).toEqual(value)));
    const request = fc.record({
      version: u8,
      command,
      token: sized(32),
      eventId: hex(4).map((id) => id as EventId),
      clientNonce: sized(8),
    });
    fc.assert(
      fc.property(request, sized(16), (value, mac) => {
        const unsigned = encodeUnsignedRequest(value);
        expect(decodeRequest(concatBytes(unsigned, mac))).toEqual({ ...value, unsigned, mac });
      }),
    );
    const refuse = fc.record({
      type: fc.integer({ min: 0, max: 11 }).map((type) => type as GatewayErrorType),
      rtcS: u32,
    });
    fc.assert(fc.property(refuse, (value) => void expect(decodeRefuse(encodeRefuse(value))).toEqual(value)));
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 127 }), fc.boolean(), sized(16), (counter, final, sealed) => {
        const bytes = concatBytes(statusHeader({ counter, final }), sealed);
        expect(decodeStatus(bytes)).toEqual({ counter, final, sealed });
      }),
    );
    const right: Request = {
      version: 1,
      command: { name: 'open' },
      token: new Uint8Array(32),
      eventId: EVENT_ID,
      clientNonce: new Uint8Array(8),
    };
    const wrong: Partial<Request>[] = [
      { token: new Uint8Array(31) },
      { eventId: 'deadbeef00' as EventId },
      { clientNonce: new Uint8Array(16) },
    ];
    for (const part of wrong) expect(() => encodeUnsignedRequest({ ...right, ...part })).toThrow(RangeError);
    expect(() => statusHeader({ counter: 0, final: true })).toThrow(RangeError);
    expect(() => statusHeader({ counter: 128, final: true })).toThrow(RangeError);
  });

  it('STATUS block', () => {
    fc.assert(
      fc.property(fc.record({ result, ...condition, autocloseS: u8, changeCounter: u16 }), (block) => {
        expect(decodeStatusBlock(encodeStatusBlock(block))).toEqual(block);
      }),
    );
  });

  it('STATUS block of a newer product: what is not known has a word too', () => {
    expect(decodeStatusBlock(hexToBytes('77ff0f00c80a0700'))).toEqual({
      result: { kind: 'error', type: 11 },
      state: 'unknown',
      carOnTop: true,
      autoClose: true,
      permanentPosition: 'disabled',
      errors: 0,
      battery: null,
      autocloseS: 10,
      changeCounter: 7,
    });
  });

  it('names of the errors byte', () => {
    const names = Array.from({ length: 8 }, (_, bit) =>
      Object.entries(errorBits(1 << bit)).flatMap(([name, isSet]) => (isSet ? [name] : [])),
    );
    expect(names).toEqual([
      ['jammed'],
      ['sensor_dirty'],
      ['pin_broken'],
      ['rtcc_invalid'],
      ['battery_empty'],
      ['master_key_not_set'],
      [],
      [],
    ]);
  });

  it('advertisements', () => {
    const content = fc.record({
      ...condition,
      type: fc.constantFrom(...PRODUCT_TYPES),
      deviceId: hex(6).map((id) => id as ProductDeviceId),
      changeCounter: u16,
      pairingEpochLow: u8,
      advSeq: u32,
    });
    fc.assert(
      fc.property(content, (value) => {
        const bytes = encodeAdvertisement(crypto, { advertisementKey: KEYS.adv, content: value });
        expect(bytes.length).toBe(25);
        expect(decodeAdvertisement(bytes)).toEqual(value);
        expect(isAdvertisementGenuine(crypto, { advertisementKey: KEYS.adv, bytes })).toBe(true);
        expect(isAdvertisementGenuine(crypto, { advertisementKey: KEYS.token, bytes })).toBe(false);
        for (const flipped of bitFlips(bytes)) {
          const isBelieved =
            decodeAdvertisement(flipped) !== null &&
            isAdvertisementGenuine(crypto, { advertisementKey: KEYS.adv, bytes: flipped });
          expect(isBelieved).toBe(false);
        }
      }),
      { numRuns: 10 },
    );
  });

  it('admin records', () => {
    const action: fc.Arbitrary<AdminAction> = fc.oneof(
      fc.record({ kind: fc.constant('deny' as const), id: u32, expiresS: u32 }),
      fc.record({ kind: fc.constant('raise_gen' as const), slot: fc.integer({ min: 0, max: 17 }), gen: u8 }),
      fc.constant<AdminAction>({ kind: 'unpair' }),
    );
    const pairing = { adminKey: KEYS.admin, identity: IDENTITY };
    fc.assert(
      fc.property(fc.record({ serial: u32, action }), (record) => {
        const bytes = encodeAdminRecord(crypto, { ...pairing, record });
        expect(openAdminRecord(crypto, { ...pairing, bytes })).toEqual(record);
        expect(openAdminRecord(crypto, { ...pairing, identity: { ...IDENTITY, pairingEpoch: 2 }, bytes })).toBeNull();
        for (const flipped of bitFlips(bytes)) {
          expect(openAdminRecord(crypto, { ...pairing, bytes: flipped })).toBeNull();
        }
      }),
      { numRuns: 10 },
    );
    const beyond = { serial: 1, action: { kind: 'raise_gen', slot: 16, gen: 256 } } as const;
    expect(() => encodeAdminRecord(crypto, { ...pairing, record: beyond })).toThrow(RangeError);
  });
});

describe('foreign bytes', () => {
  it('are null to every decoder, or a message, and never an exception', () => {
    const typed = fc
      .tuple(fc.constantFrom(0x01, 0x02, 0x41, 0x42, 0x50, 0x81, 0x82, 0x83, 0xc2), fc.uint8Array({ maxLength: 110 }))
      .map(([type, rest]) => concatBytes(Uint8Array.of(type), rest));
    const pairing = { adminKey: KEYS.admin, identity: IDENTITY };
    fc.assert(
      fc.property(fc.oneof(typed, fc.uint8Array({ maxLength: 110 })), u8, (bytes, code) => {
        for (const decode of [
          decodeHello,
          decodeChallenge,
          decodeRequest,
          decodeStatus,
          decodeRefuse,
          decodeToken,
          decodeStatusBlock,
          decodeAdvertisement,
          decodePairingOffer,
          (record: Uint8Array) => openAdminRecord(crypto, { ...pairing, bytes: record }),
          (params: Uint8Array) => decodeCommand(code, params),
        ]) {
          expect(() => decode(bytes)).not.toThrow();
        }
      }),
      { numRuns: runs(500) },
    );
  });

  it('a token with one bit changed was not minted by these keys', () => {
    for (const flipped of bitFlips(mintCredentialBytes(crypto, KEYS, VECTOR_GRANT).token)) {
      expect(isTokenGenuine(crypto, KEYS, flipped)).toBe(false);
    }
  });
});

describe('token window', () => {
  it('holds from notBefore until just before expires', () => {
    const window = { notBeforeS: 100, expiresS: 200 };
    expect([99, 100, 199, 200].map((timeS) => isInTokenWindow(window, timeS))).toEqual([false, true, true, false]);
    expect(isInTokenWindow({ notBeforeS: 100, expiresS: NO_EXPIRY_S }, NO_EXPIRY_S)).toBe(true);
  });
});

describe('progress of advertisements', () => {
  it('ignores what goes backwards until it is resynchronised', () => {
    const first = acceptAdvertisement(null, 500);
    expect(first).toEqual({ accepted: true, progress: 500 });
    expect(acceptAdvertisement(500, 500)).toEqual({ accepted: true, progress: 500 });
    expect(acceptAdvertisement(500, 501)).toEqual({ accepted: true, progress: 501 });
    expect(acceptAdvertisement(500, 499)).toEqual({ accepted: false, progress: 500 });
    // What an authenticated STATUS does.
    expect(acceptAdvertisement(null, 3)).toEqual({ accepted: true, progress: 3 });
  });
});
