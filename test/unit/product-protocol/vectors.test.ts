import { describe, expect, it } from 'vitest';
import { encodeAdminRecord, isClockRecord, openAdminRecord } from '../../../shared/product-protocol/admin-record.js';
import {
  decodeAdvertisement,
  encodeAdvertisement,
  isAdvertisementGenuine,
} from '../../../shared/product-protocol/advertisement-codec.js';
import { bytesToHex, hexToBytes } from '../../../shared/product-protocol/bytes.js';
import { clockNonceOf } from '../../../shared/product-protocol/clock-limits.js';
import { answerSeal, openStatus, requestMac, sealStatus } from '../../../shared/product-protocol/exchange-crypto.js';
import { deriveProductKeys } from '../../../shared/product-protocol/keys.js';
import { encodeChallenge, encodeHello, encodeUnsignedRequest } from '../../../shared/product-protocol/message-codec.js';
import { encodePairingConfirmation, pairingKey, sealPairingAnswer } from '../../../shared/product-protocol/pairing.js';
import { decodeStatusBlock, encodeStatusBlock } from '../../../shared/product-protocol/status-block.js';
import {
  decodeCredential,
  decodeToken,
  isTokenGenuine,
  mintCredential,
  mintCredentialBytes,
} from '../../../shared/product-protocol/token-codec.js';
import {
  CLIENT_NONCE,
  crypto,
  DEVICE_ID,
  EVENT_ID,
  IDENTITY,
  KEYS,
  PRODUCT_NONCE,
  VECTOR_GRANT,
} from './protocol-fixture.js';

const TOKEN = '01011000e90300000078e76880c9e8685baa2dd11878c1fe48538854474267ed';
const CHALLENGE = '81010301001086e768101112131415161718191a1b1c1d1e1f';
const MAC = '9dc3a58bcbdecb27b71e28044d93ab04';
const BLOCK = '00010000570a0700';
const STATUS = '82811c996f3e00bd412d2e431c877c9a6d9d';
const ADVERTISEMENT = 'ffff5011a4c1380000010100005707000100000100974faac9';
const ADMIN = '0100000001e903000080c9e8683e297f26a1065e8a9515ac7c96ef5557';
const CLOCK_ADMIN = '02000000041086e7681011121323ea9258318ff572b285ccf0bf7bb566';

const filled = (value: number, length = 32) => new Uint8Array(length).fill(value);

describe('test vectors', () => {
  const credential = mintCredentialBytes(crypto, KEYS, VECTOR_GRANT);
  const hello = encodeHello({ minVersion: 1, maxVersion: 1 });
  const challenge = encodeChallenge({
    version: 1,
    flags: { initialised: true, rtcValid: true, busy: false, pairing: false },
    pairingEpoch: 1,
    rtcS: 1_760_003_600,
    productNonce: PRODUCT_NONCE,
  });
  const unsignedRequest = encodeUnsignedRequest({
    version: 1,
    command: { name: 'open' },
    token: credential.token,
    eventId: EVENT_ID,
    clientNonce: CLIENT_NONCE,
  });
  const mac = requestMac(crypto, { challengeKey: credential.challengeKey, hello, challenge, unsignedRequest });
  const seal = answerSeal(crypto, {
    statusKey: credential.statusKey,
    productNonce: PRODUCT_NONCE,
    clientNonce: CLIENT_NONCE,
    eventId: EVENT_ID,
    mac,
  });

  it('token and its keys', () => {
    expect(bytesToHex(credential.token)).toBe(TOKEN);
    expect(bytesToHex(credential.challengeKey)).toBe(
      '19105d3829896e0a0b4385688c07f88bd8b89b22147c90570ac74623a7927606',
    );
    expect(bytesToHex(credential.statusKey)).toBe('42fc37df9d4a1b4a79598db9dde7cd98');
    expect(decodeToken(hexToBytes(TOKEN))).toEqual(VECTOR_GRANT);
    expect(isTokenGenuine(crypto, KEYS, hexToBytes(TOKEN))).toBe(true);
  });

  it('token as text: base64url of 43, 22 and 43 characters', () => {
    const text = mintCredential(crypto, KEYS, VECTOR_GRANT);
    expect([text.token.length, text.status_key.length, text.challenge_key.length]).toEqual([43, 22, 43]);
    expect(decodeCredential(text)).toEqual(credential);
    expect(text.token).toBe(Buffer.from(TOKEN, 'hex').toString('base64url'));
  });

  it('HELLO, CHALLENGE and mac', () => {
    expect(bytesToHex(hello)).toBe('010101');
    expect(bytesToHex(challenge)).toBe(CHALLENGE);
    expect(bytesToHex(unsignedRequest)).toBe(`02010100${TOKEN}deadbeef2021222324252627`);
    expect(bytesToHex(mac)).toBe(MAC);
  });

  it('STATUS', () => {
    const block = decodeStatusBlock(hexToBytes(BLOCK));
    expect(block).toEqual({
      result: { kind: 'ok' },
      state: 'opened',
      carOnTop: false,
      autoClose: false,
      permanentPosition: 'disabled',
      errors: 0,
      battery: 87,
      autocloseS: 10,
      changeCounter: 7,
    });
    if (block === null) return;
    expect(bytesToHex(encodeStatusBlock(block))).toBe(BLOCK);
    expect(bytesToHex(sealStatus(crypto, { seal, counter: 1, final: true, block }))).toBe(STATUS);
    expect(openStatus(crypto, { seal, message: hexToBytes(STATUS) })).toEqual({ counter: 1, final: true, block });
  });

  it('advertisement', () => {
    const content = {
      type: 'barrier',
      deviceId: DEVICE_ID,
      state: 'opened',
      carOnTop: false,
      autoClose: false,
      permanentPosition: 'disabled',
      errors: 0,
      battery: 87,
      changeCounter: 7,
      pairingEpochLow: 1,
      advSeq: 65_536,
    } as const;
    expect(bytesToHex(encodeAdvertisement(crypto, { advertisementKey: KEYS.adv, content }))).toBe(ADVERTISEMENT);
    expect(decodeAdvertisement(hexToBytes(ADVERTISEMENT))).toEqual(content);
    expect(isAdvertisementGenuine(crypto, { advertisementKey: KEYS.adv, bytes: hexToBytes(ADVERTISEMENT) })).toBe(true);
  });

  it('admin record', () => {
    const record = { serial: 1, action: { kind: 'deny', id: 1001, expiresS: 1_760_086_400 } } as const;
    const pairing = { adminKey: KEYS.admin, identity: IDENTITY };
    expect(bytesToHex(encodeAdminRecord(crypto, { ...pairing, record }))).toBe(ADMIN);
    expect(openAdminRecord(crypto, { ...pairing, bytes: hexToBytes(ADMIN) })).toEqual(record);
  });

  it('admin record that sets the clock', () => {
    const action = { kind: 'clock', timeS: 1_760_003_600, nonce: clockNonceOf(PRODUCT_NONCE) } as const;
    const pairing = { adminKey: KEYS.admin, identity: IDENTITY };
    expect(bytesToHex(encodeAdminRecord(crypto, { ...pairing, record: { serial: 2, action } }))).toBe(CLOCK_ADMIN);
    expect(openAdminRecord(crypto, { ...pairing, bytes: hexToBytes(CLOCK_ADMIN) })).toEqual({ serial: 2, action });
    expect([ADMIN, CLOCK_ADMIN].map((hex) => isClockRecord(hexToBytes(hex)))).toEqual([false, true]);
  });

  it('pairing: key, answer and confirmation', () => {
    const offer = { deviceId: DEVICE_ID, publicKey: filled(0x77) };
    const cloudPublicKey = filled(0x88);
    const key = pairingKey(crypto, {
      secret: filled(0x55),
      labelSecret: filled(0x66, 16),
      offer,
      cloudPublicKey,
    });
    expect(bytesToHex(key)).toBe('09dd9ff585a7cd61a2a70ce8adb2399c');
    const masterKey = Uint8Array.from({ length: 32 }, (_, index) => index);
    const answer = sealPairingAnswer(crypto, {
      key,
      cloudPublicKey,
      grant: { masterKey, pairingEpoch: 1, timeS: 1_760_003_600 },
    });
    expect(bytesToHex(answer)).toBe(
      `4201${'88'.repeat(32)}01001086e768` +
        '88978ec46864b7c00b09b9fcd07fb790f035827fe64d09454731149677affd2bc8aa5d9850af70d2b55ecf081d17daaa',
    );
    const adminKey = deriveProductKeys(crypto, { masterKey, ...IDENTITY }).admin;
    expect(bytesToHex(encodePairingConfirmation(crypto, { adminKey, identity: IDENTITY }))).toBe(
      'c29c380d3cc006e4f4a86d85326901b77e',
    );
  });
});
