import { serve } from '@hono/node-server';
import { request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { createVehiclePictures } from '../../../scripts/sim/cameras/vehicle-pictures.js';
import { waitUntil } from '../../../scripts/sim/wait-until.js';
import { cameraFixture } from './camera-fixture.js';
import { jpegLike, multipartBody, part, STRICT } from './multipart-builder.js';
import { camera } from './plate-world.js';
import { PATH, pushWorld, XML_TYPE as XML } from './push-world.js';

const MIB = 1024 * 1024;
const listenerWorld = () => pushWorld({ cameras: [camera('cam-in'), camera('cam-keyless', { push_key: '' })] });

describe('the push listener', () => {
  it('keeps a read, then answers as the vendor expects', async () => {
    const world = listenerWorld();
    const response = await world.post(cameraFixture('hikvision', 'anpr-forward.xml'));
    expect([response.status, await response.text()]).toEqual([200, '']);
    expect(world.store.reads).toMatchObject([
      {
        record: {
          reading: { plate: 'ZG4821AB', confidence: 0.93, direction: 'in', event_ms: Date.UTC(2026, 0, 15, 12) },
        },
      },
    ]);
    expect(world.commander.commands).toHaveLength(1);
  });

  it.each([
    ['an unknown camera', '/lpr/hikvision/cam-x/right-key'],
    ['a wrong key', '/lpr/hikvision/cam-in/wrong-key'],
    ['a driver that is not the camera’s', '/lpr/dahua/cam-in/right-key'],
    ['a name every object has', '/lpr/constructor/cam-in/right-key'],
    ['a camera without a key', '/lpr/hikvision/cam-keyless/'],
  ])('answers 404 to %s', async (_, path) => {
    const world = listenerWorld();
    const response = await world.post(cameraFixture('hikvision', 'anpr-forward.xml'), path);
    expect(response.status).toBe(404);
    expect(world.store.calls).toEqual([]);
  });

  it('answers 503 while the store refuses, and the repeat opens nothing', async () => {
    const world = listenerWorld();
    world.store.refuses = true;
    expect((await world.post(cameraFixture('hikvision', 'anpr-forward.xml'))).status).toBe(503);
    expect(world.commander.commands).toHaveLength(1);
    world.store.refuses = false;
    expect((await world.post(cameraFixture('hikvision', 'anpr-forward.xml'))).status).toBe(200);
    expect(world.commander.commands).toHaveLength(1);
    expect(world.store.reads).toHaveLength(1);
  });

  it('answers 413 above 8 MiB, declared or counted', async () => {
    const world = listenerWorld();
    const declared = { ...XML, 'content-length': String(8 * MIB + 1) };
    expect((await world.post('x', PATH, declared)).status).toBe(413);
    expect((await world.post('x', PATH, { ...XML, 'content-length': 'many' })).status).toBe(413);
    expect((await world.post(Buffer.alloc(8 * MIB + 1))).status).toBe(413);
    expect(world.quarantined).toEqual([]);
  });

  it('answers 503 when a push breaks off', async () => {
    const world = listenerWorld();
    const body = new ReadableStream({ pull: (controller) => controller.error(new Error('connection lost')) });
    const request = new Request(`http://gateway${PATH}`, { method: 'POST', body, duplex: 'half' });
    expect((await world.app.request(request)).status).toBe(503);
  });

  it('reserves a body before it reads it, and frees it with the answer', async () => {
    const world = listenerWorld();
    expect((await world.post(cameraFixture('hikvision', 'heartbeat.xml'))).status).toBe(200);
    expect(world.budget.bytesInFlight()).toBe(0);
    const held = await world.budget.reserve('cam-in', 8 * MIB);
    const crowded = world.post('x'.repeat(100), PATH, { ...XML, 'content-length': '100' });
    await world.clock.advance(5_000);
    const response = await crowded;
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
    held?.release();
    expect((await world.post(cameraFixture('hikvision', 'heartbeat.xml'))).status).toBe(200);
    expect(world.budget.bytesInFlight()).toBe(0);
  });

  it('refuses a body without a length that grows beyond what there is room for', async () => {
    const world = listenerWorld();
    const held = await world.budget.reserve('cam-in', 7 * MIB);
    const response = await world.post(Buffer.alloc(2 * MIB, 'x'));
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
    expect(world.budget.bytesInFlight()).toBe(7 * MIB);
    held?.release();
    expect((await world.post(Buffer.alloc(2 * MIB, 'x'))).status).toBe(200);
  });

  it('reads nothing of a push that is not authorised', async () => {
    const world = listenerWorld();
    let pulled = 0;
    const body = new ReadableStream(
      { pull: (controller) => (pulled++ < 100 ? controller.enqueue(Buffer.alloc(1024)) : controller.close()) },
      { highWaterMark: 0 },
    );
    const request = new Request('http://gateway/lpr/hikvision/cam-in/wrong-key', {
      method: 'POST',
      body,
      duplex: 'half',
    });
    expect((await world.app.request(request)).status).toBe(404);
    expect([pulled, world.authorized]).toEqual([0, []]);
    await world.post(cameraFixture('hikvision', 'heartbeat.xml'));
    expect(world.authorized).toEqual([PATH]);
  });

  it('sends pictures behind the read that announces them', async () => {
    const world = listenerWorld();
    const plate = jpegLike('whole, but nothing sharp can read');
    const body = multipartBody(
      [
        part('anpr.xml', 'application/xml', cameraFixture('hikvision', 'anpr-forward.xml')),
        part('licensePlatePicture.jpg', 'image/jpeg', plate),
      ],
      STRICT,
    );
    await world.post(body, PATH, { 'content-type': 'multipart/form-data; boundary=MIME_boundary' });
    expect(world.store.reads[0]?.record.reading.images).toMatchObject([{ role: 'cropped' }]);
    await world.reads.close();
    // It was announced without being decoded; decoding failed, so nothing follows, and nothing else is disturbed.
    expect(world.store.images).toEqual([]);
  });
});

describe('a push in a coding', () => {
  const forward = cameraFixture('hikvision', 'anpr-forward.xml');

  it.each(['gzip', 'GZIP', 'x-gzip', 'identity, gzip'])('%s is read as what it holds', async (coding) => {
    const world = listenerWorld();
    const response = await world.post(gzipSync(forward), PATH, { ...XML, 'content-encoding': coding });
    expect(response.status).toBe(200);
    expect(world.store.reads).toMatchObject([{ record: { reading: { plate: 'ZG4821AB' } } }]);
    expect([world.commander.commands.length, world.quarantined, world.budget.bytesInFlight()]).toEqual([1, [], 0]);
  });

  it('identity is none', async () => {
    const world = listenerWorld();
    expect((await world.post(forward, PATH, { ...XML, 'content-encoding': 'identity' })).status).toBe(200);
    expect(world.commander.commands).toHaveLength(1);
  });

  it.each(['deflate', 'br', 'zstd', 'gzip, gzip', 'compress'])(
    '%s is refused unread, and the camera has a problem until its next push',
    async (coding) => {
      const world = listenerWorld();
      const refused = await world.post(forward, PATH, { ...XML, 'content-encoding': coding });
      expect([refused.status, world.store.reads, world.quarantined]).toEqual([415, [], []]);
      expect(world.states.refusal('cam-in')).toContain(`as ${coding}`);
      const stranger = await world.post(forward, '/lpr/hikvision/cam-in/wrong-key', { 'content-encoding': coding });
      expect(stranger.status).toBe(404);
      await world.post(gzipSync(forward), PATH, { ...XML, 'content-encoding': 'gzip' });
      expect(world.states.refusal('cam-in')).toBe(null);
    },
  );

  it.each([
    ['is no gzip', Buffer.from(forward), 'incorrect header check'],
    ['is not all of one', gzipSync(forward).subarray(0, -20), 'unexpected end of file'],
    [
      'has a wrong checksum',
      Buffer.concat([gzipSync(forward).subarray(0, -8), Buffer.alloc(8)]),
      'incorrect data check',
    ],
  ])('is put aside like all that cannot be parsed when it %s', async (_, body, reason) => {
    const world = listenerWorld();
    expect((await world.post(body, PATH, { ...XML, 'content-encoding': 'gzip' })).status).toBe(200);
    expect(world.quarantined.map((push) => push.reason)).toEqual([`it is no whole gzip: ${reason}`]);
    expect([world.store.reads, world.commander.commands, world.budget.bytesInFlight()]).toEqual([[], [], 0]);
  });

  it('has its bound where it is inflated: a bomb is 413, and read no further', async () => {
    const world = listenerWorld();
    const gzip = { ...XML, 'content-encoding': 'gzip' };
    expect((await world.post(gzipSync(Buffer.alloc(8 * MIB, 'x')), PATH, gzip)).status).toBe(200);
    expect(world.quarantined.map(({ body }) => body.length)).toEqual([8 * MIB]);
    expect((await world.post(gzipSync(Buffer.alloc(8 * MIB + 1, 'x')), PATH, gzip)).status).toBe(413);
    // Members of a gzip follow each other: each of these is 1 MiB.
    const member = gzipSync(Buffer.alloc(MIB));
    let sent = 0;
    const body = new ReadableStream(
      { pull: (controller) => (sent++, controller.enqueue(member)) },
      { highWaterMark: 0 },
    );
    const request = new Request(`http://gateway${PATH}`, { method: 'POST', body, headers: gzip, duplex: 'half' });
    expect((await world.app.request(request)).status).toBe(413);
    expect(sent).toBeLessThan(50);
    expect([world.quarantined.length, world.budget.bytesInFlight()]).toEqual([1, 0]);
  });

  it('needs the room of what it is inflated to', async () => {
    const world = listenerWorld();
    const held = await world.budget.reserve('cam-in', 7 * MIB);
    const gzip = { ...XML, 'content-encoding': 'gzip' };
    expect((await world.post(gzipSync(Buffer.alloc(2 * MIB)), PATH, gzip)).status).toBe(503);
    expect(world.budget.bytesInFlight()).toBe(7 * MIB);
    held?.release();
    expect((await world.post(gzipSync(Buffer.alloc(2 * MIB)), PATH, gzip)).status).toBe(200);
  });
});

describe('the push listener over HTTP', () => {
  let server: ReturnType<typeof serve> | undefined;
  afterEach(() => new Promise((resolve) => (server === undefined ? resolve(null) : server.close(resolve))));

  async function listen() {
    const world = listenerWorld();
    const port = await new Promise<number>((resolve) => {
      server = serve({ fetch: world.app.fetch, port: 0, hostname: '127.0.0.1' }, (info: AddressInfo) =>
        resolve(info.port),
      );
    });
    return { ...world, url: `http://127.0.0.1:${port}${PATH}` };
  }

  it('takes what the camera sends again of a vehicle, seen better, and each of it once', async () => {
    const world = await listen();
    const first = cameraFixture('hikvision', 'anpr-forward.xml');
    const better = first.replace('<confidenceLevel>93<', '<confidenceLevel>99<');
    const other = better.replace('ZG4821AB', 'ZG4821A8');
    for (const body of [first, better, first, better, other, other]) {
      const response = await fetch(world.url, { method: 'POST', body, headers: XML });
      expect([response.status, await response.text()]).toEqual([200, '']);
    }
    expect(world.store.reads).toHaveLength(1);
    const { uid } = world.store.reads[0]!;
    expect(world.store.refinements.map(({ record }) => record)).toMatchObject([
      { reading_uid: uid, refinement: 1, reading: { plate: 'ZG4821AB', confidence: 0.99 }, decided: null },
      { reading_uid: uid, refinement: 2, reading: { plate: 'ZG4821A8', confidence: 0.99 }, decided: null },
    ]);
    expect(world.commander.commands).toHaveLength(1);
  });

  /** Posts a body of which the second half waits; `send` lets it go, `breakOff` ends the connection instead. */
  function postInHalves(url: string, body: Uint8Array, headers: Record<string, string>) {
    const pushed = httpRequest(url, { method: 'POST', headers: { ...headers, 'content-length': `${body.length}` } });
    const status = new Promise((resolve) => {
      pushed.once('response', (response) => resolve(response.resume().statusCode));
      pushed.once('error', () => resolve('broken off'));
    });
    pushed.write(body.subarray(0, body.length / 2));
    return {
      status,
      send: () => void pushed.end(body.subarray(body.length / 2)),
      breakOff: () => void pushed.destroy(),
    };
  }

  it('opens while the pictures are on their way, and sends them behind the read, also when only a repeat brings them', async () => {
    const world = await listen();
    const pictures = await createVehiclePictures()('ZG4821AB', 'blue');
    const parts = (xml: string) => [
      part('anpr.xml', 'application/xml', xml),
      part('licensePlatePicture.jpg', 'image/jpeg', pictures.plate),
      part('detectionPicture.jpg', 'image/jpeg', pictures.scene),
    ];
    const headers = { 'content-type': 'multipart/form-data; boundary=MIME_boundary' };
    const forward = cameraFixture('hikvision', 'anpr-forward.xml');
    const whole = postInHalves(world.url, multipartBody(parts(forward), STRICT), headers);
    await waitUntil('the barrier to be asked', () => world.commander.commands.length > 0);
    await waitUntil('the read to be stored', () => world.store.reads.length > 0);
    expect(world.store.images).toEqual([]);
    const read = world.store.reads[0];
    expect(world.seen.last(read?.camera_device_id ?? '')).toMatchObject({ uid: read?.uid, has_picture: false });
    whole.send();
    expect(await whole.status).toBe(200);
    await waitUntil('its pictures', () => world.store.images.length === 2);
    expect(world.seen.last(read?.camera_device_id ?? '')).toMatchObject({ uid: read?.uid, has_picture: true });

    const second = multipartBody(parts(forward.replace('<UUID>2026', '<UUID>2027')), STRICT);
    const broken = postInHalves(world.url, second, headers);
    await waitUntil('the second read to be stored', () => world.store.reads.length === 2);
    broken.breakOff();
    expect(await broken.status).toBe('broken off');
    const repeated = await fetch(world.url, { method: 'POST', body: Buffer.from(second), headers });
    expect(repeated.status).toBe(200);
    await waitUntil('the pictures of the second', () => world.store.images.length === 4);
    for (const { uid, record } of world.store.reads) {
      const sent = world.store.images.filter(({ owner_uid }) => owner_uid === uid);
      const announced = record.reading.images;
      expect(new Set(sent.map(({ uid: image, role }) => `${image} ${role}`))).toEqual(
        new Set(announced.map(({ uid: image, role }) => `${image} ${role}`)),
      );
    }
    expect([world.store.reads.length, world.store.refinements.length]).toEqual([2, 0]);
  });

  it('takes a body of 8 MiB and no byte more, with and without Content-Length', async () => {
    const world = await listen();
    const exact = Buffer.alloc(8 * MIB, 'x');
    const over = Buffer.alloc(8 * MIB + 1, 'x');
    const post = async (body: Uint8Array | ReadableStream) =>
      (await fetch(world.url, { method: 'POST', body, headers: XML, duplex: 'half' } as RequestInit)).status;
    expect(await post(exact)).toBe(200);
    expect(await post(new Blob([exact]).stream())).toBe(200);
    expect(world.quarantined.map(({ body }) => body.length)).toEqual([8 * MIB, 8 * MIB]);
    for (const body of [over, new Blob([over]).stream()]) {
      // The camera may learn it by the answer or by the end of the connection, in the middle of its body.
      const status = await post(body).catch(() => 'connection closed');
      expect([413, 'connection closed']).toContain(status);
    }
    expect(world.quarantined).toHaveLength(2);
  });

  it('answers a bomb and a camera that compresses, over the wire', async () => {
    const world = await listen();
    const headers = { ...XML, 'content-encoding': 'gzip' };
    const post = async (body: Uint8Array) =>
      (await fetch(world.url, { method: 'POST', body: Buffer.from(body), headers })).status;
    expect(await post(gzipSync(Buffer.alloc(64 * MIB)))).toBe(413);
    expect(await post(gzipSync(cameraFixture('hikvision', 'anpr-forward.xml')))).toBe(200);
    expect([world.commander.commands.length, world.budget.bytesInFlight()]).toEqual([1, 0]);
  });
});
