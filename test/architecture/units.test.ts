import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { GATEWAY_LIMITS } from '../../agent/process/memory-limits.js';
import { VERSION } from '../../shared/version.js';

/** A file of the project, from dist/test/architecture/. */
const read = (path: string) => readFileSync(fileURLToPath(new URL(`../../../${path}`, import.meta.url)), 'utf8');

describe('how the gateway is run on a device', () => {
  it('starts the program plainly: the limits of its memory are its own', () => {
    const unit = read('systemd/parking-agent.service');
    expect(unit).toContain('ExecStart=/usr/bin/node /opt/parking-gateway/dist/agent/main.js run\n');
    for (const limit of [...GATEWAY_LIMITS.nodeOptions, ...Object.keys(GATEWAY_LIMITS.environment)])
      expect(unit).not.toContain(limit);
  });
});

describe.each(['parking-agent', 'parking-cloud', 'parking-cloud@'])('what %s may not do on a device', (program) => {
  it.each([
    ['leave its keys in a core dump', 'LimitCORE=0'],
    ['gain rights that it was not started with', 'NoNewPrivileges=yes'],
    ['write outside its own folder', 'ProtectSystem=strict'],
    ['load a kernel module', 'ProtectKernelModules=yes'],
    ['read the log of the kernel', 'ProtectKernelLogs=yes'],
    ['see the processes of others', 'ProtectProc=invisible'],
    ['make a namespace', 'RestrictNamespaces=yes'],
    ['take the processor for itself', 'RestrictRealtime=yes'],
    ['call the kernel as another architecture', 'SystemCallArchitectures=native'],
  ])('%s', (_, line) => {
    expect(read(`systemd/${program}.service`).split('\n')).toContain(line);
  });
});

describe.each(['parking-agent', 'parking-cloud', 'parking-cloud@'])('how %s is started again', (program) => {
  it('goes on however often it failed: what it needs may be away for a night', () => {
    const [unit = ''] = read(`systemd/${program}.service`).split('[Service]');
    expect(unit.split('\n')).toContain('StartLimitIntervalSec=0');
  });
});

describe('what is written twice, as it must be', () => {
  it('says the same version', () => {
    expect((JSON.parse(read('package.json')) as { version: string }).version).toBe(VERSION);
  });
});
