/** A database and what `parking-cloud apply` does to it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runApply } from '../../../cloud/doors/cli/apply.js';
import { createSecrets, type Secrets } from '../../../cloud/kernel/secrets/secrets.js';
import { loadServerKey } from '../../../cloud/kernel/secrets/server-key.js';
import type { CloudStore } from '../../../cloud/kernel/store/cloud-store.js';
import type { CommittedChange } from '../../../cloud/kernel/store/transaction.js';
import { quickPasswords } from '../../world/quick-passwords.js';
import { openMigratedStore } from '../../world/migrated-store.js';
import { silentLogger } from '../../../shared/logger.js';
import { type RowsOfTables, rowsOfAccounts } from './site-rows.js';
import { FakeClock } from '../../world/fake-clock.js';
import { recordIo } from '../../world/record-io.js';

export interface ApplyWorld {
  directory: string;
  clock: FakeClock;
  store: CloudStore;
  config: { dataDir: string; serverKey: null; baseUrl: string };
  /** Another connection to the same database. */
  openStore(): Promise<CloudStore>;
  derive: Secrets['derive'];
  /** Applies the text through the open store, or `beside` it as another process does. */
  apply(text: string, flags?: { prune?: boolean; dryRun?: boolean; beside?: true }): Promise<Applied>;
  rows(): Promise<RowsOfTables>;
  close(): Promise<void>;
}

interface Applied {
  code: number;
  out: string[];
  err: string[];
  /** Labels of what was `created`, `changed` ... */
  of(action: string): string[];
  /** `1 created, 0 changed, 2 unchanged.` */
  summary: string | undefined;
}

export async function createApplyWorld(
  options: { onCommitted?: (change: CommittedChange) => void } = {},
): Promise<ApplyWorld> {
  const directory = mkdtempSync(join(tmpdir(), 'apply-site-'));
  const clock = new FakeClock();
  const config = { dataDir: directory, serverKey: null, baseUrl: 'https://parking.example' };
  const derive: Secrets['derive'] = (...purpose) => createSecrets(loadServerKey(config)).derive(...purpose);
  const url = `sqlite:${join(directory, 'cloud.db')}`;
  const openStore = () => openMigratedStore({ url, clock, logger: silentLogger, derive, ...options });
  const store = await openStore();
  return {
    directory,
    clock,
    store,
    config,
    openStore,
    derive,
    async apply(text, flags = {}) {
      const file = join(directory, 'site.yaml');
      writeFileSync(file, text);
      const { io, out, err } = recordIo();
      const code = await runApply(
        { file, prune: false, dryRun: false, ...flags, config },
        {
          openStore: flags.beside ? openStore : async () => ({ ...store, close: async () => {} }),
          clock,
          passwords: quickPasswords,
        },
        io,
      );
      return {
        code,
        out,
        err,
        of: (action) => out.filter((line) => line.startsWith(`${action} `)).map((line) => line.slice(11)),
        summary: out.find((line) => /^\d+ created, /.test(line)),
      };
    },
    rows: () => rowsOfAccounts(store.reader, ['Harbour Parking', 'Other']),
    async close() {
      await store.close();
      rmSync(directory, { recursive: true });
    },
  };
}
