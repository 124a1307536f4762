/** What a device recorded before it knew that another one has replaced it, handed over to the cloud by REST. */
import { createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign, verify } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cloudKeyOf } from '../../../cloud/equipment/gateway/cloud-key.js';
import { lastRecordsAnswerText, lastRecordsText, standingQuestionText } from '../../../shared/gateway-standing.js';
import { DAY_MS } from '../../../shared/durations.js';
import type { Ack } from '../../../shared/uplink.js';
import { rawPublicKey } from '../../world/raw-public-key.js';
import { type RestWorld, startRestWorld } from '../http/rest-world.js';
import { newOutboxEpoch, recordOf, wireBatch } from '../ingest/gateway-records.js';

interface Device {
  uuid: string;
  privateKey: KeyObject;
  public_key: string;
}

let world: RestWorld;
beforeAll(async () => {
  world = await startRestWorld({ publicPerMin: 0 });
});
afterAll(() => world.cloud.close());

function device(): Device {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return { uuid: crypto.randomUUID(), privateKey, public_key: rawPublicKey(publicKey) };
}

async function claim({ uuid, public_key, privateKey }: Device, claim_code: string): Promise<void> {
  const signature = sign(null, Buffer.from(`${claim_code}.${uuid}`), privateKey).toString('base64url');
  const json = { claim_code, uuid, public_key, signature };
  expect((await world.cloud.ask('POST', '/v2/gateways/claim', { json })).status).toBe(200);
}

async function claimed(name: string) {
  const made = await world.post<{ id: number; claim_code: string }>('/v2/gateways', { name, lot_id: world.site.north });
  const own = device();
  await claim(own, made.claim_code);
  return { id: made.id, own };
}

/** The device asks what it is, as it does before it hands anything over. */
async function askStanding({ uuid, public_key, privateKey }: Device): Promise<string> {
  const asked = { uuid, public_key, nonce: randomBytes(32).toString('base64url'), waiting: 2, leaves: false };
  const signature = sign(null, Buffer.from(standingQuestionText(asked)), privateKey).toString('base64url');
  return (await post<{ standing: string }>('standing', { ...asked, signature })).data.standing;
}

async function post<Data>(path: string, json: object): Promise<{ status: number; data: Data }> {
  const response = await fetch(`${world.cloud.base}/v2/gateways/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(json),
  });
  return { status: response.status, data: ((await response.json()) as { data: Data }).data };
}

/** Hands a batch over as the device does, and checks the signature of the answer as it does. */
async function handOver(of: Device, batch: string, signer = of.privateKey): Promise<Ack | null | number> {
  const { uuid, public_key } = of;
  const handed = { uuid, public_key, batch };
  const signature = sign(null, Buffer.from(lastRecordsText(handed)), signer).toString('base64url');
  const { status, data } = await post<{ ack: Ack | null; signature: string }>('last-records', { ...handed, signature });
  if (status !== 200) return status;
  const x = cloudKeyOf(world.cloud.secrets).publicKey;
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  const text = Buffer.from(lastRecordsAnswerText(handed, data.ack));
  expect(verify(null, text, key, Buffer.from(data.signature, 'base64url'))).toBe(true);
  return data.ack;
}

const lostOf = async (id: number) =>
  (await world.cloud.store.reader.selectFrom('lost_records').select('to_seq').where('gateway_id', '=', id).execute())
    .length;
const lost = (to: number) => ({ kind: 'lost', lane: 1, from: to, to });

it('is taken of a device that was replaced or reset, once, and of nobody else', async () => {
  const { id, own } = await claimed('Replaced');
  const epoch = newOutboxEpoch();
  const batch = wireBatch(epoch, 0, [recordOf(1, lost(1)), recordOf(2, lost(2))]).toString();
  expect(await handOver(own, batch)).toBeNull();
  const { claim_code } = await world.post<{ claim_code: string }>(`/v2/gateways/${id}/claim-code`, undefined);
  const next = device();
  await claim(next, claim_code);

  expect(await handOver(own, batch)).toBeNull();
  expect(await askStanding(own)).toBe('replaced');
  expect(await handOver(own, batch, next.privateKey)).toBe(422);
  expect(await handOver({ ...next, uuid: own.uuid }, batch)).toBeNull();
  expect(await lostOf(id)).toBe(0);
  const ack = { epoch, lane: 0, seq: 2, gap: false, diverged: false };
  expect([await handOver(own, batch), await handOver(own, batch)]).toEqual([ack, ack]);
  expect(await lostOf(id)).toBe(2);

  await world.post(`/v2/gateways/${id}/reset`, { confirm: 'Replaced' });
  const later = wireBatch(newOutboxEpoch(), 0, [recordOf(1, lost(3))]).toString();
  const second = { ...next, uuid: own.uuid };
  expect(await askStanding(second)).toBe('reset');
  expect(await handOver(second, later)).toMatchObject({ seq: 1 });
  expect(await lostOf(id)).toBe(3);
});

it('is taken of no gateway that was deleted', async () => {
  const { id, own } = await claimed('Gone');
  await world.remove(`/v2/gateways/${id}`);
  const batch = wireBatch(newOutboxEpoch(), 0, [recordOf(1, lost(1))]).toString();
  expect(await handOver(own, batch)).toBeNull();
});

/** Another device takes the place of one, which is away. */
async function replaced(name: string) {
  const { id, own } = await claimed(name);
  const { claim_code } = await world.post<{ claim_code: string }>(`/v2/gateways/${id}/claim-code`, undefined);
  await claim(device(), claim_code);
  return { id, own, batch: wireBatch(newOutboxEpoch(), 0, [recordOf(1, lost(1))]).toString() };
}

/** Has so much time pass since a device was replaced, or was told so. */
const setBack = (public_key: string, column: 'retired_at' | 'told_at', byMs: number) =>
  world.cloud.store.change((tx) =>
    tx
      .updateTable('retired_devices')
      .set((eb) => ({ [column]: eb(column, '-', byMs) }))
      .where('public_key', '=', public_key)
      .execute(),
  );

it('is taken for a day after the device was told, so that one that was stolen is not believed for ever', async () => {
  const { id, own, batch } = await replaced('Told');
  await askStanding(own);
  await setBack(own.public_key, 'told_at', DAY_MS - 60_000);
  expect(await handOver(own, batch)).toMatchObject({ seq: 1 });
  await setBack(own.public_key, 'told_at', 120_000);
  // It may ask again as often as it likes.
  expect(await askStanding(own)).toBe('replaced');
  expect(await handOver(own, wireBatch(newOutboxEpoch(), 0, [recordOf(1, lost(2))]).toString())).toBeNull();
  expect(await lostOf(id)).toBe(1);
});

it("is taken of nobody who comes later than its lot's days of autonomy and a week after it was replaced", async () => {
  const { own, batch } = await replaced('Late');
  await setBack(own.public_key, 'retired_at', 38 * DAY_MS - 60_000);
  expect(await askStanding(own)).toBe('replaced');
  expect(await handOver(own, batch)).toMatchObject({ seq: 1 });
  await setBack(own.public_key, 'retired_at', 120_000);
  expect(await handOver(own, batch)).toBeNull();
});
