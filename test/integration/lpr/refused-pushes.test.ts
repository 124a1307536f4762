/** What becomes of pushes that are not as they should be, each over a socket of its own. A thousand at once are in `push-flood.test.ts`. */
import { once } from 'node:events';
import { type ClientRequest, request } from 'node:http';
import { connect } from 'node:net';
import { getConnInfo } from '@hono/node-server/conninfo';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type LocalServer, startLocalServer } from '../../../agent/console/local-server.js';
import { type BodyBudget, createBodyBudget } from '../../../agent/lpr/push/body-budget.js';
import { cameraOfAddress } from '../../../agent/lpr/push/push-key.js';
import { waitUntil } from '../../../scripts/sim/wait-until.js';
import { cameraFixture } from '../../unit/lpr/camera-fixture.js';
import { camera, plateWorld, type PlateWorld, pushListener } from '../../unit/lpr/plate-world.js';

const MIB = 1024 * 1024;
const DAHUA_SERIAL = '8J0AB1234567';
/** Where the cameras stand by their settings, and where they do not. */
const THEIRS = '127.0.0.1';
const ANOTHER = '127.0.0.2';

const event = cameraFixture('hikvision', 'anpr-forward.xml');

describe('a push that is not as it should be', () => {
  let world: PlateWorld;
  let server: LocalServer;
  let startServer: (stalledMs: number) => Promise<LocalServer>;
  let budget: BodyBudget;
  let quarantined: number;
  const keyless = camera(DAHUA_SERIAL, {
    id: 12,
    driver: 'dahua',
    address: `http://${THEIRS}`,
    push_without_key: true,
  });

  beforeEach(async () => {
    const address = `http://${THEIRS}`;
    world = plateWorld({
      cameras: [camera('cam-in', { address }), keyless],
    });
    budget = createBodyBudget({ clock: world.clock });
    quarantined = 0;
    const app = pushListener(world, {
      quarantine: { add: () => Promise.resolve(++quarantined > 0) },
      budget,
      remoteAddress: (push) => getConnInfo(push).remote.address ?? '',
    });
    startServer = (stalledMs) =>
      startLocalServer({
        app,
        host: '0.0.0.0',
        port: 0,
        timeouts: { stalledMs },
        // As the gateway does.
        onRefused({ path, reason }) {
          const refused = path === null ? null : cameraOfAddress(path, world.rules.camera);
          if (refused !== null) world.states.recordRefusal(refused.device_id, reason);
        },
      });
    // Longer than a busy machine pauses.
    server = await startServer(60_000);
  });
  afterEach(async () => {
    await world.reads.close();
    await server.close();
  });

  interface Sent {
    path: string;
    body?: string | Uint8Array;
    from?: string;
    headers?: Record<string, string | number>;
    /** More of the body than is sent at first. */
    goesOn?: (push: ClientRequest) => void;
    port?: number;
  }

  /** The status, or that the gateway ended the connection. */
  const post = ({
    path,
    body = event,
    from = THEIRS,
    headers = {},
    goesOn,
    port = server.port,
  }: Sent): Promise<number | 'cut'> =>
    new Promise((resolve) => {
      const push = request(
        { host: '127.0.0.1', port, localAddress: from, method: 'POST', path, agent: false, headers },
        (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
          push.destroy();
        },
      );
      push.on('error', () => resolve('cut'));
      if (goesOn === undefined) push.end(body);
      else {
        push.write(body);
        goesOn(push);
      }
    });

  const outcome = () => ({
    reads: world.store.reads.length,
    openings: world.commander.commands.length,
    quarantined,
    heldBytes: budget.bytesInFlight(),
  });
  const NOTHING = { reads: 0, openings: 0, quarantined: 0, heldBytes: 0 };
  const KEYED = '/lpr/hikvision/cam-in/right-key';

  it('has a wrong key: 404, and nothing comes of it', async () => {
    expect(await post({ path: '/lpr/hikvision/cam-in/wrong-key' })).toBe(404);
    expect(outcome()).toEqual(NOTHING);
  });

  it('has the right key, from an address that is not the camera’s: the key is what counts', async () => {
    expect(await post({ path: KEYED, from: ANOTHER })).toBe(200);
    expect(outcome()).toEqual({ ...NOTHING, reads: 1, openings: 1 });
  });

  const TOLLGATE = {
    path: '/NotificationInfo/TollgateInfo',
    body: cameraFixture('dahua', 'tollgate.json'),
    headers: { 'content-type': 'application/json' },
  };

  it('comes to the path without a key from an address that is no such camera’s: 404', async () => {
    const sent = TOLLGATE;
    expect(await post({ ...sent, from: ANOTHER })).toBe(404);
    expect(outcome()).toEqual(NOTHING);
    expect(await post(sent)).toBe(200);
    expect(outcome()).toMatchObject({ reads: 1, quarantined: 0 });
  });

  it('comes to the path without a key from a camera that may not do so: 404, and its problem says why', async () => {
    const upsert = { [DAHUA_SERIAL]: { ...keyless, push_without_key: false } };
    world.rules.apply({ section: 'cameras', base: null, revision: 'changed', upsert, remove: [], applied: null });
    expect(await post(TOLLGATE)).toBe(404);
    expect(outcome()).toEqual(NOTHING);
    expect(world.states.refusal(DAHUA_SERIAL)).toContain('allow push_without_key');
    expect(await post({ ...TOLLGATE, path: `/lpr/dahua/${DAHUA_SERIAL}/right-key` })).toBe(200);
    expect(outcome()).toMatchObject({ reads: 1 });
    expect(world.states.refusal(DAHUA_SERIAL)).toBeNull();
  });

  it.each([
    ['by its Origin', { origin: 'http://evil.example', 'content-type': 'text/plain' }],
    ['by Sec-Fetch-Site', { 'sec-fetch-site': 'same-origin' }],
  ])('is of a page in a browser, which tells %s: 403, with any key', async (_, headers) => {
    expect(await post({ path: KEYED, headers })).toBe(403);
    expect(world.states.refusal('cam-in')).toBe('a page in a browser sent it');
    expect(await post({ ...TOLLGATE, headers })).toBe(403);
    expect(outcome()).toEqual(NOTHING);
    expect(await post({ path: KEYED, headers: { 'sec-fetch-mode': 'cors' } })).toBe(200);
    expect(outcome()).toMatchObject({ reads: 1 });
  });

  it.each([
    ['says so', { 'content-length': 9 * MIB }],
    ['does not say so', { 'transfer-encoding': 'chunked' }],
  ])('has 9 MiB and %s: 413 or the end of the connection', async (_, headers) => {
    expect([413, 'cut']).toContain(await post({ path: KEYED, body: Buffer.alloc(9 * MIB, 'x'), headers }));
    await waitUntil('its room to be given back', () => budget.bytesInFlight() === 0);
    expect(outcome()).toEqual(NOTHING);
  });

  it('comes slowly and then no more: the connection ends, and gives its room back', async () => {
    const hasty = await startServer(200);
    try {
      const headers = { 'content-length': 2 * event.length };
      const goesOn = (push: ClientRequest) => void push.write(' ');
      expect([503, 'cut']).toContain(await post({ path: KEYED, headers, goesOn, port: hasty.port }));
      await waitUntil('its room to be given back', () => budget.bytesInFlight() === 0);
      expect(outcome()).toEqual(NOTHING);
    } finally {
      await hasty.close();
    }
    // Sent again, it is read.
    expect(await post({ path: KEYED })).toBe(200);
  });

  it.each([
    ['has lines that end with LF alone', ['Host: gateway', 'Content-Length: 4'], '\n'],
    ['says twice how long it is', ['Host: gateway', 'Content-Length: 4', 'Transfer-Encoding: chunked'], '\r\n'],
    ['has two hosts', ['Host: gateway', 'Host: other', 'Content-Length: 4'], '\r\n'],
  ])('%s: 400, and its camera has a problem until a push of it is taken', async (_, headers, lineEnd) => {
    const send = async (key: string) => {
      const socket = connect(server.port, THEIRS);
      let text = '';
      socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      socket.write([`POST /lpr/hikvision/cam-in/${key} HTTP/1.1`, ...headers, '', 'read'].join(lineEnd));
      await once(socket, 'close');
      return text.split('\r\n', 1)[0];
    };
    // Whoever does not know the key says nothing of the camera.
    expect(await send('wrong-key')).toBe('HTTP/1.1 400 Bad Request');
    expect(world.states.refusal('cam-in')).toBeNull();
    expect(await send('right-key')).toBe('HTTP/1.1 400 Bad Request');
    expect(world.states.refusal('cam-in')).toMatch(/^(This is no HTTP request: |There is more than one Host header)/);
    expect(outcome()).toEqual(NOTHING);
    expect(await post({ path: KEYED })).toBe(200);
    expect(world.states.refusal('cam-in')).toBeNull();
  });

  it('comes in small pieces, but comes: it is read as any other', async () => {
    const goesOn = (push: ClientRequest) => {
      let sent = 1;
      const next = () => {
        if (sent >= event.length) return push.end();
        const piece = event.slice(sent, sent + 64);
        sent += piece.length;
        return push.write(piece, next);
      };
      next();
    };
    expect(await post({ path: KEYED, body: event.slice(0, 1), goesOn })).toBe(200);
    expect(outcome()).toEqual({ ...NOTHING, reads: 1, openings: 1 });
  });
});
