/** Pairings over REST: who may, what is refused, and which key is in force afterwards. Gateway and product are played here. */
import { randomBytes } from 'node:crypto';
import * as fc from '../../property.js';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { EventId, ProductDeviceId } from '../../../shared/ids.js';
import { encodeAdvertisement } from '../../../shared/product-protocol/advertisement-codec.js';
import { decodeBase64url, encodeBase64url } from '../../../shared/product-protocol/base64url.js';
import { bytesToHex } from '../../../shared/product-protocol/bytes.js';
import { deriveProductKeys } from '../../../shared/product-protocol/keys.js';
import {
  encodePairingConfirmation,
  encodePairingOffer,
  openPairingAnswer,
  type PairingGrant,
  pairingPublicKey,
} from '../../../shared/product-protocol/pairing.js';
import type { CommandResultRecord } from '../../../shared/uplink.js';
import { crypto } from '../../unit/product-protocol/protocol-fixture.js';
import { API_TOKEN, GUARD_TOKEN, OWNER_TOKEN, RIVAL_TOKEN, seedSite, type Site } from '../http/http-site.js';
import { type Answer, type CloudWorld, startCloudWorld } from '../http/http-world.js';
import { gatewayRow } from '../gateway/link-site.js';
import { runs } from '../../depth.js';

const LABEL_SECRET = '0123456789abcdef0123456789abcdef';

let cloud: CloudWorld;
let site: Site;
let gateway: number;
let product: { id: number; device_id: ProductDeviceId };

beforeAll(async () => {
  cloud = await startCloudWorld({ commandsPerMin: 3 });
  site = await seedSite(cloud.store);
  const row = gatewayRow({ account_id: site.harbour, lot_id: site.north, slot: 1, name: 'North' });
  const claimed = { ...row, uuid: '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c01', status: 'online' as const };
  gateway = await cloud.store.change(async (tx) => {
    return (await tx.insertInto('gateways').values(claimed).returning('id').executeTakeFirstOrThrow()).id;
  });
});
afterAll(() => cloud.close());

let made = 0;
beforeEach(async () => {
  made += 1;
  const device_id = made.toString(16).padStart(12, '0') as ProductDeviceId;
  const body = { device_id, name: `Gate ${made}`, product_type_id: 2, lot_id: site.north };
  const answer = await cloud.ask('POST', '/v2/products', { token: OWNER_TOKEN, json: body });
  product = { id: (answer.body.data as { id: number }).id, device_id };
  await cloud.store.change((tx) => tx.updateTable('accounts').set({ remote_control: 1 }).execute());
});

const sees = () =>
  cloud.store.change((tx) =>
    cloud.commandParts.receptions.note(tx, gateway, { unproven: [{ product_id: product.id, rssi: -60 }] }),
  );
const pair = (json: unknown = { label_secret: LABEL_SECRET }, token = OWNER_TOKEN) =>
  cloud.ask('POST', `/v2/products/${product.id}/pair`, { token, json });
const codes = ({ status, body }: Answer) => [status, ...(body.errors ?? []).map(({ code, field }) => field ?? code)];
const accepted = ({ status, body }: Answer) => {
  expect(status).toBe(200);
  return (body.data as { event_id: EventId }).event_id;
};
/** The clock of the test stands on 15 January 2026: days since 2020, and one. */
const EPOCH_OF_THE_DAY = Math.floor((Date.UTC(2026, 0, 15) - Date.UTC(2020, 0, 1)) / 86_400_000) + 1;

const rowOf = () =>
  cloud.store.reader.selectFrom('products').selectAll().where('id', '=', product.id).executeTakeFirstOrThrow();
const commandOf = async (event_id: EventId) =>
  (await cloud.ask('GET', `/v2/commands/${event_id}`, { token: OWNER_TOKEN })).body.data;

/** A product at its button: its offer, and what it makes of the answer. */
function startOffer(labelSecret = LABEL_SECRET) {
  const privateKey = randomBytes(32);
  const offer = { deviceId: product.device_id, publicKey: pairingPublicKey(crypto, privateKey) };
  return {
    bytes: encodePairingOffer(offer),
    open(answer: Uint8Array, storedPairingEpoch = 0): PairingGrant | null {
      return openPairingAnswer(crypto, {
        answer,
        offer,
        labelSecret: Buffer.from(labelSecret, 'hex'),
        privateKey,
        storedPairingEpoch,
      });
    },
  };
}

/** The gateway brings the offer; the answer it is told, or null. */
async function answerTo(event_id: EventId, offer: Uint8Array): Promise<Uint8Array | null> {
  const { dispatcher, pairings } = cloud.commandParts;
  const record = { kind: 'pairing_offer' as const, event_id, product_id: product.id, offer: encodeBase64url(offer) };
  const before = pairings.length;
  const isKnown = await cloud.store.change((tx) => dispatcher.applyOffer(tx, { gateway_id: gateway, record }));
  if (!isKnown) throw new Error('nobody asked for this');
  const notified = pairings.slice(before).map(({ message }) => message);
  return notified[0]?.step === 'answer' ? decodeBase64url(notified[0].answer) : null;
}

async function result(event_id: EventId, of: Partial<CommandResultRecord>): Promise<void> {
  const { dispatcher } = cloud.commandParts;
  const record: CommandResultRecord = {
    kind: 'command_result',
    event_id,
    product_id: product.id,
    outcome: 'succeeded',
    gateway_error_type: null,
    authenticated: false,
    refused_late: false,
    status: null,
    ...of,
  };
  const isKnown = await cloud.store.change((tx) =>
    dispatcher.applyResult(tx, { gateway_id: gateway, at_ms: cloud.clock.now(), record }),
  );
  if (!isKnown) throw new Error('nobody asked for this');
}

const keysOf = ({ masterKey, pairingEpoch }: PairingGrant) =>
  deriveProductKeys(crypto, { masterKey, deviceId: product.device_id, pairingEpoch });

function confirmationOf(grant: PairingGrant): string {
  const identity = { deviceId: product.device_id, pairingEpoch: grant.pairingEpoch };
  return encodeBase64url(encodePairingConfirmation(crypto, { adminKey: keysOf(grant).admin, identity }));
}

async function grantOf(event_id: EventId): Promise<PairingGrant> {
  const offer = startOffer();
  const answer = await answerTo(event_id, offer.bytes);
  const grant = answer === null ? null : offer.open(answer);
  if (grant === null) throw new Error('the product was given no key');
  return grant;
}

describe('the checks of a pairing', () => {
  it('are those of a command, in its order', async () => {
    expect(codes(await pair({}, 'nobody'))).toEqual([401, 1]);
    expect(codes(await pair({}, GUARD_TOKEN))).toEqual([403, 4]);
    expect(codes(await pair({}, RIVAL_TOKEN))).toEqual([404, 6]);
    for (const wrong of [
      {},
      { label_secret: 'ab'.repeat(15) },
      { label_secret: 'xy'.repeat(16) },
      { label_secret: 7 },
    ]) {
      expect(codes(await pair(wrong))).toEqual([422, 'label_secret']);
    }
    await cloud.store.change((tx) => tx.updateTable('accounts').set({ remote_control: 0 }).execute());
    expect(codes(await pair())).toEqual([403, 704]);
    await sees();
    expect(codes(await pair())).toEqual([403, 30]);
    await cloud.store.change((tx) => tx.updateTable('accounts').set({ remote_control: 1 }).execute());
    for (let times = 0; times < 3; times++) {
      const event_id = accepted(await pair());
      expect(codes(await pair())).toEqual([403, 214]);
      await result(event_id, { outcome: 'failed', gateway_error_type: 1 });
    }
    expect(codes(await pair())).toEqual([429, 429]);
  });

  it('an integration may ask, and the label is told to nobody', async () => {
    await sees();
    const event_id = accepted(await pair(undefined, API_TOKEN));
    await grantOf(event_id);
    const { store } = cloud;
    const [commands, pending] = [
      await store.reader.selectFrom('commands').selectAll().execute(),
      await store.reader.selectFrom('pending_pairings').selectAll().execute(),
    ];
    const audit = await store.reader.selectFrom('audit_log').selectAll().execute();
    expect(pending.some(({ product_id }) => product_id === product.id)).toBe(true);
    const notified = JSON.stringify([commands, pending, audit, cloud.commandParts.pairings]);
    expect(notified).toContain(event_id);
    expect(notified).not.toContain(LABEL_SECRET);
  });
});

describe('a pairing', () => {
  beforeEach(sees);

  it('gives the product a new key when it confirms it, and not before', async () => {
    const event_id = accepted(await pair());
    expect(cloud.commandParts.pairings.at(-1)?.message).toMatchObject({
      step: 'begin',
      event_id,
      product_id: product.id,
      device_id: product.device_id,
    });
    const grant = await grantOf(event_id);
    // Of each day it is above what the product has from any other account.
    expect(grant.pairingEpoch).toBe(EPOCH_OF_THE_DAY);
    cloud.notified.length = 0;
    expect(await rowOf()).toMatchObject({ master_key_sealed: null, pairing_epoch: 0 });
    await result(event_id, { confirmation: confirmationOf(grant) });
    const { master_key_sealed, pairing_epoch } = await rowOf();
    expect(cloud.commandParts.secrets.open('product_master_key', master_key_sealed ?? '')).toEqual(
      Buffer.from(grant.masterKey),
    );
    expect(pairing_epoch).toBe(EPOCH_OF_THE_DAY);
    expect(cloud.notified).toEqual([{ lot_id: site.north, sections: ['products', 'plates'] }]);
    expect(await commandOf(event_id)).toMatchObject({ status: 'succeeded', operation: 'pair', gateway_error: null });
  });

  it('is nothing that a gateway could claim', async () => {
    const event_id = accepted(await pair());
    const grant = await grantOf(event_id);
    const forged = confirmationOf({ ...grant, masterKey: randomBytes(32) });
    await result(event_id, { confirmation: forged, authenticated: true });
    expect(await commandOf(event_id)).toMatchObject({ status: 'failed', gateway_error: { type: 11 } });
    expect(await rowOf()).toMatchObject({ master_key_sealed: null, pairing_epoch: 0 });
  });

  it('never gives a key to who has another label, whatever it says', async () => {
    const event_id = accepted(await pair());
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 16, maxLength: 16 }), async (secret) => {
        const label = bytesToHex(secret);
        fc.pre(label !== LABEL_SECRET);
        const offer = startOffer(label);
        const answer = await answerTo(event_id, offer.bytes);
        expect(answer).not.toBeNull();
        expect(answer === null ? null : offer.open(answer)).toBeNull();
      }),
      { numRuns: runs(25) },
    );
    await result(event_id, { outcome: 'failed', gateway_error_type: 0 });
    expect(await commandOf(event_id)).toMatchObject({ status: 'failed', gateway_error: { type: 0 } });
    expect(await rowOf()).toMatchObject({ master_key_sealed: null, pairing_epoch: 0 });
  });

  it('is of who has the label, though another account registered the device_id first, and tells nobody of the other', async () => {
    // Whoever reads device_ids off the air may register them all.
    const { device_id } = product;
    await cloud.ask('DELETE', `/v2/products/${product.id}`, { token: OWNER_TOKEN });
    const register = (token: string, more: object) =>
      cloud.ask('POST', '/v2/products', { token, json: { device_id, name: 'Gate', product_type_id: 2, ...more } });
    const squatted = (await register(RIVAL_TOKEN, { master_key: 'ee'.repeat(32) })).body.data as { id: number };
    const own = (await register(OWNER_TOKEN, { lot_id: site.north })).body.data as { id: number };
    product = { id: own.id, device_id };
    await sees();
    const squatter = () =>
      cloud.store.reader.selectFrom('products').selectAll().where('id', '=', squatted.id).executeTakeFirstOrThrow();
    const before = await squatter();
    const event_id = accepted(await pair());
    const grant = await grantOf(event_id);
    await result(event_id, { confirmation: confirmationOf(grant) });
    const { master_key_sealed, pairing_epoch } = await rowOf();
    const { secrets } = cloud.commandParts;
    expect(secrets.open('product_master_key', master_key_sealed ?? '')).toEqual(Buffer.from(grant.masterKey));
    // What the other one mints is of another key, and of an epoch that the product has left behind.
    expect(secrets.open('product_master_key', before.master_key_sealed ?? '')).toEqual(Buffer.alloc(32, 0xee));
    expect(pairing_epoch).toBeGreaterThan(before.pairing_epoch);
    expect(await squatter()).toEqual(before);
  });

  it('answers no offer of another product, nor one after its end', async () => {
    const event_id = accepted(await pair());
    const offer = startOffer();
    const other = offer.bytes.slice();
    other[7] = (other[7] ?? 0) ^ 1;
    expect(await answerTo(event_id, other)).toBeNull();
    await result(event_id, { outcome: 'failed', gateway_error_type: 2 });
    expect(await answerTo(event_id, offer.bytes)).toBeNull();
  });

  it('whose confirmation was lost is completed by what the product advertises', async () => {
    const event_id = accepted(await pair());
    const grant = await grantOf(event_id);
    const { dispatcher } = cloud.commandParts;
    const advertisement = bytesToHex(
      encodeAdvertisement(crypto, {
        advertisementKey: keysOf(grant).adv,
        content: {
          type: 'gate',
          deviceId: product.device_id,
          state: 'closed',
          carOnTop: false,
          autoClose: false,
          permanentPosition: 'disabled',
          errors: 0,
          battery: null,
          changeCounter: 1,
          pairingEpochLow: grant.pairingEpoch & 0xff,
          advSeq: 1,
        },
      }),
    );
    const adopt = async (hex: string) => {
      const row = await rowOf();
      return cloud.store.change((tx) => dispatcher.pairings.adoptSeen(tx, { product: row, advertisement: hex }));
    };
    // Its command still waits for the confirmation.
    expect(await adopt(advertisement)).toBe(false);
    await result(event_id, { outcome: 'failed', gateway_error_type: 2 });
    expect(await adopt(advertisement.slice(0, -2) + (advertisement.endsWith('00') ? '01' : '00'))).toBe(false);
    cloud.notified.length = 0;
    expect(await rowOf()).toMatchObject({ master_key_sealed: null });
    expect(await adopt(advertisement)).toBe(true);
    expect(cloud.notified).toEqual([{ lot_id: site.north, sections: ['products', 'plates'] }]);
    expect(await rowOf()).toMatchObject({ master_key_sealed: expect.any(String), pairing_epoch: grant.pairingEpoch });
    expect(await adopt(advertisement)).toBe(false);
  });

  it('goes on with another pairing epoch after one that failed', async () => {
    const first = accepted(await pair());
    expect((await grantOf(first)).pairingEpoch).toBe(EPOCH_OF_THE_DAY);
    await result(first, { outcome: 'failed', gateway_error_type: 2 });
    const second = accepted(await pair());
    const grant = await grantOf(second);
    expect(grant.pairingEpoch).toBe(EPOCH_OF_THE_DAY + 1);
    await result(second, { confirmation: confirmationOf(grant) });
    expect(await rowOf()).toMatchObject({ pairing_epoch: EPOCH_OF_THE_DAY + 1 });
  });
});
