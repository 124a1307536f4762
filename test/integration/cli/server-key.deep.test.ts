/** A database belongs to one server key: a cloud with another one does not start on it. */
import { randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { requireServerKey } from '../../../cloud/kernel/secrets/require-server-key.js';
import { createSecrets } from '../../../cloud/kernel/secrets/secrets.js';
import type { CloudStore } from '../../../cloud/kernel/store/cloud-store.js';
import { silentLogger } from '../../../shared/logger.js';
import { SettingsError } from '../../../shared/settings.js';
import { systemClock } from '../../../shared/system-clock.js';
import { freePorts } from '../../world/free-ports.js';
import { openMigratedStore } from '../../world/migrated-store.js';
import { onPostgres, postgresFor } from '../../world/postgres-databases.js';
import { startProgram } from '../../world/programs.js';
import { waitUntil } from '../../../scripts/sim/wait-until.js';
import { FULL_SITE_TEXT } from '../../unit/site/full-site-text.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'server-key-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

describe('the check of the server key', () => {
  const stores: CloudStore[] = [];
  /** A process with the key, on the one database. */
  async function openWith(key: Uint8Array) {
    const url = `sqlite:${join(directory, 'cloud.db')}`;
    const store = await openMigratedStore({ url, clock: systemClock, logger: silentLogger });
    stores.push(store);
    const deps = { store, secrets: createSecrets(key), clock: systemClock };
    return (isNoted: boolean) => requireServerKey(deps, { isNoted });
  }
  afterEach(async () => {
    for (const store of stores.splice(0)) await store.close();
  });

  it('lets in whoever has the key of the first', async () => {
    const [ours, theirs] = [randomBytes(32), randomBytes(32)];
    await (await openWith(theirs))(false);
    await (await openWith(ours))(true);
    await (await openWith(ours))(true);
    for (const isNoted of [true, false]) {
      await expect((await openWith(theirs))(isNoted)).rejects.toThrow(SettingsError);
    }
    const [row] = (await stores[0]?.reader.selectFrom('server_keys').selectAll().execute()) ?? [];
    expect(row?.check_value).toMatch(/^[\w-]{43}$/);
    expect(JSON.stringify(row)).not.toContain(ours.toString('hex'));
    expect(JSON.stringify(row)).not.toContain(ours.toString('base64url'));
  });

  it('refuses all but one of those that begin at once', async () => {
    const checks: Awaited<ReturnType<typeof openWith>>[] = [];
    for (let each = 0; each < 4; each++) checks.push(await openWith(randomBytes(32)));
    const ends = await Promise.allSettled(checks.map((check) => check(true)));
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });
});

describe('parking-cloud', () => {
  it('stops with one line that says what to do, and starts with the right key', async () => {
    const [first, second] = [join(directory, 'first'), join(directory, 'second')];
    const site = join(directory, 'site.yaml');
    writeFileSync(site, FULL_SITE_TEXT);
    const [port, mqttPort] = await freePorts(2);
    const path = join(directory, 'cloud.db');
    const DATABASE_URL = onPostgres() ? await postgresFor(path) : `sqlite:${path}`;
    const env = { DATABASE_URL, PORT: String(port), MQTT_PORT: String(mqttPort) };
    const start = (DATA_DIR: string, ...args: string[]) => startProgram('cloud/main.js', args, { ...env, DATA_DIR });
    const made = start(first, 'apply', site);
    expect(await made.ended, made.output()).toMatchObject({ code: 0 });
    for (const args of [['serve'], ['apply', '--dry-run', site]]) {
      const refused = start(second, ...args);
      expect(await refused.ended).toMatchObject({ code: 2 });
      expect(refused.output()).toMatch(
        /^parking-cloud: The database belongs to a cloud with another server key: .*Copy server-keys\.json.*SERVER_KEY.*\n$/,
      );
    }
    cpSync(join(first, 'server-keys.json'), join(second, 'server-keys.json'));
    const started = start(second, 'serve');
    await waitUntil('the cloud to answer', async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok);
    await started.end();
  });
});
