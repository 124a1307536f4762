import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { AGENT_MEMORY_ENVIRONMENT, AGENT_NODE_FLAGS } from '../../scripts/demo/agent-node-flags.js';
import { VERSION } from '../../shared/version.js';

/** A file of the project, from dist/test/architecture/. */
const read = (path: string) => readFileSync(fileURLToPath(new URL(`../../../${path}`, import.meta.url)), 'utf8');

describe('what is written twice, as it must be', () => {
  it('says the same of how the gateway is run', () => {
    const unit = read('systemd/parking-agent.service');
    expect(unit).toContain(`node ${AGENT_NODE_FLAGS.join(' ')} /opt/`);
    for (const [name, value] of Object.entries(AGENT_MEMORY_ENVIRONMENT))
      expect(unit).toContain(`Environment=${name}=${value}`);
  });

  it('says the same version', () => {
    expect((JSON.parse(read('package.json')) as { version: string }).version).toBe(VERSION);
  });
});
