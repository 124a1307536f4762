/** Releases in the cloud: published by its command line, fetched by gateways, seen and steered by those who manage them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  runReleaseList,
  runReleasePause,
  runReleasePublish,
  runReleaseRemove,
  runReleaseRollOut,
  runReleaseStatus,
} from '../../../cloud/doors/cli/releases.js';
import { createReleaseFiles } from '../../../cloud/equipment/release/release-files.js';
import { saveGatewayHealth } from '../../../cloud/equipment/gateway/gateway-health-queries.js';
import { CONFIG_SECTIONS } from '../../../shared/gateway-config.js';
import type { UpdateReport } from '../../../shared/releases.js';
import type { GatewayHealthReport } from '../../../shared/uplink-reports.js';
import { GUARD_TOKEN, OWNER_TOKEN } from '../http/http-site.js';
import { RIVAL_TOKEN, type RestWorld, startRestWorld } from '../http/rest-world.js';
import { makeSigner, manifestOf, type Signer, writeBundle } from '../../world/signed-bundle.js';
import { recordIo } from '../../world/record-io.js';

const UUID = '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7d01';
const MACHINE = 'parking-gateway-arm64';

let world: RestWorld;
let signer: Signer;
let id: number;

beforeAll(async () => {
  world = await startRestWorld();
  signer = makeSigner(world.cloud.directory);
  ({ id } = await world.post<{ id: number }>('/v2/gateways', { name: 'Pi', lot_id: world.site.north, uuid: UUID }));
  // As if a device had claimed it.
  await world.cloud.store.change((tx) =>
    tx.updateTable('gateways').set({ mqtt_password_hash: 'x', public_key: 'key' }).where('id', '=', id).execute(),
  );
});
afterAll(() => world.cloud.close());

const fileNamed = (name: string) => join(world.cloud.directory, name);

/** Runs a subcommand beside the cloud. */
async function cli<T extends object>(
  run: (
    options: T & { json: boolean },
    deps: Parameters<typeof runReleasePublish>[1],
    io: Parameters<typeof runReleasePublish>[2],
  ) => Promise<0 | 2>,
  options: T,
  json = true,
): Promise<{ code: 0 | 2; out: string; err: string; json: unknown }> {
  const { store, clock, directory, secrets } = world.cloud;
  const { io, out, err } = recordIo();
  const openStore = async () => ({ ...store, close: async () => {} });
  const files = createReleaseFiles(join(directory, 'releases'));
  const code = await run({ json, ...options }, { openStore, derive: secrets.derive, clock, files }, io);
  return {
    code,
    out: out.join('\n'),
    err: err.join('\n'),
    json: json && out.length === 1 ? JSON.parse(out[0] ?? 'null') : null,
  };
}

const publishFile = (file: string, more: { securityFloor?: string } = {}) =>
  cli(runReleasePublish, { file, keyring: signer.certificate, ...more });

async function publish(
  version: string,
  options: { securityFloor?: string } = {},
): Promise<{ id: string; file: Buffer }> {
  const path = fileNamed(`${version}.raucb`);
  const file = writeBundle(path, { signer, manifest: manifestOf({ version }) });
  const published = await publishFile(path, options);
  expect(published).toMatchObject({
    code: 0,
    json: { version, machine: MACHINE, bytes: file.length, is_signature_checked: true },
  });
  return { id: String((published.json as { id: number }).id), file };
}

async function configured() {
  const messages = await world.cloud.gatewayParts.publisher.snapshots(id);
  const self = messages.find(({ section }) => section === 'gateway')?.upsert.self;
  return CONFIG_SECTIONS.gateway.parse(self).updates;
}

describe('publishing', () => {
  it('refuses what no gateway would install, and says why', async () => {
    const path = fileNamed('bad.raucb');
    const good = () => writeBundle(path, { signer, manifest: manifestOf() });
    const refused = async (change: () => void, problem: RegExp, keyring = signer.certificate) => {
      change();
      const { code, err } = await cli(runReleasePublish, { file: path, keyring });
      expect([code, err]).toEqual([2, expect.stringMatching(problem)]);
    };
    const rival = makeSigner(world.cloud.directory, 'rival');
    await refused(() => writeFileSync(path, 'hello world'), /bad\.raucb: it is no RAUC bundle/);
    await refused(() => writeFileSync(path, 'hsqs'), /too short|no signature/);
    await refused(() => writeFileSync(path, good().subarray(0, -900)), /no signature at its end|signature/);
    await refused(() => writeFileSync(path, good().subarray(0, 4_000)), /no signature at its end/);
    await refused(() => writeBundle(path, { signer: rival, manifest: manifestOf() }), /its signature is not one of/);
    // RAUC refuses it on the device, too.
    const web = makeSigner(world.cloud.directory, 'web', ['-addext', 'extendedKeyUsage=serverAuth']);
    await refused(() => writeBundle(path, { signer: web, manifest: manifestOf() }), /not one of/, web.certificate);
    await refused(() => writeBundle(path, { signer, manifest: manifestOf(), detached: true }), /format=verity/);
    await refused(() => {
      const file = good();
      const at = file.indexOf('version=1.4.0');
      file.write('version=9.4.0', at);
      writeFileSync(path, file);
    }, /its signature is not one of/);
    await refused(good, /keyring|not one of/, fileNamed('missing.pem'));
    expect((await publishFile(fileNamed('gone.raucb'))).err).toMatch(/cannot be read/);
    good();
    expect((await publishFile(path, { securityFloor: '1.5' })).err).toMatch(/newer than the release itself/);
    expect((await cli(runReleaseList, {})).json).toEqual([]);
  });

  it('keeps a bundle once, and no other under its version', async () => {
    const { id: first } = await publish('1.0.0');
    const again = await publishFile(fileNamed('1.0.0.raucb'));
    expect([again.code, again.err]).toEqual([2, `it was published already, as release ${first}`]);
    const other = fileNamed('other.raucb');
    writeBundle(other, { signer, manifest: manifestOf({ version: '1.0.0' }) });
    expect((await publishFile(other)).err).toMatch(/with other content: give the new one another version/);
    await cli(runReleaseRemove, { id: first });
    expect((await cli(runReleaseList, {})).json).toEqual([]);
  });
});

describe('a release', () => {
  it('comes to the gateways of its rings, in their configuration, until it is paused', async () => {
    expect(await configured()).toBeUndefined();
    const { id: old } = await publish('1.1.0');
    const { id: release, file } = await publish('1.2.0', { securityFloor: '1.1.0' });
    expect(await configured()).toBeUndefined();
    await cli(runReleaseRollOut, { id: old, percent: '100' });
    await cli(runReleaseRollOut, { id: release, percent: '100', account: 'Harbour' });
    expect(await configured()).toEqual({
      is_paused: false,
      hours: null,
      asked_ms: 0,
      releases: [
        {
          machine: MACHINE,
          version: '1.2.0',
          sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
          bytes: file.length,
          url: expect.stringContaining(`/v2/releases/${release}/bundle?gateway=${UUID}&key=`) as string,
          security_floor: '1.1.0',
        },
      ],
    });
    await cli(runReleasePause, { id: release });
    expect((await configured())?.releases.map(({ version }) => version)).toEqual(['1.1.0']);
    await cli(runReleaseRollOut, { id: release, percent: '100', account: 'Harbour' });
    expect((await configured())?.releases.map(({ version }) => version)).toEqual(['1.2.0']);
    const actions = await world.cloud.store.reader
      .selectFrom('audit_log')
      .select(['action', 'target'])
      .where('action', 'like', 'release.%')
      .execute();
    expect(actions.at(-1)).toEqual({ action: 'release.roll_out', target: `1.2.0 for ${MACHINE}` });
  });

  it('refuses wrong uses', async () => {
    expect(await cli(runReleaseRollOut, { id: '99', percent: '5' })).toMatchObject({
      code: 2,
      err: '99 is no release: parking-cloud releases list shows them',
    });
    expect((await cli(runReleaseRollOut, { id: '99', percent: '101' })).err).toMatch(/a whole number from 0 to 100/);
    const [release] = (await cli(runReleaseList, {})).json as { id: number }[];
    expect((await cli(runReleaseRollOut, { id: String(release?.id), percent: '5', account: 'Nobody' })).err).toBe(
      '--account: there is no account Nobody',
    );
  });
});

describe('a gateway', () => {
  const ask = async (headers: Record<string, string> = {}, method = 'GET', change = (url: URL) => url) => {
    const url = change(new URL((await configured())?.releases[0]?.url ?? ''));
    return fetch(new URL(url.pathname + url.search, world.cloud.base), { method, headers });
  };

  it('fetches its release, whole or in parts', async () => {
    const file = readFileSync(fileNamed('1.2.0.raucb'));
    const whole = await ask();
    expect([whole.status, whole.headers.get('accept-ranges'), whole.headers.get('content-length')]).toEqual([
      200,
      'bytes',
      String(file.length),
    ]);
    expect(Buffer.from(await whole.arrayBuffer()).equals(file)).toBe(true);
    const etag = whole.headers.get('etag') ?? '';
    const part = await ask({ range: 'bytes=4000-4999', 'if-range': etag });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 4000-4999/${file.length}`]);
    expect(Buffer.from(await part.arrayBuffer()).equals(file.subarray(4_000, 5_000))).toBe(true);
    expect((await ask({ range: 'bytes=4000-4999', 'if-range': '"another"' })).status).toBe(200);
    const head = await ask({}, 'HEAD');
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([
      200,
      String(file.length),
      '',
    ]);
    const beyond = await ask({ range: `bytes=${file.length}-` });
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${file.length}`]);
  });

  it('gets nothing with the key of another gateway, for another release, or without one', async () => {
    const without = (name: string, value: string | null) => (url: URL) => {
      if (value === null) url.searchParams.delete(name);
      else url.searchParams.set(name, value);
      return url;
    };
    for (const change of [
      without('key', null),
      without('key', 'x'),
      without('gateway', '44444444-4444-4444-8444-444444444444'),
      without('gateway', null),
    ])
      expect((await ask({}, 'GET', change)).status).toBe(404);
    const other = await ask({}, 'GET', (url) => new URL(url.href.replace(/releases\/\d+/, 'releases/9999')));
    expect(other.status).toBe(404);
  });

  it('gets nothing with the key of a device that it is no more', async () => {
    const address = (await configured())?.releases[0]?.url ?? '';
    const { pathname, search } = new URL(address);
    const fetched = () => fetch(new URL(pathname + search, world.cloud.base));
    const become = (public_key: string | null) =>
      world.cloud.store.change((tx) => tx.updateTable('gateways').set({ public_key }).where('id', '=', id).execute());
    expect((await fetched()).status).toBe(200);
    // Claimed by another device, and reset.
    for (const device of ['another', null]) {
      await become(device);
      expect((await fetched()).status).toBe(404);
    }
    await become('key');
    expect((await fetched()).status).toBe(200);
  });

  it('has at most eight parts under way', async () => {
    const path = fileNamed('1.3.0.raucb');
    // More than the buffers of a connection take.
    writeBundle(path, { signer, manifest: manifestOf({ version: '1.3.0' }), bytes: 24 * 1024 ** 2 });
    const { json } = await publishFile(path);
    await cli(runReleaseRollOut, { id: String((json as { id: number }).id), percent: '100' });
    const open = await Promise.all(Array.from({ length: 8 }, () => ask()));
    expect(open.map(({ status }) => status)).toEqual(open.map(() => 200));
    const crowded = await ask();
    expect([crowded.status, crowded.headers.get('retry-after')]).toEqual([429, '5']);
    await crowded.body?.cancel();
    await Promise.all(open.map(({ body }) => body?.cancel()));
    await expect
      .poll(async () => {
        const next = await ask();
        await next.body?.cancel();
        return next.status;
      })
      .toBe(200);
    await cli(runReleaseRemove, { id: String((json as { id: number }).id) });
  });
});

describe('those who manage a gateway', () => {
  const path = () => `/v2/gateways/${id}/update`;
  const report = (change: Partial<UpdateReport> = {}): UpdateReport => ({
    can_install: true,
    machine: MACHINE,
    installed: '1.1.0',
    slot: 'A',
    phase: 'idle',
    version: null,
    progress: null,
    waits_for: null,
    error: null,
    ...change,
  });
  const say = (update: UpdateReport) =>
    world.cloud.store.change((tx) =>
      saveGatewayHealth(tx, {
        gateway_id: id,
        now: world.cloud.clock.now(),
        health: {
          uptime_ms: 1,
          tokens_end_ms: null,
          queue: { depth: 0, oldest_ms: null },
          radio: { state: 'on', adapters: [], recoveries: { free: 0, rescan: 0, reset: 0, restart: 0, power: 0 } },
          clock: { is_ok: true, offset_ms: 0 },
          store: { bytes: 1, is_ok: true },
          update,
        } satisfies GatewayHealthReport,
      }),
    );

  it('see what it has and shall have', async () => {
    expect(await world.get(path())).toMatchObject({
      installed: null,
      wanted: null,
      phase: null,
      can_install: null,
      is_paused: 0,
    });
    await say(report({ phase: 'ready', version: '1.2.0', waits_for: 'a car is on top of Barrier 1' }));
    expect(await world.get(path())).toMatchObject({
      installed: '1.1.0',
      slot: 'A',
      wanted: { version: '1.2.0', notes: 'Faster' },
      phase: 'ready',
      waits_for: 'a car is on top of Barrier 1',
    });
    const { json } = await cli(runReleaseStatus, {});
    expect((json as { wanted: string; state: string }[]).map(({ wanted, state }) => [wanted, state])).toEqual([
      ['1.2.0', 'ready'],
      ['1.1.0', 'installed'],
    ]);
    await say(report({ installed: '1.2.0', slot: 'B' }));
    expect(await world.get(path())).toMatchObject({ wanted: null });
    await say(report({ can_install: false, machine: null, installed: null, slot: null }));
    expect(((await cli(runReleaseStatus, {})).json as { state: string }[])[0]?.state).toBe('updated_by_apt');
    expect((await cli(runReleaseStatus, {}, false)).out).toMatch(/Harbour +\d+ +Pi +offline/);
  });

  it('pause it, let it go on at once, and choose the hours of the lot', async () => {
    const { cloud } = world;
    cloud.notified.length = 0;
    const paused = await cloud.ask('PATCH', path(), { token: OWNER_TOKEN, json: { is_paused: 1 } });
    expect([paused.status, paused.body.data]).toEqual([200, expect.objectContaining({ is_paused: 1 })]);
    expect(cloud.notified).toContainEqual({ lot_id: world.site.north, sections: ['gateway'] });
    expect(await configured()).toMatchObject({ is_paused: true });
    const asked = await cloud.ask('POST', `${path()}/now`, { token: OWNER_TOKEN, json: {} });
    expect([asked.status, asked.body.data]).toEqual([200, { asked_at: new Date(cloud.clock.now()).toISOString() }]);
    expect(await world.get(path())).toMatchObject({
      is_paused: 0,
      asked_at: new Date(cloud.clock.now()).toISOString(),
    });
    const lot = await cloud.ask('PATCH', `/v2/lots/${world.site.north}`, {
      token: OWNER_TOKEN,
      json: { update_hours: '01:30-04:00' },
    });
    expect(lot.body.data).toMatchObject({ update_hours: '01:30-04:00' });
    expect(await configured()).toMatchObject({
      is_paused: false,
      asked_ms: cloud.clock.now(),
      hours: { from: 90, to: 240 },
    });
    const wrong = await cloud.ask('PATCH', `/v2/lots/${world.site.north}`, {
      token: OWNER_TOKEN,
      json: { update_hours: 'at night' },
    });
    expect([wrong.status, wrong.body.errors?.[0]?.message]).toEqual([
      422,
      'Must be two times of the day such as 02:00-05:00',
    ]);
  });

  it('are those of its account, and change it as managers alone', async () => {
    const { cloud } = world;
    const status = async (method: string, token: string, to = path()) =>
      (
        await cloud.ask(method, to, {
          token,
          ...(method === 'GET' ? {} : { json: method === 'POST' ? {} : { is_paused: 1 } }),
        })
      ).status;
    expect(await status('GET', GUARD_TOKEN)).toBe(200);
    expect(await status('PATCH', GUARD_TOKEN)).toBe(403);
    expect(await status('POST', GUARD_TOKEN, `${path()}/now`)).toBe(403);
    expect(await status('GET', RIVAL_TOKEN)).toBe(404);
    expect(await status('PATCH', RIVAL_TOKEN)).toBe(404);
  });
});
