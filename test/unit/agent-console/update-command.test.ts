/** `parking-agent update`: what it says, whom it asks, and what it then has the gateway do. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ServerType, serve } from '@hono/node-server';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createUpdateRoute } from '../../../agent/console/local-routes.js';
import { updateFrom } from '../../../agent/console/update-command.js';
import { createOfferFinder } from '../../../agent/update/find-offers.js';
import { createUpdates, type Updates } from '../../../agent/update/updates.js';
import { silentLogger } from '../../../shared/logger.js';
import { Slots } from '../../devices/slots.js';
import { FakeClock } from '../../world/fake-clock.js';

let directory: string;
let updates: Updates;
let server: ServerType;
let place: { httpHost: string; httpPort: number };
let file: string;
let said: string[];

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'update-command-'));
  file = join(directory, 'old.raucb');
  writeFileSync(file, 'a bundle');
  said = [];
  const slots = new Slots();
  slots.bundles.set(file, { machine: 'parking-gateway-arm64', version: '0.9.0' });
  const clock = new FakeClock();
  updates = createUpdates({
    installer: slots,
    directory: join(directory, 'update'),
    clock,
    logger: silentLogger,
    wanted: () => undefined,
    timezone: () => 'UTC',
    knownTime: () => clock.now(),
    busy: () => null,
    moves: () => null,
    decisions: () => 0,
    cloud: () => true,
    radio: () => true,
    store: () => true,
    offers: createOfferFinder({ installer: slots, mountTable: async () => '' }),
  });
  updates.start(() => undefined);
  await clock.advance(5_000);
  const port = await new Promise<number>((resolve) => {
    server = serve({ fetch: createUpdateRoute(updates).fetch, hostname: '127.0.0.1', port: 0 }, (at) =>
      resolve(at.port),
    );
  });
  place = { httpHost: '127.0.0.1', httpPort: port };
});
afterEach(async () => {
  await updates.close();
  await new Promise((resolve) => server.close(resolve));
  rmSync(directory, { recursive: true, force: true });
});

const run = (which: string | undefined, answer: boolean | null, isSure = false) =>
  updateFrom(place, which, { isSure, onChecked: (text) => void said.push(text), ask: async () => answer });

it('says what a file would do, and installs it when the person wants it', async () => {
  expect(await run(file, false)).toMatchObject({ text: 'Nothing was installed.', result: { is_begun: false } });
  expect(said).toEqual([`${file} is version 0.9.0, OLDER than what runs (1.0.0). Its signature is right.`]);
  expect(updates.report()?.phase).toBe('idle');
  expect(await run(file, true)).toMatchObject({
    result: { path: file, version: '0.9.0', step: 'older', is_begun: true },
  });
  expect(updates.report()).toMatchObject({ phase: 'fetching', version: '0.9.0' });
});

it('does not ask when it is sure, and does nothing where nobody can be asked', async () => {
  await expect(run(file, null)).rejects.toThrow(/say --yes/);
  expect(updates.report()?.phase).toBe('idle');
  expect((await run(file, null, true)).result.is_begun).toBe(true);
});

it('says why a file is none, and that there is no stick', async () => {
  const bad = join(directory, 'bad.raucb');
  writeFileSync(bad, 'x');
  await expect(run(bad, true)).rejects.toThrow(`${bad}: signature verification failed`);
  await expect(run(undefined, true)).rejects.toThrow('no stick with an update was found: name the file');
});
