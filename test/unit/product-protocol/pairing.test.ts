import { describe, expect, it } from 'vitest';
import { deriveProductKeys } from '../../../shared/product-protocol/keys.js';
import {
  answerPairing,
  decodePairingOffer,
  encodePairingConfirmation,
  encodePairingOffer,
  isPairingConfirmation,
  openPairingAnswer,
  pairingKey,
  pairingPublicKey,
  sealPairingAnswer,
} from '../../../shared/product-protocol/pairing.js';
import { bitFlips, crypto, DEVICE_ID, MASTER_KEY } from './protocol-fixture.js';

const labelSecret = new Uint8Array(16).fill(0x66);
const privateKey = new Uint8Array(32).fill(0x11);
const cloudPrivateKey = new Uint8Array(32).fill(0x22);
const offer = { deviceId: DEVICE_ID, publicKey: pairingPublicKey(crypto, privateKey) };
const grant = { masterKey: MASTER_KEY, pairingEpoch: 4, timeS: 1_760_003_600 };

function answerOf(secret = labelSecret): Uint8Array {
  const answer = answerPairing(crypto, { offer, labelSecret: secret, cloudPrivateKey, grant });
  if (answer === null) throw new Error('no answer to the offer');
  return answer;
}

const open = (answer: Uint8Array, storedPairingEpoch = 3) =>
  openPairingAnswer(crypto, { answer, offer, labelSecret, privateKey, storedPairingEpoch });

describe('pairing', () => {
  it('brings the master key to the product, which confirms it', () => {
    const received = decodePairingOffer(encodePairingOffer(offer));
    expect(received).toEqual(offer);
    expect(open(answerOf())).toEqual(grant);

    const identity = { deviceId: DEVICE_ID, pairingEpoch: grant.pairingEpoch };
    const adminKey = deriveProductKeys(crypto, { masterKey: MASTER_KEY, ...identity }).admin;
    const bytes = encodePairingConfirmation(crypto, { adminKey, identity });
    expect(isPairingConfirmation(crypto, { bytes, adminKey, identity })).toBe(true);
    expect(isPairingConfirmation(crypto, { bytes, adminKey, identity: { ...identity, pairingEpoch: 5 } })).toBe(false);
    for (const flipped of bitFlips(bytes)) {
      expect(isPairingConfirmation(crypto, { bytes: flipped, adminKey, identity })).toBe(false);
    }
  });

  it('refuses an answer with one bit changed, from who does not know the label, or of no answer at all', () => {
    for (const flipped of bitFlips(answerOf())) expect(open(flipped)).toBeNull();
    expect(open(answerOf(new Uint8Array(16).fill(0x67)))).toBeNull();
    expect(open(new Uint8Array(0))).toBeNull();
    expect(open(answerOf().slice(1))).toBeNull();
  });

  it('refuses a pairing epoch that is not above the stored one', () => {
    expect(open(answerOf(), 4)).toBeNull();
    expect(open(answerOf(), 5)).toBeNull();
  });

  it('refuses public keys that make an all-zero secret', () => {
    const zero = { deviceId: DEVICE_ID, publicKey: new Uint8Array(32) };
    expect(answerPairing(crypto, { offer: zero, labelSecret, cloudPrivateKey, grant })).toBeNull();
    const cloudPublicKey = new Uint8Array(32);
    const key = pairingKey(crypto, { secret: new Uint8Array(32), labelSecret, offer, cloudPublicKey });
    expect(open(sealPairingAnswer(crypto, { key, cloudPublicKey, grant }))).toBeNull();
  });

  it('needs a label secret of 16 bytes', () => {
    expect(() => answerOf(new Uint8Array(15))).toThrow(RangeError);
  });
});
