/** The gateway's program under a service manager, with a lamp and a claim file: what a device sees of it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { switchOn } from '../../../agent/process/koffi-adapter-power.js';
import { openDatagrams } from '../../../agent/process/koffi-datagram.js';
import { waitUntil } from '../../../scripts/sim/wait-until.js';
import { type Answer, type ClaimServer, startClaimServer } from '../../unit/agent-commissioning/claim-server.js';
import { freePorts } from '../../world/free-ports.js';
import { type RunningProgram, startProgram } from '../../world/programs.js';

/** Prints each datagram as one line of JSON. Node.js has no datagram sockets of this kind. */
const LISTEN = `
import json, socket, sys
listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
listener.bind(sys.argv[1].replace("@", "\\0", 1))
print("listening", flush=True)
while True: print(json.dumps(listener.recv(65536).decode()), flush=True)
`;
const REGISTERED = '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c01';
const CLAIMED: Answer = {
  status: 200,
  body: {
    success: true,
    data: { mqtt: { url: 'mqtt://127.0.0.1:9', username: REGISTERED, password: 'x', ca: null }, config: [] },
  },
};
const REFUSED: Answer = { status: 404, body: { success: false, errors: [{ code: 6, message: 'Resource not found' }] } };

let directory: string;
let environment: Record<string, string>;
let listener: ChildProcess | undefined;
let program: RunningProgram | undefined;
let cloud: ClaimServer | undefined;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'service-manager-'));
  const [port] = await freePorts(1);
  environment = { AGENT_DATA_DIR: join(directory, 'data'), AGENT_HTTP_PORT: String(port), BLE_HCI: 'off' };
});
afterEach(async () => {
  await program?.end('SIGKILL');
  await cloud?.close();
  if (listener?.exitCode === null && listener.kill()) await once(listener, 'exit');
  [program, cloud, listener] = [undefined, undefined, undefined];
  rmSync(directory, { recursive: true, force: true });
});

/** @returns what was sent to the address, datagram by datagram */
async function listenAt(address: string): Promise<string[]> {
  const heard: string[] = [];
  listener = spawn('python3', ['-c', LISTEN, address], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface({ input: listener.stdout as NonNullable<ChildProcess['stdout']> });
  await once(lines, 'line');
  lines.on('line', (line) => heard.push(JSON.parse(line) as string));
  return heard;
}

describe('datagrams to a service manager', () => {
  it.each(['path', 'abstract'])('reach a socket by its %s address', async (kind) => {
    const address = kind === 'path' ? join(directory, 'notify') : `@parking-test-${process.pid}`;
    const heard = await listenAt(address);
    const datagrams = openDatagrams(address);
    datagrams.send('READY=1\nSTATUS=öffnet');
    datagrams.send('STOPPING=1');
    await waitUntil('both', () => heard.length === 2);
    expect(heard).toEqual(['READY=1\nSTATUS=öffnet', 'STOPPING=1']);
  });

  it('say that nobody listens, and that an address is none', () => {
    expect(() => openDatagrams(join(directory, 'nobody')).send('x')).toThrow('nothing could be sent');
    for (const address of ['', 'vsock:2:1', '/'.padEnd(200, 'x')])
      expect(() => openDatagrams(address)).toThrow('no address');
  });
});

describe('the power of an adapter', () => {
  it('is switched on, or it is said why not', () => {
    // Nobody has so many adapters.
    expect(switchOn(9_999)).toMatch(/^(there is no such adapter|this kernel has no Bluetooth|this program may not.*)$/);
  });
});

describe('a gateway under a service manager', () => {
  it('says that it is at work, feeds the watchdog, says how it is, and that it stops', async () => {
    const address = join(directory, 'notify');
    const heard = await listenAt(address);
    const led = mkdtempSync(join(directory, 'led-'));
    writeFileSync(join(led, 'trigger'), 'none timer');
    const watched = { NOTIFY_SOCKET: address, WATCHDOG_USEC: '600000', LED_PATH: led };
    program = startProgram('agent/main.js', ['run'], { ...environment, ...watched });
    await waitUntil('a second sign of life', () => heard.filter((said) => said.includes('WATCHDOG=1')).length > 1);
    expect(heard.slice(0, 2)).toEqual(['STATUS=starts', 'READY=1']);
    expect(heard).toContain('WATCHDOG=1\nSTATUS=waits for its claim');
    const light = () => ['delay_on', 'delay_off'].map((name) => readFileSync(join(led, name), 'utf8'));
    expect(light()).toEqual(['1000', '1000']);
    await program.end();
    expect(await program.ended).toEqual({ code: 0, signal: null });
    expect(heard.at(-1)).toBe('STOPPING=1\nSTATUS=stops');
    expect(light()).toEqual(['0', '1000']);
  });

  it('works when the service manager is gone', async () => {
    const gone = { NOTIFY_SOCKET: join(directory, 'nobody'), WATCHDOG_USEC: '300000' };
    program = startProgram('agent/main.js', ['run'], { ...environment, ...gone });
    await waitUntil('the gateway at work', () => program?.output().includes('gateway is at work') === true);
    await program.end();
    expect(await program.ended).toEqual({ code: 0, signal: null });
    expect(program.output().match(/the service manager cannot be told/g)).toHaveLength(1);
  });
});

describe('a gateway with a claim file', () => {
  /** Starts it with the file, at a cloud that answers so. */
  async function startWith(answer: Answer): Promise<string> {
    cloud = await startClaimServer(answer);
    const path = join(directory, 'claim.json');
    writeFileSync(path, JSON.stringify({ cloud_url: cloud.url, claim_code: 'HARBOUR-NORTH-0001' }));
    program = startProgram('agent/main.js', ['run'], { ...environment, CLAIM_FILE: path });
    await waitUntil('the gateway at work', () => program?.output().includes('gateway is at work') === true);
    return path;
  }

  it('is claimed by it, and the file is erased', async () => {
    const path = await startWith(CLAIMED);
    await waitUntil('the file gone', () => !existsSync(path));
    expect(cloud?.requests.map(({ body }) => body.claim_code)).toEqual(['HARBOUR-NORTH-0001']);
    const identity = JSON.parse(readFileSync(join(directory, 'data', 'identity.json'), 'utf8')) as { uuid: string };
    expect(identity.uuid).toBe(REGISTERED);
  });

  it('starts all the same when the cloud refuses it, and asks no second time', async () => {
    const path = await startWith(REFUSED);
    await waitUntil('the file gone', () => !existsSync(path));
    const left = readFileSync(join(directory, 'claim.refused.json'), 'utf8');
    expect(left).toContain('the claim code is wrong, used or expired');
    expect(left + (program?.output() ?? '')).not.toContain('HARBOUR-NORTH-0001');
    await program?.end();
    program = startProgram('agent/main.js', ['run'], { ...environment, CLAIM_FILE: path });
    await waitUntil('the gateway at work', () => program?.output().includes('gateway is at work') === true);
    expect(cloud?.requests).toHaveLength(1);
  });
});
