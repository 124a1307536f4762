import { createPublicKey, generateKeyPairSync, sign, type KeyObject, verify } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { ownChange } from '../../../cloud/kernel/audit/audit-note.js';
import { claimGateway, type ClaimDeps } from '../../../cloud/equipment/gateway/claim.js';
import { claimBodySchema } from '../../../cloud/equipment/gateway/claim-body.js';
import { fieldErrors } from '../../../cloud/rest/request/validation.js';
import {
  createGatewayAuthenticator,
  createGatewayCredentials,
} from '../../../cloud/equipment/gateway/mqtt-password.js';
import { canonicalCode } from '../../../shared/typed-code.js';
import { hashToken } from '../../../cloud/kernel/secrets/secrets.js';
import { ApiError } from '../../../shared/errors.js';
import type { GatewayUuid } from '../../../shared/ids.js';
import { rawPublicKey } from '../../world/raw-public-key.js';
import { gatewayRow, insertId, NORTH_GATEWAY, RIVAL_GATEWAY, secrets } from './link-site.js';
import { storeWorld } from './store-world.js';
import { MINUTE_MS } from '../../../shared/durations.js';

const UUID = 'bbbbbbbb-2222-4222-8222-222222222222' as GatewayUuid;
const CODE = 'HARBOURNORTH0001';

const world = storeWorld('for each test');
let claimed: { id: number; uuid: GatewayUuid; lot_id: number | null }[];
let gatewayId: number;

beforeEach(async () => {
  claimed = [];
  gatewayId = await addGateway({});
});

function addGateway(more: { uuid?: string; code?: string; claim_expires_at?: number; slot?: number }): Promise<number> {
  const { code = CODE, slot = 5, ...columns } = more;
  const row = gatewayRow({ account_id: world.site.account, lot_id: world.site.lot, slot, name: code });
  return world.store.change((tx) => insertId(tx, 'gateways', { ...row, claim_code_hash: hashToken(code), ...columns }));
}

interface Device {
  privateKey: KeyObject;
  public_key: string;
}

function createDevice(): Device {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return { privateKey, public_key: rawPublicKey(publicKey) };
}

function bodyOf(device: Device, more: { claim_code?: string; uuid?: string } = {}) {
  const { claim_code = CODE, uuid = UUID } = more;
  const signature = sign(null, Buffer.from(`${claim_code}.${uuid}`), device.privateKey).toString('base64url');
  return { claim_code, uuid, public_key: device.public_key, signature };
}

/** As the endpoint takes it: parsed, then done. */
async function claim(body: unknown, more: Partial<ClaimDeps> = {}) {
  const parsed = claimBodySchema.safeParse(body);
  if (!parsed.success) throw ApiError.validation(fieldErrors(parsed.error));
  return claimGateway({
    ...world,
    secrets,
    mqtt: { url: 'mqtt://cloud.example:1883', ca: null, passwordFor: ({ password }) => password },
    configOf: async () => [],
    onClaimed: async (gateway) => void claimed.push(gateway),
    ...more,
  })(parsed.data, ownChange(world.store));
}

async function refusal(body: unknown): Promise<{ status: number; errors: ApiError['errors'] }> {
  const before = await rows();
  const error = await claim(body).then(
    () => new Error('the claim was accepted'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof ApiError)) throw error;
  expect(await rows()).toEqual(before);
  expect(claimed).toEqual([]);
  return { status: error.status, errors: error.errors };
}

const setCode = (code: string) =>
  world.store.change((tx) =>
    tx
      .updateTable('gateways')
      .set({ claim_code_hash: hashToken(code) })
      .where('id', '=', gatewayId)
      .execute(),
  );
/** As the service makes one. */
const MADE_CODE = '06H8-MM72-38AP-2FT0';
const rows = () => world.store.reader.selectFrom('gateways').selectAll().execute();
const NOT_FOUND = { status: 404, errors: [expect.objectContaining({ code: 6 })] };

describe('a claim', () => {
  it('makes the device the gateway: its uuid, its key, a password that the broker accepts', async () => {
    const device = createDevice();
    const { mqtt } = await claim(bodyOf(device));
    expect(mqtt).toEqual({
      url: 'mqtt://cloud.example:1883',
      username: UUID,
      password: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      ca: null,
    });
    const row = (await rows()).find(({ id }) => id === gatewayId);
    expect(row).toMatchObject({ uuid: UUID, public_key: device.public_key, claimed_at: world.clock.now() });
    expect(JSON.stringify(row)).not.toContain(mqtt.password);
    expect(claimed).toMatchObject([{ uuid: UUID, lot_id: world.site.lot }]);
    const authenticate = createGatewayAuthenticator(world.store);
    expect(await authenticate(UUID, mqtt.password)).toBe(true);
    expect(await authenticate(UUID, `${mqtt.password}x`)).toBe(false);
    expect(await authenticate(UUID, '')).toBe(false);
    expect(await authenticate('cccccccc-2222-4222-8222-222222222222' as GatewayUuid, mqtt.password)).toBe(false);
  });

  it.each([
    [MADE_CODE, MADE_CODE],
    [MADE_CODE, '06h8-mm72-38ap-2ft0'],
    [MADE_CODE, '06H8MM7238AP2FT0'],
    [MADE_CODE, '06H8 MM72 38AP 2FT0'],
    [MADE_CODE, ' 06H8-MM72-38AP-2FT0 '],
    [MADE_CODE, '06h8\u2013mm72\u201338ap\u20132ft0'],
    [MADE_CODE, 'O6H8-MM72-38AP-2FTO'],
    [canonicalCode('Site-code-0001'), 'site code 0001'],
    [canonicalCode('Site-code-0001'), 'Site-code-0001'],
    ['--------', '--------'],
  ])('takes the code that is kept as %s when somebody types %s', async (kept, typed) => {
    await setCode(kept);
    const device = createDevice();
    const { mqtt } = await claim(bodyOf(device, { claim_code: typed }));
    expect(mqtt.username).toBe(UUID);
    // Also what is typed in another way is the same code, of the same device.
    expect((await claim(bodyOf(device, { claim_code: kept }))).mqtt).toEqual(mqtt);
    expect((await rows()).find(({ id }) => id === gatewayId)?.claimed_code_hash).toBe(hashToken(kept));
  });

  it.each([' ', '- -', '06H8-MM72-38AP-2FT', 'O6H8-MM72-38AP-2FTX'])('takes no other code: %j', async (typed) => {
    await setCode('--------');
    expect(await refusal(bodyOf(createDevice(), { claim_code: typed }))).toEqual(NOT_FOUND);
  });

  it('gives a password that can be made again for an external broker, also while another code waits', async () => {
    const credentials = createGatewayCredentials({ store: world.store, secrets, logger: world.logger });
    expect(await credentials.find(UUID)).toBeNull();
    const { mqtt } = await claim(bodyOf(createDevice()));
    const credential = { uuid: UUID, password: mqtt.password };
    expect(await credentials.find(UUID)).toEqual(credential);
    await setCode('NEW');
    expect(await credentials.find(UUID)).toEqual(credential);
    expect(await credentials.list()).toEqual([credential]);
    // Claimed before the code was kept, and given another one since.
    await world.store.change((tx) => tx.updateTable('gateways').set({ claimed_code_hash: null }).execute());
    expect(await credentials.list()).toEqual([]);
    expect(world.log.at(-1)).toMatchObject({ level: 'warn', message: expect.stringContaining('claimed anew') });
  });

  it('gets the same answer for the same device for 15 minutes, and changes nothing', async () => {
    const device = createDevice();
    const first = await claim(bodyOf(device));
    const before = await rows();
    world.clock.jumpWall(15 * MINUTE_MS);
    expect(await claim(bodyOf(device))).toEqual(first);
    expect(await rows()).toEqual(before);
    expect(claimed).toHaveLength(1);
    claimed = [];
    world.clock.jumpWall(1);
    expect(await refusal(bodyOf(device))).toEqual(NOT_FOUND);
  });

  it('is refused to another device after that', async () => {
    await claim(bodyOf(createDevice()));
    claimed = [];
    expect(await refusal(bodyOf(createDevice()))).toEqual(NOT_FOUND);
  });

  it('at the same moment by two devices is won by one', async () => {
    const results = await Promise.allSettled([claim(bodyOf(createDevice())), claim(bodyOf(createDevice()))]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(claimed).toHaveLength(1);
  });

  it('leaves a gateway the uuid it was given, which the device adopts', async () => {
    const given = 'dddddddd-2222-4222-8222-222222222222';
    await addGateway({ uuid: given, code: 'SECOND', slot: 6 });
    const { mqtt } = await claim(bodyOf(createDevice(), { claim_code: 'SECOND' }));
    expect(mqtt.username).toBe(given);
    expect(await createGatewayAuthenticator(world.store)(given as GatewayUuid, mqtt.password)).toBe(true);
  });

  it('gives a cloned card a uuid of its own', async () => {
    const { mqtt } = await claim(bodyOf(createDevice(), { uuid: NORTH_GATEWAY }));
    expect(mqtt.username).not.toBe(NORTH_GATEWAY);
    expect((await rows()).find(({ id }) => id === gatewayId)?.uuid).toBe(mqtt.username);
  });

  it.each(['the device', 'its account'])(
    'succeeds with a uuid that another account uses, when %s names it, and takes nothing from who has it',
    async (who) => {
      const before = (await rows()).find(({ uuid }) => uuid === RIVAL_GATEWAY);
      const isGiven = who === 'its account';
      const id = await addGateway({ code: 'SECOND', slot: 6, ...(isGiven ? { uuid: RIVAL_GATEWAY } : {}) });
      const device = createDevice();
      const named = isGiven ? {} : { uuid: RIVAL_GATEWAY };
      const { mqtt } = await claim(bodyOf(device, { claim_code: 'SECOND', ...named }));
      expect(mqtt.username).not.toBe(RIVAL_GATEWAY);
      const after = await rows();
      expect(after.find((row) => row.id === id)).toMatchObject({ uuid: mqtt.username, public_key: device.public_key });
      expect(after.find(({ uuid }) => uuid === RIVAL_GATEWAY)).toEqual(before);
    },
  );

  it('works until the code expires', async () => {
    await addGateway({ code: 'SHORT', slot: 6, claim_expires_at: world.clock.now() + MINUTE_MS });
    world.clock.jumpWall(MINUTE_MS);
    expect(await refusal(bodyOf(createDevice(), { claim_code: 'SHORT' }))).toEqual(NOT_FOUND);
    world.clock.jumpWall(-1);
    await claim(bodyOf(createDevice(), { claim_code: 'SHORT' }));
  });

  it('with a new code gives the same gateway another password', async () => {
    const device = createDevice();
    const first = await claim(bodyOf(device));
    await world.store.change(async (tx) => {
      const renewed = { claim_code_hash: hashToken('NEW'), claimed_at: null };
      await tx.updateTable('gateways').set(renewed).where('id', '=', gatewayId).execute();
    });
    const second = await claim(bodyOf(device, { claim_code: 'NEW' }));
    expect(second.mqtt.username).toBe(first.mqtt.username);
    expect(second.mqtt.password).not.toBe(first.mqtt.password);
    expect(await createGatewayAuthenticator(world.store)(UUID, first.mqtt.password)).toBe(false);
  });

  it('is refused for a code that is wrong', async () => {
    expect(await refusal(bodyOf(createDevice(), { claim_code: 'HARBOUR-NORTH-0002' }))).toEqual(NOT_FOUND);
  });

  it('is refused for a key of small order, under which a trivial signature fits', async () => {
    const keys = [
      ...['00', '01'].map((first) => `${first}${'00'.repeat(31)}`),
      ...['ec', 'ed', 'ee'].map((first) => `${first}${'ff'.repeat(30)}7f`),
      '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
      'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
    ].flatMap((hex) => [hex, `${hex.slice(0, -2)}${(Number.parseInt(hex.slice(-2), 16) | 0x80).toString(16)}`]);
    const signature = Buffer.concat([Buffer.from([1]), Buffer.alloc(63)]);
    for (const hex of keys) {
      const raw = Buffer.from(hex, 'hex');
      const der = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), raw]);
      const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
      // One claim in eight passes at least.
      const codes = Array.from({ length: 400 }, (_, index) => `CODE-${index}`);
      const code = codes.find((each) => verify(null, Buffer.from(`${each}.${UUID}`), key, signature)) ?? '';
      expect([hex, code]).toEqual([hex, expect.stringMatching(/^CODE-/)]);
      const forged = { claim_code: code, uuid: UUID, public_key: raw.toString('base64url') };
      const body = { ...forged, signature: signature.toString('base64url') };
      // Whoever has no code learns nothing of keys.
      expect(await refusal(body)).toEqual(NOT_FOUND);
      await setCode(canonicalCode(code));
      const { status, errors } = await refusal(body);
      expect([hex, status, errors.map(({ field }) => field)]).toEqual([hex, 422, ['public_key']]);
      await setCode(CODE);
    }
  });

  const good = bodyOf(createDevice());
  const bytes = Buffer.from(good.signature, 'base64url');
  // One bit: a byte that is set may have been just that before.
  bytes.writeUInt8(bytes.readUInt8(0) ^ 1, 0);
  const flipped = bytes.toString('base64url');
  it.each<[string, unknown, string[]]>([
    ['a signature that does not fit', { ...good, signature: flipped }, ['signature']],
    [
      'a signature over another uuid',
      { ...bodyOf(createDevice(), { uuid: NORTH_GATEWAY }), uuid: UUID },
      ['signature'],
    ],
    ["another device's key", { ...good, public_key: createDevice().public_key }, ['signature']],
    ['a key of 31 bytes', { ...good, public_key: Buffer.alloc(31).toString('base64url') }, ['public_key']],
    ['a key in hex', { ...good, public_key: '00'.repeat(32) }, ['public_key']],
    ['a signature of no length', { ...good, signature: '' }, ['signature']],
    ['a uuid in upper case', { ...good, uuid: UUID.toUpperCase() }, ['uuid']],
    ['an unknown key', { ...good, lot_id: 1 }, ['lot_id']],
    ['several faults', { claim_code: '', uuid: 'x' }, ['claim_code', 'uuid', 'public_key', 'signature']],
    ['no object', 'claim', ['body']],
  ])('is refused for %s, naming the field', async (_what, body, fields) => {
    const { status, errors } = await refusal(body);
    expect(status).toBe(422);
    expect(errors.map(({ code, field }) => [code, field])).toEqual(fields.map((field) => [23, field]));
  });
});
