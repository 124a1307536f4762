/** An erasure that two programs are asked for: one of them does it, and the other waits for it. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { orderErasure } from '../../agent/commissioning/data-erasure.js';
import { findIdentity, openIdentity } from '../../agent/commissioning/identity.js';
import { loadAgentConfig } from '../../agent/config.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';
import { freePorts } from '../world/free-ports.js';
import { type RunningProgram, startProgram } from '../world/programs.js';
import { buildDiskShim, hasCompiler, readTrace } from './disk-shim.js';

const HELD = 'sync_hold 1\n';
const WAITS = 'is being erased already';

let directory: string;
let data: string;
let shim: Record<string, string>;
let environment: Record<string, string>;
let programs: RunningProgram[];

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'erasure-beside-'));
  data = join(directory, 'data');
  const [port = 0] = await freePorts(1);
  environment = { AGENT_DATA_DIR: data, AGENT_HTTP_PORT: String(port), BLE_HCI: 'off' };
  shim = {
    LD_PRELOAD: buildDiskShim(directory),
    SHIM_DIR: data,
    SHIM_TRACE: join(directory, 'trace'),
    SHIM_CONTROL: join(directory, 'control'),
  };
  programs = [];
});
afterEach(async () => {
  await Promise.all(programs.map((program) => program.end('SIGKILL')));
  rmSync(directory, { recursive: true, force: true });
});

function start(args: string[], more: Record<string, string> = {}): RunningProgram {
  const program = startProgram('agent/main.js', args, { ...environment, ...more });
  programs.push(program);
  return program;
}
/** Starts a program that comes as far as the first file of an erasure that was ordered, and no further until it may. */
async function startErasing(args: string[]): Promise<RunningProgram> {
  orderErasure(loadAgentConfig({ environment }), { why: 'reset', at_ms: 1 });
  writeFileSync(join(directory, 'control'), HELD);
  const program = start(args, shim);
  const isHeld = ({ kind, path }: { kind: string; path: string }) => kind === 'held' && path.endsWith('identity.json');
  await waitUntil(
    'it to be in the middle of a file',
    () => existsSync(join(directory, 'trace')) && readTrace(join(directory, 'trace')).some(isHeld),
  );
  return program;
}
const goOn = () => writeFileSync(join(directory, 'control'), '');
const identityFile = () => join(data, 'identity.json');
const statusOf = async (): Promise<{ uuid: string }> => {
  const response = await fetch(`http://127.0.0.1:${environment['AGENT_HTTP_PORT']}/status`).catch(() => null);
  return response?.status === 200 ? ((await response.json()) as { uuid: string }) : { uuid: '' };
};

describe.runIf(hasCompiler())('an erasure that two programs are asked for', () => {
  it('is done by the gateway that starts, and a reset beside it waits for that', async () => {
    const former = openIdentity(identityFile());
    writeFileSync(join(data, 'agent.db.damaged'), 'ZG1234AB');
    const gateway = await startErasing(['run']);
    const reset = start(['reset', '--yes', '--confirm', former.uuid]);
    await waitUntil('the reset to wait', () => reset.output().includes(WAITS));
    goOn();
    expect(await reset.ended, reset.output()).toMatchObject({ code: 0 });
    await waitUntil('the gateway to be at work', async () => (await statusOf()).uuid !== '');
    const { uuid } = await statusOf();
    expect(uuid).not.toBe(former.uuid);
    expect(findIdentity(identityFile())?.uuid).toBe(uuid);
    expect(reset.output()).toContain(`a new, unclaimed gateway, ${uuid}`);
    expect(gateway.output()).not.toContain('"level":50');
    expect(existsSync(join(data, 'agent.db.damaged'))).toBe(false);
  }, 60_000);

  it('is done by the reset, and a gateway that starts meanwhile waits for that and begins anew', async () => {
    const former = openIdentity(identityFile());
    const reset = await startErasing(['reset', '--yes', '--confirm', former.uuid]);
    const gateway = start(['run']);
    await waitUntil('the gateway to wait', () => gateway.output().includes('erases what this device keeps'));
    expect(readFileSync(identityFile(), 'utf8')).not.toContain(former.uuid);
    goOn();
    expect(await reset.ended, reset.output()).toMatchObject({ code: 0 });
    await waitUntil('the gateway to be at work', async () => (await statusOf()).uuid !== '');
    const { uuid } = await statusOf();
    expect(reset.output()).toContain(`a new, unclaimed gateway, ${uuid}`);
    expect(findIdentity(identityFile())?.uuid).toBe(uuid);
    expect(readdirSync(data)).not.toContain('erasing.json');
  }, 60_000);

  it('is not begun beside a gateway that works and does not answer', async () => {
    const { uuid } = openIdentity(identityFile());
    start(['run']);
    await waitUntil('the gateway to be at work', async () => (await statusOf()).uuid === uuid);
    const reset = start(['reset', '--yes', '--confirm', uuid], { AGENT_HTTP_PORT: '1' });
    expect(await reset.ended).toMatchObject({ code: 1 });
    expect(reset.output()).toContain('is in use');
    expect(findIdentity(identityFile())?.uuid).toBe(uuid);
  }, 60_000);
});
