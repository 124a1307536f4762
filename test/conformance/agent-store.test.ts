import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteAgentStore } from '../../agent/store/sqlite-agent-store.js';
import { silentLogger } from '../../shared/logger.js';
import { openMemoryAgentStore } from '../../scripts/fleet/memory-agent-store.js';
import { createMemoryDisk } from '../../scripts/fleet/memory-disk.js';
import { agentStoreConformance } from './agent-store-conformance.js';

agentStoreConformance('SQLite', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'agent-store-'));
  return {
    open: (limits = {}) => openSqliteAgentStore({ path: join(directory, 'agent.db'), logger: silentLogger, limits }),
    remove: () => rm(directory, { recursive: true, force: true }),
  };
});

agentStoreConformance('memory', () => {
  const disk = createMemoryDisk();
  return Promise.resolve({
    open: (limits = {}) => openMemoryAgentStore({ disk, limits }),
    remove: () => Promise.resolve(),
  });
});
