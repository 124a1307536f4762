/** The gateway as a process that becomes another one: by its claim, and by its erasure. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { localClaimText } from '../../../agent/commissioning/device-code.js';
import { openIdentity } from '../../../agent/commissioning/identity.js';
import { loadAgentConfig } from '../../../agent/config.js';
import { createLogRing } from '../../../agent/health/log-ring.js';
import { type RunningGateway, startGateway } from '../../../agent/gateway-lives.js';
import type { GatewayStatus } from '../../../agent/health/status.js';
import { revisionOf } from '../../../shared/config-revision.js';
import { waitUntil } from '../../../scripts/sim/wait-until.js';
import { type Answer, type ClaimServer, startClaimServer } from '../../unit/agent-commissioning/claim-server.js';
import { keepingLogger } from '../../unit/radio/bench.js';
import { freePorts } from '../../world/free-ports.js';
import { startProgram } from '../../world/programs.js';

const REGISTERED = '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c01';
const CODE = 'HARBOUR-NORTH-0001';
const WRONG: Answer = { status: 404, body: { success: false, errors: [{ code: 6, message: 'Resource not found' }] } };
const SELF = {
  gateway_id: 1,
  name: 'Entrance Pi',
  lot_id: 1,
  lot_name: 'North',
  timezone: 'UTC',
  offline_exit: 'open',
  autonomy_days: 31,
  other_gateways_count: 0,
};

let directory: string;
let port: number;
let brokerPort: number;
let server: ClaimServer | undefined;
let gateway: RunningGateway | undefined;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'agent-lives-'));
  [port = 0, brokerPort = 0] = await freePorts(2);
});
afterEach(async () => {
  await gateway?.close();
  await server?.close();
  [gateway, server] = [undefined, undefined];
  rmSync(directory, { recursive: true, force: true });
});

const claimed = (self: object = SELF): Answer => ({
  status: 200,
  body: {
    success: true,
    data: {
      mqtt: { url: `mqtt://127.0.0.1:${brokerPort}`, username: REGISTERED, password: 'mqtt-secret', ca: null },
      config: [
        {
          section: 'gateway',
          base: null,
          revision: revisionOf([['self', self]]),
          upsert: { self },
          remove: [],
          applied: null,
        },
      ],
    },
  },
});

const environmentOf = (more: Record<string, string> = {}) => ({
  AGENT_DATA_DIR: directory,
  AGENT_HTTP_PORT: String(port),
  BLE_HCI: 'off',
  ...more,
});

async function start(more?: Record<string, string>) {
  const log = keepingLogger();
  gateway = await startGateway(loadAgentConfig({ environment: environmentOf(more) }), {
    logger: log.logger,
    logs: createLogRing({ id: 'test' }),
    overrides: {},
  });
  return { gateway, log };
}

async function serve(...answers: Answer[]): Promise<string> {
  server = await startClaimServer(...answers);
  return server.url;
}

async function post(path: string, body: object): Promise<Record<string, unknown>> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
  return (await response.json()) as Record<string, unknown>;
}
const deviceCode = () => openIdentity(join(directory, 'identity.json')).deviceCode;
/** As the program on the device claims it. */
const claimByProgram = ({ cloud_url, code, ...more }: { cloud_url: string; code: string; again?: boolean }) => {
  const proof = openIdentity(join(directory, 'identity.json')).sign(localClaimText({ cloudUrl: cloud_url, code }));
  return post('/claim', { cloud_url, code, ...more, proof });
};
const status = async () => (await (await fetch(`http://127.0.0.1:${port}/status`)).json()) as GatewayStatus;

describe('an unclaimed gateway', () => {
  it('is claimed by hand and starts anew in the same process, without an unanswered request', async () => {
    await start();
    const before = await status();
    expect(before).toMatchObject({ name: null, claim: { state: 'unclaimed', problem: null, former: null } });
    const url = await serve(claimed());
    const link = { cloud_url: 'http://nowhere.invalid', code: `${url}/v2/gateways/claim#7q4m-0zkd%20abcd` };
    expect(await claimByProgram(link)).toMatchObject({ fault: null, uuid: REGISTERED, name: SELF.name, lot: 'North' });
    expect(server?.requests[0]?.body).toMatchObject({ claim_code: '7q4m-0zkd abcd', uuid: before.uuid });
    // These come while it starts anew: the listener stays.
    const asked = await Promise.all(Array.from({ length: 5 }, status));
    expect(asked.map(({ uuid, name }) => [uuid, name])).toEqual(asked.map(() => [REGISTERED, 'Entrance Pi']));
    expect(asked[0]).toMatchObject({ cloud: { url }, claim: { state: 'claimed', problem: null } });
    expect(await claimByProgram({ cloud_url: url, code: CODE })).toEqual({
      fault: expect.stringMatching(/is already claimed at .*: .* claim --again .* reset /),
    });
  });

  it('stays up when the code of its settings is refused, says so, and asks again only with a new code', async () => {
    const url = await serve(WRONG, claimed());
    const { gateway: running, log } = await start({ CLOUD_URL: url, CLAIM_CODE: CODE });
    await expect(running.joined).rejects.toMatchObject({ reason: 'refused' });
    const problem = 'the claim code is wrong, used or expired: ask for a new one where the gateway was added';
    expect((await status()).claim).toEqual({ state: 'refused', problem, former: null });
    expect(log.messages).toContain('the cloud refused the claim: it is asked again only with another code');
    expect(server?.requests).toHaveLength(1);
    expect(await claimByProgram({ cloud_url: url, code: 'ANOTHER-CODE' })).toMatchObject({ fault: null });
    await waitUntil('it to be the registered gateway', async () => (await status()).name === 'Entrance Pi');
    expect(server?.requests).toHaveLength(2);
  });

  it('serves its page while its cloud is silent, and is claimed once that answers', async () => {
    const [closed = 0] = await freePorts(1);
    const { gateway: running } = await start({ CLOUD_URL: `http://127.0.0.1:${closed}`, CLAIM_CODE: CODE });
    const { claim } = await status();
    expect([claim.state, claim.problem]).toEqual(['asking', expect.stringContaining('did not answer')]);
    const url = await serve(claimed());
    expect(await claimByProgram({ cloud_url: url, code: CODE })).toMatchObject({ fault: null });
    await expect(running.joined).rejects.toThrow('another claim took its place');
    await waitUntil('it to be the registered gateway', async () => running.uuid === REGISTERED);
  });

  it('takes one claim at a time, and no next one at once after a refusal', async () => {
    await start();
    const url = await serve('hang');
    const first = claimByProgram({ cloud_url: url, code: CODE });
    await server?.asked(1);
    expect(await claimByProgram({ cloud_url: url, code: CODE })).toEqual({
      fault: 'another claim of this device is under way: wait for its answer',
    });
    await server?.close();
    expect(await first).toMatchObject({ fault: expect.stringContaining('did not answer') });
    expect(await claimByProgram({ cloud_url: url, code: CODE })).toEqual({
      fault: 'the last claim failed a moment ago: try again in 3 s',
    });
    expect((await status()).claim).toMatchObject({
      state: 'unclaimed',
      problem: expect.stringContaining('did not answer'),
    });
  });

  it('is claimed by the program beside it', async () => {
    const { gateway: running } = await start();
    const url = await serve(claimed());
    const options = ['claim', '--cloud', url, '--code', CODE];
    const program = startProgram('agent/main.js', options, environmentOf());
    expect(await program.ended).toEqual({ code: 0, signal: null });
    expect(program.output()).toBe(`This gateway is "Entrance Pi" of the lot "North" (${REGISTERED}) at ${url}.\n`);
    await waitUntil('it to be the registered gateway', async () => running.uuid === REGISTERED);
  });
});

describe('the page of a gateway', () => {
  const ask = async (path: string, body: object, headers: Record<string, string> = {}) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    return {
      status: response.status,
      again: response.headers.get('retry-after'),
      body: (await response.json().catch(() => null)) as unknown,
    };
  };

  it('claims it, and says what is wrong with a code, an address, and haste', async () => {
    await start();
    const device_code = deviceCode();
    const url = await serve(WRONG, claimed());
    expect(await ask('/api/claim', { code: CODE, device_code })).toMatchObject({
      status: 422,
      body: { errors: [{ field: 'cloud_url' }] },
    });
    expect(await ask('/api/claim', { cloud_url: url, code: '' })).toMatchObject({ status: 422 });
    expect(await ask('/api/reset', { confirm: 'Entrance Pi' })).toMatchObject({ status: 409 });
    const link = { code: `${url}/v2/gateways/claim#${CODE}`, device_code };
    const words = expect.stringContaining('wrong, used or expired');
    expect(await ask('/api/claim', link)).toMatchObject({
      status: 422,
      body: { errors: [{ message: words, field: 'code' }] },
    });
    expect(await ask('/api/claim', link)).toMatchObject({ status: 429, again: '3' });
    await waitUntil('the claim', async () => (await ask('/api/claim', link)).status === 200);
    await waitUntil('it to be the registered gateway', async () => (await status()).name === 'Entrance Pi');
    expect(await ask('/api/claim', link)).toEqual({
      status: 409,
      again: null,
      body: { errors: [{ message: 'This gateway is claimed already' }] },
    });
    // Nobody is signed in, and no page from elsewhere is heard.
    expect((await ask('/api/reset', { confirm: 'Entrance Pi' })).status).toBe(409);
  });

  it('names the address when no cloud answers there', async () => {
    await start();
    const device_code = deviceCode();
    expect(await ask('/api/claim', { cloud_url: 'parking.example.com', code: CODE, device_code })).toMatchObject({
      status: 422,
      body: { errors: [{ message: expect.stringContaining('begins with http'), field: 'cloud_url' }] },
    });
    const [closed = 0] = await freePorts(1);
    const nobody = { cloud_url: `http://127.0.0.1:${closed}`, code: CODE, device_code };
    await waitUntil('what it says', async () => {
      const answer = await ask('/api/claim', nobody);
      if (answer.status === 429) return false;
      expect(answer).toMatchObject({
        status: 422,
        body: { errors: [{ message: expect.stringContaining('did not answer'), field: 'cloud_url' }] },
      });
      return true;
    });
    expect(
      await ask('/api/claim', { code: CODE, cloud_url: 'x' }, { origin: 'http://evil.example' }).catch(() => null),
    ).toMatchObject({
      status: 403,
    });
  });
});

describe('a host of the network beside a gateway without a cloud', () => {
  const ask = (path: string, body?: object) =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      headers: { 'content-type': 'application/json' },
    });
  /** A cloud of its own, which would answer any claim. */
  async function attempts(): Promise<Response[]> {
    const theft = { cloud_url: server?.url, code: 'ANY-CODE' };
    return [
      await ask('/api/claim', theft),
      await ask('/api/claim', { ...theft, device_code: 'AAAA-AAAA' }),
      await ask('/api/claim', { ...theft, device_code: '' }),
    ];
  }
  async function expectRefused(): Promise<void> {
    for (const answer of await attempts()) {
      expect(answer.status).toBe(403);
      expect(await answer.json()).toEqual({
        errors: [{ field: 'device_code', message: expect.stringContaining('parking-agent status') }],
      });
    }
    expect(await (await ask('/api/device')).json()).toEqual({ is_claimed: false });
    // Likewise what a proxy on the device passes on as its own.
    for (const proof of [undefined, deviceCode(), 'A'.repeat(86)])
      expect(await post('/claim', { cloud_url: server?.url, code: 'ANY-CODE', proof })).toEqual({
        fault: 'this is no claim of parking-agent claim on this device',
      });
  }

  it('does not take a new one', async () => {
    await start();
    await serve(claimed());
    await expectRefused();
    expect(server?.requests).toEqual([]);
    expect(deviceCode()).toMatch(/^[2-9A-Z]{4}-[2-9A-Z]{4}$/);
  });

  it('does not take one that waits for the cloud of its owner, nor holds up its claim', async () => {
    await serve(claimed());
    const [ownersPort = 0] = await freePorts(1);
    const { gateway: running } = await start({ CLOUD_URL: `http://127.0.0.1:${ownersPort}`, CLAIM_CODE: CODE });
    expect((await status()).claim.state).toBe('asking');
    await expectRefused();
    expect(server?.requests).toEqual([]);
    const owners = await startClaimServer(claimed());
    try {
      expect((await status()).claim.state).toBe('asking');
      // The right one takes the place of the claim of its settings.
      const own = { cloud_url: owners.url, code: CODE, device_code: deviceCode()?.toLowerCase().replace('-', ' ') };
      expect((await ask('/api/claim', own)).status).toBe(200);
      await waitUntil('it to be the registered gateway', async () => running.uuid === REGISTERED);
      expect(deviceCode()).toBeNull();
    } finally {
      await owners.close();
    }
  });

  it('does not take one that was just reset, nor with the code from before', async () => {
    const { gateway: running } = await start();
    const before = deviceCode();
    expect(await post('/reset', { confirm: running.uuid })).toEqual({ fault: null });
    await status();
    expect(deviceCode()).not.toBe(before);
    await serve(claimed());
    await expectRefused();
    const old = { cloud_url: server?.url, code: CODE, device_code: before };
    expect((await ask('/api/claim', old)).status).toBe(403);
    expect(server?.requests).toEqual([]);
  });

  it('has five guesses in a minute, and the owner on the device is not kept away', async () => {
    const { gateway: running } = await start();
    const url = await serve(claimed());
    for (let guess = 0; guess < 5; guess += 1)
      expect((await ask('/api/claim', { cloud_url: url, code: CODE, device_code: `AAAA-AAA${guess}` })).status).toBe(
        403,
      );
    const answer = await ask('/api/claim', { cloud_url: url, code: CODE, device_code: deviceCode() });
    expect([answer.status, Number(answer.headers.get('retry-after')) > 0]).toEqual([429, true]);
    expect(await answer.json()).toMatchObject({ errors: [{ field: 'device_code' }] });
    const program = startProgram('agent/main.js', ['claim', '--cloud', url, '--code', CODE], environmentOf());
    expect(await program.ended).toEqual({ code: 0, signal: null });
    await waitUntil('it to be the registered gateway', async () => running.uuid === REGISTERED);
  });

  it('reads the code nowhere: the program on the device alone shows it', async () => {
    await start();
    const code = deviceCode() ?? '';
    const run = async (...options: string[]) => {
      const program = startProgram('agent/main.js', options, environmentOf());
      expect(await program.ended).toEqual({ code: 0, signal: null });
      return program.output();
    };
    expect(await run('status')).toContain(`device code  ${code}`);
    expect(JSON.parse(await run('status', '--json'))).toMatchObject({ device_code: code });
    const paths = ['/', '/status', '/logs?lines=1000', '/queue', '/api/device', '/api/view', '/api/support-file'];
    for (const path of paths) expect(await (await ask(path)).text()).not.toContain(code);
  });
});

describe('a gateway that is claimed again', () => {
  const KEY = 'A'.repeat(43);
  async function startClaimed(self: object) {
    const url = await serve(claimed(self));
    const started = await start({ CLOUD_URL: url, CLAIM_CODE: CODE });
    await started.gateway.joined;
    return { url, ...started };
  }

  it('goes on as the same gateway, and asks the cloud for no other', async () => {
    const { url } = await startClaimed({ ...SELF, cloud_key: KEY });
    const before = openIdentity(join(directory, 'identity.json'));
    expect(await claimByProgram({ cloud_url: url, code: 'NEW-CODE-0002', again: true })).toMatchObject({ fault: null });
    expect(server?.requests[1]?.body).toMatchObject({
      uuid: REGISTERED,
      public_key: before.publicKey,
      again: { uuid: REGISTERED, cloud_key: KEY },
    });
    expect(await status()).toMatchObject({ uuid: REGISTERED, claim: { state: 'claimed' } });
  });

  it('stays where it is when the answer is of another cloud, or its own is not known', async () => {
    const { url } = await startClaimed({ ...SELF, cloud_key: KEY });
    server?.answers.splice(0, 1, claimed({ ...SELF, cloud_key: 'B'.repeat(43) }));
    const before = readFileSync(join(directory, 'identity.json'), 'utf8');
    expect(await claimByProgram({ cloud_url: url, code: CODE, again: true })).toMatchObject({
      fault: expect.stringContaining('erase it with parking-agent reset'),
    });
    expect(readFileSync(join(directory, 'identity.json'), 'utf8')).toBe(before);
  });

  it('is refused by a cloud that told no key, with advice', async () => {
    const { url } = await startClaimed(SELF);
    expect(await claimByProgram({ cloud_url: url, code: CODE, again: true })).toMatchObject({
      fault: expect.stringContaining('does not know the key of its cloud yet'),
    });
    expect(server?.requests).toHaveLength(1);
  });
});

describe('a gateway that is reset', () => {
  async function startWithThings() {
    const url = await serve(claimed());
    const started = await start({ CLOUD_URL: url, CLAIM_CODE: CODE });
    await started.gateway.joined;
    for (const folder of ['quarantine', 'camera-setup']) {
      mkdirSync(join(directory, folder), { recursive: true });
      writeFileSync(join(directory, folder, 'kept.json'), 'ZG1234AB');
    }
    writeFileSync(join(directory, 'agent.db.damaged-2026'), 'ZG1234AB');
    writeFileSync(join(directory, 'holiday.jpg'), 'of somebody else');
    return started;
  }

  it('is as from the factory, once its name was said', async () => {
    const { gateway: running } = await startWithThings();
    expect(await post('/reset', { confirm: 'Exit Pi' })).toEqual({
      fault: 'nothing was erased: this gateway is "Entrance Pi"',
    });
    expect(running.uuid).toBe(REGISTERED);
    expect(await post('/reset', { confirm: ' Entrance Pi ' })).toEqual({ fault: null });
    const { uuid, name, claim, cloud } = await status();
    expect(uuid).not.toBe(REGISTERED);
    expect({ name, url: cloud.url, claim }).toEqual({
      name: null,
      url: null,
      claim: expect.objectContaining({ former: { why: 'reset', at: expect.any(String) } }),
    });
    expect(readdirSync(directory).sort()).toEqual([
      'agent.db',
      'agent.db-ballast',
      'agent.db-wal',
      'holiday.jpg',
      'identity.json',
    ]);
  });

  it('is reset by the program beside it, or alone, and by nobody who says neither yes nor its name', async () => {
    const { gateway: running } = await startWithThings();
    const run = async (...options: string[]) => {
      const program = startProgram('agent/main.js', ['reset', ...options], environmentOf());
      return { ...(await program.ended), output: program.output() };
    };
    expect(await run()).toMatchObject({ code: 2, output: expect.stringContaining('--yes --confirm "Entrance Pi"') });
    expect(await run('--yes', '--confirm', 'Exit Pi')).toMatchObject({ code: 1 });
    expect(running.uuid).toBe(REGISTERED);
    const done = await run('--yes', '--confirm', 'Entrance Pi');
    expect(done).toMatchObject({ code: 0, output: expect.stringContaining('0 records that were not sent') });
    await waitUntil('it to be another gateway', async () => running.uuid !== REGISTERED);
    await waitUntil('it to answer', async () => (await status()).claim.former?.why === 'reset');
    const { uuid } = running;
    expect(await run('--yes', '--confirm', uuid)).toMatchObject({ code: 0 });
    await waitUntil('it to be another gateway again', async () => running.uuid !== uuid);
    await running.close();
    gateway = undefined;
    const alone = openIdentity(join(directory, 'identity.json')).uuid;
    expect(await run('--yes', '--confirm', alone)).toMatchObject({ code: 0 });
    expect(openIdentity(join(directory, 'identity.json')).uuid).not.toBe(alone);
    expect(readdirSync(directory).sort()).toEqual(['holiday.jpg', 'identity.json']);
  });
});
