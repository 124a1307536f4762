/** A release on its whole way: published, rolled out, in the configuration, fetched from the cloud, installed, and good. */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { fetchBundle } from '../../../agent/update/fetch-bundle.js';
import { createOfferFinder } from '../../../agent/update/find-offers.js';
import { createUpdates } from '../../../agent/update/updates.js';
import { runReleasePublish, runReleaseRollOut } from '../../../cloud/doors/cli/releases.js';
import { createReleaseFiles } from '../../../cloud/equipment/release/release-files.js';
import { CONFIG_SECTIONS } from '../../../shared/gateway-config.js';
import { silentLogger } from '../../../shared/logger.js';
import { systemClock } from '../../../shared/system-clock.js';
import { Slots } from '../../devices/slots.js';
import { FakeClock } from '../../world/fake-clock.js';
import { makeSigner, manifestOf, writeBundle } from '../../world/signed-bundle.js';
import { type RestWorld, startRestWorld } from '../http/rest-world.js';
import { recordIo } from '../../world/record-io.js';

let world: RestWorld | undefined;
let directory = '';
afterEach(async () => {
  await world?.cloud.close();
  rmSync(directory, { recursive: true, force: true });
});

async function publish(bytes: number): Promise<string> {
  world = await startRestWorld();
  directory = mkdtempSync(join(tmpdir(), 'release-'));
  const { store, clock, secrets } = world.cloud;
  const { id } = await world.post<{ id: number }>('/v2/gateways', {
    name: 'Pi',
    lot_id: world.site.north,
    uuid: '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7d01',
  });
  // As if a device had claimed it.
  await store.change((tx) => tx.updateTable('gateways').set({ public_key: 'key' }).where('id', '=', id).execute());
  const file = join(directory, 'release.raucb');
  const signer = makeSigner(directory);
  writeBundle(file, { signer, manifest: manifestOf({ version: '1.1.0' }), bytes });
  const deps = {
    openStore: async () => ({ ...store, close: async () => {} }),
    derive: secrets.derive,
    clock,
    files: createReleaseFiles(join(world.cloud.directory, 'releases')),
  };
  const { io } = recordIo();
  expect(await runReleasePublish({ file, keyring: signer.certificate, json: true }, deps, io)).toBe(0);
  expect(await runReleaseRollOut({ id: '1', percent: '100', json: true }, deps, io)).toBe(0);
  return String(id);
}

async function wantedOf(id: string) {
  const messages = (await world?.cloud.gatewayParts.publisher.snapshots(Number(id))) ?? [];
  const { updates } = CONFIG_SECTIONS.gateway.parse(messages.find(({ section }) => section === 'gateway')?.upsert.self);
  // The address of the service is another one in this world than the one at which it listens.
  for (const release of updates?.releases ?? []) {
    const { pathname, search } = new URL(release.url);
    release.url = `${world?.cloud.base}${pathname}${search}`;
  }
  return updates;
}

it('comes to the slot that is not used, and stays', async () => {
  const wanted = await wantedOf(await publish(3_000_000));
  const slots = new Slots((path) =>
    path.endsWith('.raucb') ? { machine: 'parking-gateway-arm64', version: '1.1.0' } : undefined,
  );
  const clock = new FakeClock();
  let decisions = 0;
  const start = () => {
    const updates = createUpdates({
      installer: slots,
      directory: join(directory, 'update'),
      clock,
      logger: silentLogger,
      wanted: () => wanted,
      timezone: () => 'UTC',
      knownTime: () => clock.now(),
      busy: () => null,
      moves: () => null,
      decisions: () => decisions,
      cloud: () => true,
      radio: () => true,
      store: () => true,
      offers: createOfferFinder({ installer: slots, mountTable: async () => '' }),
    });
    updates.start(() => undefined);
    return updates;
  };
  let updates = start();
  // What runs is called good first.
  await clock.advance(60_000);
  await expect.poll(() => updates.report()?.phase).toBe('installing');
  await expect
    .poll(async () => {
      await clock.advance(5_000);
      return slots.wantsRestart;
    })
    .toBe(true);
  await updates.close();
  slots.start();
  updates = start();
  decisions = 1;
  await clock.advance(5_000);
  await expect.poll(() => updates.report()).toMatchObject({ phase: 'idle', installed: '1.1.0', slot: 'B' });
  await updates.close();
});

it('waits for room on a full disk, and takes none of what the gateway records', async () => {
  const [release] = (await wantedOf(await publish(3_000_000)))?.releases ?? [];
  if (release === undefined) throw new Error('there is no release');
  const path = join(directory, 'update', 'x.raucb');
  const { url, ...rest } = release;
  const fetching = (freeBytes: number) =>
    fetchBundle({
      release: { ...rest, source: { kind: 'cloud', url } },
      path,
      onProgress: () => undefined,
      signal: new AbortController().signal,
      clock: systemClock,
      freeBytes: async () => freeBytes,
    });
  await expect(fetching(60 * 1024 ** 2)).rejects.toThrow(
    /the disk has 60 MB free, and the update needs 67 MB: it waits for room/,
  );
  await fetching(70 * 1024 ** 2);
  expect(statSync(path).size).toBe(release.bytes);
});
