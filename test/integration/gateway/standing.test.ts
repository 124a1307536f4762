/** What devices are told that are gateways no more, and what may be claimed again. */
import { createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign, verify } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cloudKeyOf } from '../../../cloud/equipment/gateway/cloud-key.js';
import { endBoundedAudit } from '../../../cloud/kernel/audit/bounded-audit-queries.js';
import { findAuditHead } from '../../../cloud/kernel/audit/audit-log-queries.js';
import { RETIRED_KEPT } from '../../../cloud/equipment/gateway/retired-device-queries.js';
import { standingAnswerText, standingQuestionText } from '../../../shared/gateway-standing.js';
import { rawPublicKey } from '../../world/raw-public-key.js';
import { OWNER_TOKEN, type RestWorld, startRestWorld } from '../http/rest-world.js';

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

function device(uuid: string = crypto.randomUUID()): Device {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return { uuid, privateKey, public_key: rawPublicKey(publicKey) };
}

async function claim(of: Device, claim_code: string, again?: object) {
  const signature = sign(null, Buffer.from(`${claim_code}.${of.uuid}`), of.privateKey).toString('base64url');
  const { uuid, public_key } = of;
  const json = { claim_code, uuid, public_key, signature, ...(again === undefined ? {} : { again }) };
  const { status, body } = await world.cloud.ask('POST', '/v2/gateways/claim', { json });
  const data = body.data as { mqtt: { username: string; password: string } } | undefined;
  return { status, errors: body.errors, mqtt: data?.mqtt };
}

const publicKey = () => cloudKeyOf(world.cloud.secrets).publicKey;

/** The document does not show what gateways alone ask. */
async function post(json: object) {
  const response = await fetch(`${world.cloud.base}/v2/gateways/standing`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(json),
  });
  return {
    status: response.status,
    body: (await response.json()) as { data?: unknown; errors?: { field?: string }[] },
  };
}

/** Asks as the device does, and checks the signature of the answer as it does. */
async function standing(of: Device, { leaves = false, waiting = 0 } = {}): Promise<string> {
  const { uuid, public_key } = of;
  const asked = { uuid, public_key, nonce: randomBytes(32).toString('base64url'), waiting, leaves };
  const signature = sign(null, Buffer.from(standingQuestionText(asked)), of.privateKey).toString('base64url');
  const { status, body } = await post({ ...asked, signature });
  expect([status, body.errors]).toEqual([200, undefined]);
  const answer = body.data as { standing: 'current'; signature: string };
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: publicKey() }, format: 'jwk' });
  const signed = Buffer.from(standingAnswerText(asked, answer.standing));
  expect(verify(null, signed, key, Buffer.from(answer.signature, 'base64url'))).toBe(true);
  expect(verify(null, Buffer.from(`${signed.toString()} `), key, Buffer.from(answer.signature, 'base64url'))).toBe(
    false,
  );
  return answer.standing;
}

async function gateway(name: string) {
  const made = await world.post<{ id: number; claim_code: string }>('/v2/gateways', {
    name,
    lot_id: world.site.north,
  });
  const newCode = async () =>
    (await world.post<{ claim_code: string }>(`/v2/gateways/${made.id}/claim-code`, undefined)).claim_code;
  return { ...made, newCode };
}
const row = (id: number) =>
  world.cloud.store.reader.selectFrom('gateways').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
const auditedEntries = async () => (await findAuditHead(world.cloud.store.reader)).entries;
const auditOf = async (id: number) =>
  (
    await world.cloud.store.reader
      .selectFrom('audit_log')
      .select(['action', 'details'])
      .where('target', '=', `gateway ${id}`)
      .orderBy('id')
      .execute()
  ).map(({ action, details }) => ({ action, details: JSON.parse(details) as object }));

describe('claims that are repeated or refused', () => {
  const HOUR_MS = 3_600_000;
  const entriesOf = async (id: number, action: string) => (await auditOf(id)).filter((each) => each.action === action);

  it('have one entry an hour each, with their count', async () => {
    const { id, claim_code } = await gateway('Claimed again and again');
    const own = device();
    for (let time = 0; time < 20; time++) expect((await claim(own, claim_code)).status).toBe(200);
    for (let time = 0; time < 15; time++) expect((await claim(device(), claim_code)).status).toBe(404);
    expect((await entriesOf(id, 'gateway.claim')).map(({ details }) => 'is_repeated' in details)).toEqual([
      false,
      true,
    ]);
    expect(await entriesOf(id, 'gateway.claim_refused')).toHaveLength(1);
    const now = world.cloud.clock.now() + HOUR_MS;
    for (let time = 0; time < 2; time++) await world.cloud.store.change((tx) => endBoundedAudit(tx, { now }));
    expect((await entriesOf(id, 'gateway.claim')).at(-1)?.details).toMatchObject({ is_repeated: true, count: 18 });
    expect((await entriesOf(id, 'gateway.claim_refused')).at(-1)?.details).toMatchObject({ count: 14 });
    expect(await entriesOf(id, 'gateway.claim_refused')).toHaveLength(2);
  });

  it('are one entry an hour in all for codes that nobody has', async () => {
    const before = await auditedEntries();
    for (let time = 0; time < 10; time++) expect((await claim(device(), `NO-CODE-${time}`)).status).toBe(404);
    expect(await auditedEntries()).toBe(before + 1);
  });
});

describe('the standing of a device', () => {
  it('is told as often as a device asks, and is one entry of the audit log', async () => {
    const { claim_code, newCode } = await gateway('Asks without end');
    const old = device();
    await claim(old, claim_code);
    await claim(device(), await newCode());
    expect(await standing(old)).toBe('replaced');
    const before = await auditedEntries();
    for (let time = 0; time < 30; time++) expect(await standing(old)).toBe('replaced');
    expect(await auditedEntries()).toBe(before);
  });

  it('is current until another device is claimed in its place, which keeps its uuid', async () => {
    const { id, claim_code, newCode } = await gateway('Replaced');
    const old = device();
    expect((await claim(old, claim_code)).mqtt?.username).toBe(old.uuid);
    expect(await standing(old)).toBe('current');
    const code = await newCode();
    expect(await standing(old)).toBe('current');
    const fresh = device();
    const { mqtt } = await claim(fresh, code);
    expect(mqtt?.username).toBe(old.uuid);
    expect(await standing({ ...fresh, uuid: old.uuid })).toBe('current');
    expect(await standing(old, { waiting: 7 })).toBe('replaced');
    expect(await standing(old, { waiting: 0 })).toBe('replaced');
    const recorded = await world.cloud.store.reader
      .selectFrom('retired_devices')
      .select(['why', 'waiting'])
      .where('gateway_id', '=', id)
      .execute();
    expect(recorded).toEqual([{ why: 'replaced', waiting: 7 }]);
    expect((await auditOf(id)).filter(({ details }) => 'why' in details)).toHaveLength(1);
  });

  it('is reset at once over REST, for who says the name; the gateway waits for a new code', async () => {
    const { id, claim_code, newCode } = await gateway('Reset');
    const own = device();
    await claim(own, claim_code);
    const before = await row(id);
    const path = `/v2/gateways/${id}/reset`;
    const wrong = await world.cloud.ask('POST', path, { token: OWNER_TOKEN, json: { confirm: 'reset' } });
    expect([wrong.status, wrong.body.errors?.[0]?.field]).toEqual([422, 'confirm']);
    expect(await standing(own)).toBe('current');
    await world.post(path, { confirm: 'Reset' });
    const after = await row(id);
    expect(after).toMatchObject({ uuid: own.uuid, public_key: null, mqtt_password_hash: null, claimed_at: null });
    expect([after.slot, after.claim_code_hash]).not.toEqual([before.slot, before.claim_code_hash]);
    expect(await standing(own)).toBe('reset');
    // The old code is worth nothing, also to the same device.
    expect((await claim(own, claim_code)).status).toBe(404);
    expect((await claim(own, await newCode())).status).toBe(200);
    expect(await standing(own)).toBe('current');
  });

  it('ends when the device says that it is being erased, and with its gateway', async () => {
    const left = await gateway('Left');
    const leaver = device();
    await claim(leaver, left.claim_code);
    expect(await standing(leaver, { leaves: true, waiting: 3 })).toBe('reset');
    expect(await row(left.id)).toMatchObject({ public_key: null, mqtt_password_hash: null });
    expect(await standing(leaver, { leaves: true })).toBe('reset');
    const gone = await gateway('Gone');
    const deleted = device();
    await claim(deleted, gone.claim_code);
    await world.remove(`/v2/gateways/${gone.id}`);
    expect(await standing(deleted)).toBe('deleted');
  });

  it('is kept of the newest devices of an account only, however many it claims and resets', async () => {
    const { id, claim_code, newCode } = await gateway('Again and again');
    const [first, last] = [device(), device()];
    await claim(first, claim_code);
    await world.post(`/v2/gateways/${id}/reset`, { confirm: 'Again and again' });
    expect(await standing(first)).toBe('reset');
    const { store } = world.cloud;
    const kept = () => store.reader.selectFrom('retired_devices').selectAll().orderBy('id').execute();
    const like = (await kept()).at(-1);
    if (like === undefined) throw new Error('nothing was kept');
    const { id: _id, ...ended } = like;
    const rival = { ...ended, account_id: 2_000_000_000, public_key: 'of another account' };
    const many = Array.from({ length: RETIRED_KEPT }, (_, n) => ({ ...ended, public_key: `key ${n}` }));
    await store.change((tx) =>
      tx
        .insertInto('retired_devices')
        .values([rival, ...many])
        .execute(),
    );
    await claim(last, await newCode());
    await world.post(`/v2/gateways/${id}/reset`, { confirm: 'Again and again' });
    expect(await standing(first)).toBe('unknown');
    expect(await standing({ ...last, uuid: first.uuid })).toBe('reset');
    expect((await kept()).filter(({ account_id }) => account_id === rival.account_id)).toHaveLength(1);
    const own = (await kept()).filter(({ account_id }) => account_id === ended.account_id);
    expect([own.length, own[0]?.public_key, own.at(-1)?.public_key]).toEqual([RETIRED_KEPT, 'key 1', last.public_key]);
  });

  it('is told to nobody else', async () => {
    const { claim_code } = await gateway('Watched');
    const own = device();
    await claim(own, claim_code);
    expect(await standing(device(own.uuid))).toBe('unknown');
    const thief = device();
    const asked = { uuid: own.uuid, public_key: own.public_key, nonce: 'A'.repeat(43), waiting: 0, leaves: true };
    const signature = sign(null, Buffer.from(standingQuestionText(asked)), thief.privateKey).toString('base64url');
    const forged = await post({ ...asked, signature });
    expect([forged.status, forged.body.errors?.[0]?.field]).toEqual([422, 'signature']);
    expect(await standing(own)).toBe('current');
  });
});

describe('a claim of a device that keeps what it has', () => {
  it('is one of the same gateway at the same cloud, or leaves the code unused', async () => {
    const { id, claim_code, newCode } = await gateway('Again');
    const own = device();
    const first = await claim(own, claim_code);
    const before = await row(id);
    const same = { uuid: own.uuid, cloud_key: publicKey() };
    const other = await gateway('Another');
    for (const [code, again] of [
      [other.claim_code, same],
      [await newCode(), { ...same, cloud_key: own.public_key }],
    ] as const) {
      const { status, errors } = await claim(own, code, again);
      expect([status, errors?.[0]?.field]).toEqual([422, 'again']);
    }
    expect((await claim(device(), other.claim_code)).status).toBe(200);
    world.cloud.clock.jumpWall(3_600_000);
    const again = await claim(own, await newCode(), same);
    expect(again.mqtt?.username).toBe(own.uuid);
    expect(again.mqtt?.password).not.toBe(first.mqtt?.password);
    const { slot, slot_generation, device_since, claimed_at } = await row(id);
    // What it recorded before is still its own: nothing of its queue becomes a dead letter.
    expect({ slot, slot_generation, device_since }).toEqual({
      slot: before.slot,
      slot_generation: before.slot_generation,
      device_since: before.device_since,
    });
    expect(claimed_at).toBeGreaterThan(before.claimed_at ?? 0);
  });
});
