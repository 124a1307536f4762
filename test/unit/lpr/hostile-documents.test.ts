/** Documents that would cost more to parse than they cost to send, at every driver that is posted to. */
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createCameraDrivers } from '../../../agent/lpr/camera-drivers.js';
import { JSON_BOUNDS } from '../../../agent/lpr/formats/document-parser.js';
import { brokenJsonBound } from '../../../shared/json-measure.js';
import { systemClock } from '../../../shared/system-clock.js';
import { HOSTILE_JSON } from '../../attack/hostile-json.js';
import { cameraDriverDeps } from '../../world/camera-driver-deps.js';
import { camera } from './plate-world.js';
import { PATH, pushWorld } from './push-world.js';

const BYTES = 60_000;
const MIB = 1024 * 1024;
const MAPPING = { format: 'json', plate: ['plate'] };
const READERS = [...createCameraDrivers(cameraDriverDeps(systemClock))].flatMap(([name, { push }]) =>
  push === null ? [] : [{ name, push }],
);

const inMultipart = (json: string): string =>
  `--b\r\nContent-Disposition: form-data; name="event"\r\nContent-Type: application/json\r\n\r\n${json}\r\n--b--\r\n`;
const FORMS: readonly [contentType: string, bodyOf: (json: string) => string][] = [
  ['application/json', (json) => json],
  ['application/json', (json) => `\0${json}`],
  ['multipart/form-data; boundary=b', inMultipart],
];

afterEach(() => vi.restoreAllMocks());

describe('hostile JSON', () => {
  it.each(READERS)('is not parsed beyond its bounds by $name, in whatever form it comes', ({ push, name }) => {
    const parse = vi.spyOn(JSON, 'parse');
    const posted = {
      device_id: 'cam',
      timezone: 'UTC',
      password: '',
      address: '',
      mapping: name === 'mapping' ? MAPPING : null,
    };
    for (const textOf of Object.values(HOSTILE_JSON)) {
      for (const [contentType, bodyOf] of FORMS) {
        const body = Buffer.from(bodyOf(textOf(BYTES)));
        parse.mockClear();
        push.parse({ contentType, body, camera: posted, path: '', query: '', header: () => undefined });
        const texts = parse.mock.calls.map(([text]) => String(text));
        expect(texts.filter((text) => brokenJsonBound(text, JSON_BOUNDS) !== null)).toEqual([]);
        // Once as it is, and once without its control characters.
        expect(texts.length).toBeLessThanOrEqual(2);
      }
    }
  });
});

describe('a push that breaks a bound', () => {
  const cameras = [camera('cam-in'), camera('cam-json', { id: 12, driver: 'unifi' })];
  const world = () => pushWorld({ cameras });
  const JSON_PATH = '/lpr/unifi/cam-json/right-key';

  /** Posts a body of so many pieces, and says how many of them were read. */
  async function postPieces(
    made: ReturnType<typeof pushWorld>,
    {
      path,
      piece,
      count,
      headers,
    }: { path: string; piece: Uint8Array; count: number; headers: Record<string, string> },
  ) {
    let read = 0;
    const body = new ReadableStream(
      { pull: (to) => (read++ < count ? to.enqueue(piece) : to.close()) },
      { highWaterMark: 0 },
    );
    const request = new Request(`http://gateway${path}`, { method: 'POST', body, headers, duplex: 'half' });
    return { status: (await made.app.request(request)).status, read };
  }

  it.each([
    ['depth of JSON', JSON_PATH, '[', 'JSON that is nested more than 32 deep'],
    ['depth of JSON behind NUL', JSON_PATH, '\0[', 'JSON that is nested more than 32 deep'],
    ['keys of JSON', JSON_PATH, '{"":0,"":0,', 'JSON that is nested more than 32 deep'],
    ['values of JSON', JSON_PATH, '[]', 'JSON of more than 20000 values'],
    ['tags of XML', PATH, '<a>', 'XML of more than 20000 tags'],
  ])('is read no further than its beginning, and the problem of its camera: %s', async (_, path, unit, reason) => {
    const made = world();
    const piece = Buffer.from(unit.repeat(65_536 / unit.length));
    const { status, read } = await postPieces(made, {
      path,
      piece,
      count: 100,
      headers: { 'content-type': 'text/plain' },
    });
    // A camera would send again what is refused.
    expect([status, made.budget.bytesInFlight()]).toEqual([200, 0]);
    expect(read).toBeLessThan(12);
    const device = path === PATH ? 'cam-in' : 'cam-json';
    expect(made.states.refusal(device)).toContain(reason);
    expect(made.quarantined).toMatchObject([{ camera_device_id: device, reason }]);
  });

  it('is judged by what a gzip holds', async () => {
    const made = world();
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    const bomb = gzipSync(Buffer.alloc(8 * MIB, '['));
    expect((await made.post(bomb, JSON_PATH, headers)).status).toBe(200);
    expect(made.quarantined[0]?.body.length).toBeLessThan(MIB);
  });

  it('with a wrong key is 404, its body is not read, and it is a problem of the camera that it names', async () => {
    const made = world();
    const piece = Buffer.alloc(65_536, '[');
    const headers = { 'content-type': 'application/json' };
    const { status, read } = await postPieces(made, { path: `${JSON_PATH}x`, piece, count: 100, headers });
    expect([status, read]).toEqual([404, 0]);
    expect(made.states.pushFault('cam-json')?.kind).toBe('wrong_key');
  });

  it('is no push with a picture of megabytes', async () => {
    const made = world();
    const body = JSON.stringify({ alarm: { thumbnail: `data:image/jpeg;base64,${'A'.repeat(6 * MIB)}` } });
    expect((await made.post(body, JSON_PATH, { 'content-type': 'application/json' })).status).toBe(200);
  });

  it('above 8 MiB is the problem of its camera too', async () => {
    const made = world();
    const headers = { 'content-type': 'application/xml', 'content-length': String(8 * MIB + 1) };
    expect((await made.post('x', PATH, headers)).status).toBe(413);
    expect(made.states.refusal('cam-in')).toContain('8388608 bytes');
  });
});
