/** How an account shows itself, and the pictures that somebody uploads as its logo. */
import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { API_TOKEN, GUARD_TOKEN, OWNER_TOKEN, RIVAL_TOKEN, seedSite } from '../http/http-site.js';
import { type CloudWorld, startCloudWorld } from '../http/http-world.js';

let cloud: CloudWorld;
beforeAll(async () => {
  cloud = await startCloudWorld();
  await seedSite(cloud.store);
});
afterAll(() => cloud.close());

interface Settings {
  logo_url: string | null;
}

const account = async (token = OWNER_TOKEN) =>
  (await cloud.ask('GET', '/v2/account', { token })).body.data as unknown as Settings;
const change = (json: object, token = OWNER_TOKEN) => cloud.ask('PATCH', '/v2/account', { token, json });
const upload = (bytes: Uint8Array, token = OWNER_TOKEN) =>
  cloud.ask('PUT', '/v2/account/logo', { token, json: { image: Buffer.from(bytes).toString('base64') } });
const refusal = async (asked: ReturnType<typeof upload>) => {
  const { status, body } = await asked;
  return [status, body.errors?.[0]?.field, body.errors?.[0]?.message];
};
const pathOf = (url: string | null) => new URL(url ?? '').pathname;

const red = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 4, background: { r: 200, g: 20, b: 20, alpha: 0.5 } } });
const noise = (width: number, height: number) =>
  sharp({
    create: { width, height, channels: 3, background: '#000', noise: { type: 'gaussian', mean: 128, sigma: 60 } },
  });

/** A PNG that is tiny as a file, and huge when it is decoded. */
function pngBomb(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
    const checksum = Buffer.alloc(4);
    checksum.writeUInt32BE(crc32(named));
    return Buffer.concat([length, named, checksum]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([1, 0, 0, 0, 0], 8);
  const rows = Buffer.alloc(Math.min((Math.ceil(width / 8) + 1) * height, 64 * 1024 * 1024));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function crc32(bytes: Buffer): number {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

describe('the face of an account', () => {
  it('is set by a Super Admin, and read by everybody of the account', async () => {
    expect(await account()).toMatchObject({ display_name: '', colour: null, logo_url: null, contact_email: '' });
    const face = {
      display_name: 'Harbour Car Parks',
      contact_name: 'Ana',
      contact_email: 'ana@harbour.example',
      contact_phone: '+385 1 234',
      colour: '#0B6B5D',
    };
    expect((await change(face)).body.data).toMatchObject({ ...face, name: 'Harbour', colour: '#0b6b5d' });
    expect(await account(GUARD_TOKEN)).toMatchObject({ display_name: 'Harbour Car Parks', colour: '#0b6b5d' });
    expect(await account(RIVAL_TOKEN)).toMatchObject({ display_name: '', colour: null });
    expect((await change({ colour: null })).body.data).toMatchObject({ colour: null, contact_name: 'Ana' });
    for (const token of [GUARD_TOKEN, API_TOKEN]) expect((await change({ colour: null }, token)).status).toBe(403);
  });

  it.each([
    ['colour', 'red'],
    ['colour', '#fff'],
    ['colour', '#0b6b5d;}body{'],
    ['colour', 7],
    ['contact_email', 'nobody'],
    ['contact_phone', '1'.repeat(51)],
    ['contact_phone', '1\n2'],
    ['display_name', 'a'.repeat(201)],
    ['name', 'Another'],
  ])('has no %s %j', async (field, value) => {
    const { status, body } = await change({ [field]: value });
    expect([status, body.errors?.[0]?.field]).toEqual([422, field]);
  });
});

describe('a logo', () => {
  it.each(['png', 'jpeg', 'webp'] as const)('is made a small PNG out of a picture: %s', async (format) => {
    const bytes = await red(1_500, 500).toFormat(format).toBuffer();
    const { status, body } = await upload(bytes);
    expect(status).toBe(200);
    const { logo_url } = body.data as unknown as Settings;
    const answer = await fetch(cloud.base + pathOf(logo_url));
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(answer.headers.get('cache-control')).toContain('immutable');
    const png = Buffer.from(await answer.arrayBuffer());
    expect(png.length).toBeLessThanOrEqual(64 * 1024);
    expect(await sharp(png).metadata()).toMatchObject({ format: 'png', width: 512, height: 171 });
  });

  it('is kept small, however much is in the picture', async () => {
    const bytes = await noise(600, 600).jpeg({ quality: 90 }).toBuffer();
    const { body } = await upload(bytes);
    const png = Buffer.from(
      await (await fetch(cloud.base + pathOf((body.data as unknown as Settings).logo_url))).arrayBuffer(),
    );
    expect(png.length).toBeLessThanOrEqual(64 * 1024);
    expect((await sharp(png).metadata()).width).toBeGreaterThanOrEqual(128);
  });

  it('says nothing of where the picture was taken', async () => {
    const bytes = await red(40, 40)
      .withExif({ IFD0: { Copyright: 'SECRET OF THE CAMERA' } })
      .jpeg()
      .toBuffer();
    expect(bytes.includes('SECRET OF THE CAMERA')).toBe(true);
    const { body } = await upload(bytes);
    const png = Buffer.from(
      await (await fetch(cloud.base + pathOf((body.data as unknown as Settings).logo_url))).arrayBuffer(),
    );
    expect(png.includes('SECRET OF THE CAMERA')).toBe(false);
  });

  it('has another address when it is replaced, and none when it is removed', async () => {
    const first = pathOf(
      ((await upload(await red(20, 20).png().toBuffer())).body.data as unknown as Settings).logo_url,
    );
    const second = pathOf(
      ((await upload(await red(30, 30).png().toBuffer())).body.data as unknown as Settings).logo_url,
    );
    expect(second).not.toBe(first);
    expect((await fetch(cloud.base + first)).status).toBe(404);
    const { status, body } = await cloud.ask('DELETE', '/v2/account/logo', { token: OWNER_TOKEN });
    expect([status, (body.data as unknown as Settings).logo_url]).toEqual([200, null]);
    expect((await fetch(cloud.base + second)).status).toBe(404);
  });

  const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>';
  it.each([
    ['an SVG', async () => Buffer.from(svg)],
    ['a GIF', async () => red(9, 9).gif().toBuffer()],
    ['a TIFF', async () => red(9, 9).tiff().toBuffer()],
    ['a page', async () => Buffer.from('<!doctype html><p>x')],
    ['an SVG behind a name', async () => Buffer.from(`RIFF0000${svg}`)],
  ])('is not made out of %s', async (_what, bytesOf) => {
    expect(await refusal(upload(await bytesOf()))).toEqual([422, 'image', 'Must be a PNG, JPEG or WebP picture']);
  });

  it.each([
    ['nothing behind its first bytes', async () => Buffer.from([0xff, 0xd8, 0xff])],
    ['an SVG behind the first bytes of a PNG', async () => Buffer.concat([await head(), Buffer.from(svg)])],
    ['half a PNG', async () => (await noise(99, 99).png().toBuffer()).subarray(0, 9_000)],
    ['half a JPEG', async () => (await noise(99, 99).jpeg().toBuffer()).subarray(0, 2_000)],
  ])('is not made out of a picture with %s', async (_what, bytesOf) => {
    expect(await refusal(upload(await bytesOf()))).toEqual([422, 'image', 'Is no picture that can be read']);
  });
  const head = async () => (await red(9, 9).png().toBuffer()).subarray(0, 8);

  it.each([
    [20_000, 20_000],
    [65_000, 10],
    [5_000, 5_000],
  ])('is not made out of a bomb of %i by %i pixels, and costs no memory', async (width, height) => {
    const bomb = pngBomb(width, height);
    expect(bomb.length).toBeLessThan(512 * 1024);
    const before = process.memoryUsage().rss;
    expect(await refusal(upload(bomb))).toEqual([422, 'image', 'Must have at most 4096 pixels on each side']);
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
  });

  it('is not made out of more than 512 KiB, nor of what is no base64', async () => {
    const large = Buffer.concat([await red(9, 9).png().toBuffer(), Buffer.alloc(512 * 1024)]);
    expect((await upload(large)).status).toBe(422);
    expect((await upload(Buffer.concat([large, large]))).status).toBe(413);
    for (const image of ['', 'no base64!', 'data:image/png;base64,AAAA', 7])
      expect((await cloud.ask('PUT', '/v2/account/logo', { token: OWNER_TOKEN, json: { image } })).status).toBe(422);
  });

  it('is for a Super Admin who signed in', async () => {
    const bytes = await red(9, 9).png().toBuffer();
    for (const token of [GUARD_TOKEN, API_TOKEN]) expect((await upload(bytes, token)).status).toBe(403);
    expect((await account()).logo_url).toBeNull();
  });

  it('has no other name', async () => {
    for (const name of ['none.png', '..%2fx', 'x'])
      expect((await fetch(`${cloud.base}/logos/${name}`)).status).toBe(404);
  });
});
