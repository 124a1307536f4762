/** A command that shows each change ends with whoever reads it: `parking-agent status --watch | head`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { loadAgentConfig } from '../../../agent/config.js';
import { type RunningGateway, startGateway } from '../../../agent/gateway-lives.js';
import { createLogRing } from '../../../agent/health/log-ring.js';
import { silentLogger } from '../../../shared/logger.js';
import { freePorts } from '../../world/free-ports.js';

const PROGRAM = fileURLToPath(new URL('../../../agent/main.js', import.meta.url));

let directory: string;
let environment: Record<string, string>;
let gateway: RunningGateway;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'closed-pipe-'));
  const [port = 0] = await freePorts(1);
  environment = { AGENT_DATA_DIR: directory, AGENT_HTTP_PORT: String(port), BLE_HCI: 'off' };
  const logs = createLogRing({ id: 'test' });
  gateway = await startGateway(loadAgentConfig({ environment }), { logger: silentLogger, logs, overrides: {} });
});
afterEach(async () => {
  await gateway.close();
  rmSync(directory, { recursive: true, force: true });
});

it.each([
  ['status', '--watch', true],
  // Nothing was logged: it writes nothing, and so nothing fails.
  ['logs', '--follow', false],
])('%s %s', async (command, option, hasText) => {
  const watching = spawn(process.execPath, [PROGRAM, command, option], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (hasText) await once(watching.stdout, 'data');
  watching.stdout.destroy();
  expect(await once(watching, 'close')).toEqual([0, null]);
});
