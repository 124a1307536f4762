import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteAgentStore } from '../../agent/store/sqlite-agent-store.js';
import { silentLogger } from '../../shared/logger.js';
import { openMemoryAgentStore } from '../../scripts/fleet/memory-agent-store.js';
import { createMemoryDisk } from '../../scripts/fleet/memory-disk.js';
import { agentStoreConformance, type StoreHarness } from './agent-store-conformance.js';
import { latestRecordsConformance } from './agent-store-latest.js';

async function onDisk(): Promise<StoreHarness> {
  const directory = await mkdtemp(join(tmpdir(), 'agent-store-'));
  return {
    open: (limits = {}) => openSqliteAgentStore({ path: join(directory, 'agent.db'), logger: silentLogger, limits }),
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}

async function inMemory(): Promise<StoreHarness> {
  const disk = createMemoryDisk();
  return { open: (limits = {}) => openMemoryAgentStore({ disk, limits }), remove: () => Promise.resolve() };
}

for (const conformance of [agentStoreConformance, latestRecordsConformance]) {
  conformance('SQLite', onDisk);
  conformance('memory', inMemory);
}
