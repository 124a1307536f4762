/** Stored secrets, and the gateways that they are sent to: another device gets none without a person who says so. */
import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { rawPublicKey } from '../../world/raw-public-key.js';
import { API_TOKEN } from '../http/http-site.js';
import { ADMIN_TOKEN, OWNER_TOKEN, type RestWorld, startRestWorld } from '../http/rest-world.js';

const SECRETS = {
  camera: 'WRITE-ONLY-PASSWORD',
  push: 'owner-push-key-000001',
  broker: 'BROKER-PASSWORD',
  sensors: 'SENSOR-PUSH-KEY-0001',
  display: 'DISPLAY-QUERY-KEY',
};
const ALL = Object.values(SECRETS).toSorted();

interface Thing {
  id: number;
  gateway_id: number | null;
  problem: string | null;
  address: string;
  claim_code_expires_at: string | null;
}
interface Device {
  uuid: string;
  keys: ReturnType<typeof generateKeyPairSync>;
}

let world: RestWorld;
let count = 0;

beforeAll(async () => {
  world = await startRestWorld();
});
// A lot has 15 at most.
afterEach(async () => {
  for (const id of await world.ids('/v2/gateways?size=300')) await world.remove(`/v2/gateways/${id}`);
});
afterAll(() => world?.cloud.close());

const newDevice = (): Device => ({ uuid: randomUUID(), keys: generateKeyPairSync('ed25519') });

async function newGateway(device: Device | null = newDevice()): Promise<number> {
  count += 1;
  const lot_id = world.site.north;
  const made = await world.post<{ id: number; claim_code: string }>('/v2/gateways', { name: `Pi ${count}`, lot_id });
  if (device !== null) await claim(made.claim_code, device);
  return made.id;
}

function claim(claim_code: string, { uuid, keys }: Device) {
  const signature = sign(null, Buffer.from(`${claim_code}.${uuid}`), keys.privateKey).toString('base64url');
  return world.post('/v2/gateways/claim', { claim_code, uuid, public_key: rawPublicKey(keys.publicKey), signature });
}

async function newCode(id: number, body: object = {}, token?: string): Promise<string> {
  return (await world.post<{ claim_code: string }>(`/v2/gateways/${id}/claim-code`, body, token)).claim_code;
}

/** A camera, sensors behind a broker and over HTTP, and a display of a gateway. */
async function newThings(gateway_id: number | null): Promise<string[]> {
  count += 1;
  const { north, zone } = world.site;
  const name = `T${count}`;
  const made = [
    [
      '/v2/lpr-cameras',
      { device_id: name, driver: 'hikvision', zone_id: zone, address: 'http://10.0.0.2', ...SIGN_IN },
    ],
    ['/v2/parking-gateways', { lot_id: north, driver: 'chirpstack', address: `mqtt://s:${SECRETS.broker}@10.0.0.3` }],
    ['/v2/parking-gateways', { lot_id: north, driver: 'http', application: SECRETS.sensors }],
    ['/v2/rgb-displays', { lot_id: north, driver: 'http', address: `http://10.0.0.4/x?apikey=${SECRETS.display}` }],
  ] as const;
  const paths: string[] = [];
  for (const [path, body] of made) {
    const { id } = await world.post<Thing>(path, { name: `${name}-${paths.length}`, gateway_id, ...body });
    paths.push(`${path}/${id}`);
  }
  return paths;
}
const SIGN_IN = { username: 'cam', password: SECRETS.camera, push_key: SECRETS.push };

/** The secrets in the configuration of a gateway. */
async function sentTo(id: number): Promise<string[]> {
  const text = JSON.stringify(await world.cloud.gatewayParts.publisher.snapshots(id));
  return ALL.filter((secret) => text.includes(secret));
}

async function problemsOf(paths: readonly string[]): Promise<(string | null)[]> {
  return Promise.all(paths.map(async (path) => (await world.get<Thing>(path, ADMIN_TOKEN)).problem));
}
const wanted = (fields: string) => expect.stringMatching(new RegExp(`wanted: write ${fields} again`));
const WANTED = [wanted('password and push_key'), wanted('address'), wanted('application'), wanted('address')];
const NONE = [null, null, null, null];

async function moveAll(paths: readonly string[], change: object, token?: string): Promise<void> {
  for (const path of paths) await world.patch(path, change, token);
}

describe('a thing that gets another gateway', () => {
  it('leaves its secrets behind, says so, and is sent each that is written again', async () => {
    const [own, other] = [await newGateway(), await newGateway()];
    const paths = await newThings(own);
    expect(await sentTo(own)).toEqual(ALL);
    await moveAll(paths, { gateway_id: other }, ADMIN_TOKEN);
    expect(await sentTo(other)).toEqual([]);
    expect(await sentTo(own)).toEqual([]);
    expect(await problemsOf(paths)).toEqual(WANTED);
    const [camera = '', broker = ''] = paths;
    await world.patch(camera, { password: SECRETS.camera });
    expect(await sentTo(other)).toEqual([SECRETS.camera]);
    expect((await problemsOf(paths))[0]).toEqual(wanted('push_key'));
    // As it was shown, it is not given.
    const { address } = await world.get<Thing>(broker);
    expect(address).toBe('mqtt://s:***@10.0.0.3');
    await world.patch(broker, { address });
    expect(await sentTo(other)).toEqual([SECRETS.camera]);
    await world.patch(broker, { address: `mqtt://s:${SECRETS.broker}@10.0.0.3` });
    expect(await sentTo(other)).toEqual([SECRETS.broker, SECRETS.camera]);
  });

  it('leaves them behind by way of no gateway, too, and has them again where they were', async () => {
    const [own, other] = [await newGateway(), await newGateway()];
    const paths = await newThings(own);
    await moveAll(paths, { gateway_id: null }, ADMIN_TOKEN);
    expect(await problemsOf(paths)).toEqual(NONE);
    await moveAll(paths, { gateway_id: other }, ADMIN_TOKEN);
    expect(await sentTo(other)).toEqual([]);
    await moveAll(paths, { gateway_id: own }, ADMIN_TOKEN);
    expect(await sentTo(own)).toEqual(ALL);
    expect(await problemsOf(paths)).toEqual(NONE);
  });

  it('had none before: what was stored for nobody is for nobody', async () => {
    const paths = await newThings(null);
    const first = await newGateway();
    await moveAll(paths, { gateway_id: first }, ADMIN_TOKEN);
    expect(await sentTo(first)).toEqual([]);
    expect(await problemsOf(paths)).toEqual(WANTED);
  });

  it('takes them along when a Super Admin says so, who is a person; the audit log has it', async () => {
    const [own, other] = [await newGateway(), await newGateway()];
    const paths = await newThings(own);
    const [camera = ''] = paths;
    const body = { gateway_id: other, keep_secrets: true };
    for (const token of [ADMIN_TOKEN, API_TOKEN])
      expect(await world.refused('PATCH', camera, body, token)).toEqual([403, '4']);
    expect(await world.get<Thing>(camera)).toMatchObject({ gateway_id: own });
    await moveAll(paths, body, OWNER_TOKEN);
    expect(await sentTo(other)).toEqual(ALL);
    expect(await problemsOf(paths)).toEqual(NONE);
    const log = await world.get<{ action: string; details: object }[]>('/v2/audit-log?size=4');
    expect(log.map(({ details }) => details)).toEqual(paths.map(() => expect.objectContaining({ keep_secrets: true })));
    expect(JSON.stringify(log)).not.toMatch(new RegExp(ALL.join('|')));
  });
});

describe('a gateway that a device claims', () => {
  it('for the first time gets what was given for it', async () => {
    const own = await newGateway(null);
    const paths = await newThings(own);
    const device = newDevice();
    await claim(await newCode(own, {}, ADMIN_TOKEN), device);
    expect(await sentTo(own)).toEqual(ALL);
    expect(await problemsOf(paths)).toEqual(NONE);
  });

  it('loses nothing when it is the same device, after a reset neither', async () => {
    const device = newDevice();
    const own = await newGateway(device);
    const paths = await newThings(own);
    await claim(await newCode(own, {}, ADMIN_TOKEN), device);
    expect(await sentTo(own)).toEqual(ALL);
    const { name } = await world.get<{ name: string }>(`/v2/gateways/${own}`);
    await world.post(`/v2/gateways/${own}/reset`, { confirm: name });
    expect(await sentTo(own)).toEqual([]);
    await claim(await newCode(own), device);
    expect(await sentTo(own)).toEqual(ALL);
    expect(await problemsOf(paths)).toEqual(NONE);
  });

  it.each(['claimed', 'reset'])('gets none when it is another device: %s before', async (before) => {
    const own = await newGateway();
    const paths = await newThings(own);
    const { name } = await world.get<{ name: string }>(`/v2/gateways/${own}`);
    if (before === 'reset') await world.post(`/v2/gateways/${own}/reset`, { confirm: name }, ADMIN_TOKEN);
    const code = await newCode(own, {}, ADMIN_TOKEN);
    if (before === 'claimed') expect(await sentTo(own)).toEqual(ALL);
    await claim(code, newDevice());
    expect(await sentTo(own)).toEqual([]);
    expect(await problemsOf(paths)).toEqual(WANTED);
    await world.patch(paths[0] ?? '', SIGN_IN);
    expect(await sentTo(own)).toEqual([SECRETS.camera, SECRETS.push].toSorted());
  });

  it.each(['claimed', 'reset'])(
    'gets all that a Super Admin lets go along when it is another device: %s before',
    async (before) => {
      const [own, other] = [await newGateway(), await newGateway()];
      const paths = await newThings(own);
      // What was another gateway's stays behind all the same.
      const [foreign = ''] = await newThings(other);
      await world.patch(foreign, { gateway_id: own }, ADMIN_TOKEN);
      const { name } = await world.get<{ name: string }>(`/v2/gateways/${own}`);
      if (before === 'reset') await world.post(`/v2/gateways/${own}/reset`, { confirm: name }, ADMIN_TOKEN);
      for (const token of [ADMIN_TOKEN, API_TOKEN]) {
        const refused = await world.refused('POST', `/v2/gateways/${own}/claim-code`, { keep_secrets: true }, token);
        expect(refused).toEqual([403, '4']);
      }
      await claim(await newCode(own, { keep_secrets: true }), newDevice());
      expect(await sentTo(own)).toEqual(ALL);
      expect(await problemsOf([...paths, foreign])).toEqual([...NONE, wanted('password and push_key')]);
      // It was said of that code alone.
      await claim(await newCode(own), newDevice());
      expect(await sentTo(own)).toEqual([]);
    },
  );

  it('with a code that an Admin made after it: what was said of the former one is void', async () => {
    const own = await newGateway();
    await newThings(own);
    await newCode(own, { keep_secrets: true });
    await claim(await newCode(own, {}, ADMIN_TOKEN), newDevice());
    expect(await sentTo(own)).toEqual([]);
  });
});

describe('a claim code', () => {
  const endOf = async (id: number) => (await world.get<Thing>(`/v2/gateways/${id}`)).claim_code_expires_at;
  const after = (ms: number) => new Date(world.cloud.clock.now() + ms).toISOString();
  const DAY = 86_400_000;

  it('is good for 15 minutes, or for the days of a claim file; it is withdrawn', async () => {
    const id = await newGateway(null);
    const path = `/v2/gateways/${id}/claim-code`;
    expect(await endOf(id)).toBe(after(15 * 60_000));
    const code = await newCode(id, { expires_in_days: 30 }, ADMIN_TOKEN);
    expect(await endOf(id)).toBe(after(30 * DAY));
    for (const expires_in_days of [0, 31, 1.5, '7', null]) {
      expect(await world.refused('POST', path, { expires_in_days })).toEqual([422, '23 expires_in_days']);
    }
    expect(await world.remove<Thing>(path, ADMIN_TOKEN)).toMatchObject({ id, claim_code_expires_at: null });
    await expect(claim(code, newDevice())).rejects.toThrow();
    expect(await world.remove<Thing>(path)).toMatchObject({ claim_code_expires_at: null });
    await claim(await newCode(id), newDevice());
    expect(await endOf(id)).toBeNull();
  });

  it('leaves the device as it was when it is withdrawn', async () => {
    const device = newDevice();
    const id = await newGateway(device);
    const before = await world.get<{ claimed_at: string }>(`/v2/gateways/${id}`);
    expect(before.claimed_at).not.toBeNull();
    await newCode(id);
    expect(await world.remove(`/v2/gateways/${id}/claim-code`)).toMatchObject({ claimed_at: before.claimed_at });
  });

  it('answers the same device again for 15 minutes, and then nobody, when it is valid for a month', async () => {
    const id = await newGateway(null);
    const [code, device] = [await newCode(id, { expires_in_days: 30 }), newDevice()];
    await world.cloud.clock.sleep(10 * DAY);
    const first = await claim(code, device);
    expect((await claim(code, device)).mqtt).toEqual(first.mqtt);
    await world.cloud.clock.advance(16 * 60_000);
    await expect(claim(code, device)).rejects.toThrow();
  });
});

describe('a gateway without a lot', () => {
  it('belongs to Super Admins: nobody else sees it, in no way', async () => {
    const { id } = await world.post<Thing>('/v2/gateways', { name: 'Nowhere' });
    const path = `/v2/gateways/${id}`;
    expect(await world.get(path)).toMatchObject({ lot_id: null });
    expect(await world.ids('/v2/gateways?size=300')).toContain(id);
    expect(await world.ids('/v2/gateways?size=300', ADMIN_TOKEN)).not.toContain(id);
    const asked = [
      ['GET', path],
      ['PATCH', path, { lot_id: world.site.north }],
      ['POST', `${path}/claim-code`, {}],
      ['DELETE', `${path}/claim-code`],
      ['POST', `${path}/reset`, { confirm: 'Nowhere' }],
      ['GET', `${path}/health`],
      ['GET', `${path}/console-password`],
      ['DELETE', path],
    ] as const;
    for (const [method, at, body] of asked)
      expect(await world.refused(method, at, body, ADMIN_TOKEN)).toEqual([404, '6']);
    expect(await world.remove(path)).toMatchObject({ id });
  });
});
