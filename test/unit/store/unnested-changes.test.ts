import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { CloudStore } from '../../../cloud/kernel/store/cloud-store.js';
import { silentLogger } from '../../../shared/logger.js';
import { accountRow } from '../../conformance/account-row.js';
import { FakeClock } from '../../world/fake-clock.js';
import { openMigratedStore } from '../../world/migrated-store.js';

let directory: string;
let store: CloudStore;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'unnested-changes-'));
  store = await openMigratedStore({
    url: `sqlite:${join(directory, 'cloud.db')}`,
    clock: new FakeClock(),
    logger: silentLogger,
  });
});
afterEach(async () => {
  await store.close();
  rmSync(directory, { recursive: true });
});

const insertAccount = (name: string) =>
  store.change((tx) => tx.insertInto('accounts').values(accountRow(name)).execute());
const accountNames = async () =>
  (await store.reader.selectFrom('accounts').select('name').orderBy('id').execute()).map(({ name }) => name);

it('a change begun inside a change is refused at once in the stores of tests, however late it begins', async () => {
  const nested = store.change(async (tx) => {
    await tx.insertInto('accounts').values(accountRow('outer')).execute();
    await new Promise((resolve) => setImmediate(resolve));
    await insertAccount('inner');
  });
  await expect(nested).rejects.toThrow('begun inside a change');
  expect(await accountNames()).toEqual([]);
});

it('a change beside a change, or in its effect, is none inside it', async () => {
  await Promise.all([insertAccount('A'), insertAccount('A')]);
  await store.change(async (tx) => tx.onCommit(async () => void (await insertAccount('B'))));
  expect(await accountNames()).toEqual(['A', 'A', 'B']);
});
