import { createPublicKey, verify } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ClaimError, claimGateway } from '../../../agent/commissioning/claim.js';
import { type Identity, openIdentity } from '../../../agent/commissioning/identity.js';
import { joinCloud } from '../../../agent/commissioning/join.js';
import { FakeClock } from '../../world/fake-clock.js';
import { keepingLogger } from '../radio/bench.js';
import { type Answer, type ClaimServer, startClaimServer } from './claim-server.js';

const REGISTERED = '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c01';
const CODE = 'HARBOUR-NORTH-0001';
const MQTT = { url: 'mqtt://127.0.0.1:1883', username: REGISTERED, password: 'mqtt-secret', ca: null };
const CONFIG = [{ section: 'zones', base: null, revision: 'revision', upsert: {}, remove: [], applied: null }];
const CLAIMED: Answer = { status: 200, body: { success: true, data: { mqtt: MQTT, config: CONFIG } } };
const NOT_FOUND: Answer = {
  status: 404,
  body: { success: false, errors: [{ code: 6, message: 'Resource not found' }] },
};

const BETWEEN = "a login page or proxy is in between, or this is not the cloud's own address";

let directory: string;
let identity: Identity;
const servers: ClaimServer[] = [];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'claim-'));
  identity = openIdentity(join(directory, 'identity.json'));
});
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
  rmSync(directory, { recursive: true });
});

async function serve(...answers: Answer[]): Promise<ClaimServer> {
  const server = await startClaimServer(...answers);
  servers.push(server);
  return server;
}

const claim = (cloudUrl: string, signal?: AbortSignal) =>
  claimGateway({ identity, cloudUrl, code: CODE, ...(signal && { signal }) });

/** How a claim fails: reason and message. */
async function refusal(cloudUrl: string): Promise<[string, string]> {
  const error = await claim(cloudUrl).then(
    () => expect.fail('it was claimed'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ClaimError)) throw error;
  return [error.reason, error.message];
}

describe('a claim', () => {
  it('enrols the device with its signature, and returns what it boots from', async () => {
    const server = await serve(CLAIMED);
    const claimed = await claim(server.url);
    expect(claimed.config).toEqual(CONFIG);
    expect(claimed.identity).toMatchObject({ uuid: REGISTERED, cloud: { url: server.url, mqtt: MQTT } });
    expect(openIdentity(join(directory, 'identity.json')).cloud).toEqual({ url: server.url, mqtt: MQTT });

    const { publicKey, uuid } = identity;
    expect(server.requests).toEqual([
      {
        method: 'POST',
        path: '/v2/gateways/claim',
        type: 'application/json',
        body: { claim_code: CODE, uuid, public_key: publicKey, signature: expect.any(String) },
      },
    ]);
    const signature = server.requests[0]?.body.signature ?? '';
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: publicKey }, format: 'jwk' });
    expect(verify(null, Buffer.from(`${CODE}.${uuid}`), key, Buffer.from(signature, 'base64url'))).toBe(true);
  });

  it('keeps the path of a cloud that has one', async () => {
    const server = await serve(CLAIMED);
    await claim(`${server.url}/parking/`);
    expect(server.requests[0]?.path).toBe('/parking/v2/gateways/claim');
  });

  it('is refused for good where to ask again is useless', async () => {
    const field = { code: 23, field: 'signature', message: 'does not fit' };
    const server = await serve(NOT_FOUND, {
      status: 422,
      body: { success: false, errors: [field, { code: 23, message: 'bad' }] },
    });
    expect(await refusal(server.url)).toEqual([
      'refused',
      'the claim code is wrong, used or expired: ask for a new one where the gateway was added',
    ]);
    expect(await refusal(server.url)).toEqual([
      'refused',
      'the cloud refused the claim: signature: does not fit; request: bad',
    ]);
    expect(await refusal('ftp://cloud.example')).toEqual([
      'refused',
      'ftp://cloud.example is no address of a cloud: it begins with http:// or https://, and has no query or fragment',
    ]);
    for (const wrong of ['?next=/', '/#claim', '/a b']) {
      expect(await refusal(`${server.url}${wrong}`)).toEqual([
        'refused',
        expect.stringContaining('no address of a cloud'),
      ]);
    }
    expect(openIdentity(join(directory, 'identity.json')).cloud).toBeNull();
  });

  it.each([301, 302, 307, 308])('is never sent on by a %i: the code is for the cloud alone', async (status) => {
    const other = await serve(CLAIMED);
    const location = `${other.url}/welcome?back=1`;
    const server = await serve({ status, body: '', headers: { location } });
    expect(await refusal(server.url)).toEqual([
      'unreachable',
      `${server.url}/v2/gateways/claim answered ${status} and leads to ${other.url}: ${BETWEEN}`,
    ]);
    expect([server.requests.length, other.requests.length]).toEqual([1, 0]);
  });

  it.each([500, 502, 503, 429, 408])('may be tried again after %i, whatever comes with it', async (status) => {
    const server = await serve({ status, body: '<html>later</html>' });
    expect(await refusal(server.url)).toEqual(['unreachable', `${server.url}/v2/gateways/claim answered ${status}`]);
  });

  it('may be tried again where nobody, or somebody else, answers', async () => {
    const closed = await startClaimServer();
    await closed.close();
    const host = closed.url.slice('http://'.length);
    const silent = `${closed.url}/v2/gateways/claim did not answer (connect ECONNREFUSED ${host}): check the address and the network`;
    expect(await refusal(closed.url)).toEqual(['unreachable', silent]);
    const broken = await serve('break');
    expect((await refusal(broken.url))[0]).toBe('unreachable');
  });

  it.each([
    ['a page', { status: 200, body: '<html>Please log in</html>' }],
    ['a page that is missing', { status: 404, body: '<html>Not found</html>' }],
    ['JSON of a portal', { status: 200, body: { captive: true, 'user-portal-url': 'https://login.example/' } }],
    ['errors of another service', { status: 404, body: { errors: [{ message: 'no such page' }] } }],
    ['an array', { status: 200, body: [] }],
    ['what a portal has to say', { status: 511, body: 'sign in' }],
  ])('may be tried again where somebody in between answers: %s', async (_name, answer) => {
    const server = await serve(answer);
    expect(await refusal(server.url)).toEqual([
      'unreachable',
      `${server.url}/v2/gateways/claim answered ${answer.status} without the words of a cloud: ${BETWEEN}`,
    ]);
  });

  it.each([
    ['nothing of a claim', { hello: 'world' }],
    ['no configuration', { mqtt: MQTT }],
    ['a user name that is no uuid', { mqtt: { ...MQTT, username: 'gateway' }, config: [] }],
    ['a section nobody knows', { mqtt: MQTT, config: [{ ...CONFIG[0], section: 'secrets' }] }],
  ])('is refused when a cloud answers garbage: %s', async (_name, data) => {
    const server = await serve({ status: 200, body: { success: true, data } });
    expect(await refusal(server.url)).toEqual([
      'refused',
      `${server.url}/v2/gateways/claim does not answer as a cloud of this version does`,
    ]);
    expect(openIdentity(join(directory, 'identity.json')).cloud).toBeNull();
  });

  it('ends with its signal', async () => {
    const server = await serve('hang');
    const abort = new AbortController();
    const claiming = claim(server.url, abort.signal);
    await server.asked(1);
    abort.abort(new Error('stopped by SIGTERM'));
    await expect(claiming).rejects.toThrow('stopped by SIGTERM');
  });
});

describe('joining the cloud', () => {
  function startJoining(cloudUrl: string) {
    const clock = new FakeClock();
    const { logger, messages } = keepingLogger();
    const abort = new AbortController();
    const claimed = joinCloud({
      identity,
      claim: { cloudUrl, code: CODE },
      clock,
      random: () => 0.5,
      logger,
      signal: abort.signal,
    });
    /** Lets the pause before the next attempt pass, as soon as it has begun. */
    const pass = async (attempts: number, byMs: number) => {
      await expect.poll(() => messages.length, { interval: 5 }).toBe(attempts);
      expect(clock.pending).toBe(1);
      await clock.advance(byMs - 1);
      expect(clock.pending).toBe(1);
      await clock.advance(1);
    };
    return { clock, messages, abort, claimed, pass };
  }

  it('asks again, ever more seldom, until the cloud answers', async () => {
    const page = { status: 200, body: '<html>' };
    const redirect = { status: 302, body: '', headers: { location: 'http://login.example/' } };
    const server = await serve({ status: 503, body: '' }, 'break', page, redirect, CLAIMED);
    const { claimed, pass, messages } = startJoining(server.url);
    await pass(1, 250);
    await pass(2, 1_500);
    await pass(3, 3_000);
    await pass(4, 6_000);
    expect((await claimed).identity.uuid).toBe(REGISTERED);
    expect([server.requests.length, messages]).toEqual([5, Array(4).fill('the cloud could not be joined yet')]);
  });

  it('gives up when it is refused', async () => {
    const server = await serve({ status: 500, body: '' }, NOT_FOUND);
    const { claimed, pass } = startJoining(server.url);
    const refused = expect(claimed).rejects.toMatchObject({ name: 'ClaimError', reason: 'refused' });
    await pass(1, 250);
    await refused;
    expect(server.requests).toHaveLength(2);
  });

  it('ends with its signal, while it waits as while it asks', async () => {
    const waiting = startJoining((await serve({ status: 503, body: '' })).url);
    const ended = expect(waiting.claimed).rejects.toThrow('stopped by SIGTERM');
    await expect.poll(() => waiting.messages.length, { interval: 5 }).toBe(1);
    waiting.abort.abort(new Error('stopped by SIGTERM'));
    await ended;
    expect(waiting.clock.pending).toBe(0);

    const server = await serve('hang');
    const asking = startJoining(server.url);
    const stopped = expect(asking.claimed).rejects.toThrow('stopped by SIGTERM');
    await server.asked(1);
    asking.abort.abort(new Error('stopped by SIGTERM'));
    await stopped;
  });
});
