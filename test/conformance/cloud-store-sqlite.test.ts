import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createCloudStore } from '../../cloud/store/sqlite-store.js';
import { silentLogger } from '../../shared/logger.js';
import { systemClock } from '../../shared/system-clock.js';
import { cloudStoreConformance } from './cloud-store-conformance.js';

const open = (url: string) => createCloudStore({ url, clock: systemClock, logger: silentLogger });

async function makeDirectory(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'cloud-store-'));
}

cloudStoreConformance('sqlite', async () => {
  const directory = await makeDirectory();
  const url = `sqlite:${join(directory, 'data', 'cloud.db')}`;
  return {
    open: (clock) => createCloudStore({ url, clock, logger: silentLogger }),
    crasher: [process.execPath, fileURLToPath(new URL('./cloud-store-crasher.js', import.meta.url)), url],
    remove: () => rm(directory, { recursive: true }),
  };
});

describe('the SQLite file', () => {
  it('is for its owner only', async () => {
    const directory = await makeDirectory();
    const store = await open(`sqlite:${join(directory, 'data', 'cloud.db')}`);
    await store.migrate();
    for (const file of ['cloud.db', 'cloud.db-wal', 'cloud.db-shm']) {
      expect((await stat(join(directory, 'data', file))).mode & 0o777).toBe(0o600);
    }
    expect((await stat(join(directory, 'data'))).mode & 0o777).toBe(0o700);
    await store.close();
    await rm(directory, { recursive: true });
  });

  it('is refused, with its name, when it is none or lies nowhere', async () => {
    const notADatabase = fileURLToPath(import.meta.url);
    await expect(open(`sqlite:${notADatabase}`)).rejects.toThrow(/not a database.*cloud-store-sqlite/);
    await expect(open('sqlite:/dev/null/x/cloud.db')).rejects.toThrow('/dev/null/x/cloud.db');
    await expect(open('sqlite::memory:')).rejects.toThrow('sqlite:PATH');
    await expect(open('mysql://x')).rejects.toThrow('sqlite:PATH');
  });
});
