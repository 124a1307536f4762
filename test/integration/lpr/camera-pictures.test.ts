/** Pictures that a camera offers instead of sending them are fetched from the camera alone. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCameraClient } from '../../../agent/lpr/network/camera-client.js';
import { createPictureFetcher, type FetchPicture, ownPath } from '../../../agent/lpr/network/picture-fetcher.js';
import { systemClock } from '../../../shared/system-clock.js';
import { type HttpListener, listenHttp } from '../../../scripts/sim/http-listener.js';
import { jpegLike } from '../../unit/lpr/multipart-builder.js';
import { camera } from '../../unit/lpr/plate-world.js';
import { cameraDriverDeps } from '../../world/camera-driver-deps.js';

const PICTURE = jpegLike('a picture');
const MIB = 1024 * 1024;

describe('a picture that a camera offers', () => {
  let listener: HttpListener;
  let other: HttpListener;
  let asked: string[];
  let askedElsewhere: number;
  let fetchPicture: FetchPicture;

  beforeEach(async () => {
    asked = [];
    askedElsewhere = 0;
    other = await listenHttp(
      () => {
        askedElsewhere++;
        return new Response(PICTURE);
      },
      { host: '127.0.0.1', port: 0 },
    );
    listener = await listenHttp(
      (request) => {
        const { pathname, search } = new URL(request.url);
        asked.push(pathname + search);
        if (pathname === '/moved') return Response.redirect(`http://127.0.0.1:${other.port}/picture.jpg`, 302);
        if (pathname === '/secret') {
          return new Response(null, {
            status: 401,
            headers: { 'www-authenticate': 'Digest realm="r", nonce="n", qop="auth"' },
          });
        }
        if (pathname === '/text') return new Response('no picture');
        if (pathname === '/large') return new Response(Buffer.concat([PICTURE, Buffer.alloc(7 * MIB)]));
        return new Response(PICTURE);
      },
      { host: '127.0.0.1', port: 0 },
    );
    const address = `http://127.0.0.1:${listener.port}`;
    const item = camera('cam', { address, username: 'admin', password: 'wrong' });
    fetchPicture = createPictureFetcher({
      client: createCameraClient(cameraDriverDeps(systemClock)),
      camera: (deviceId) => (deviceId === 'cam' ? item : undefined),
      clock: systemClock,
    });
  });
  afterEach(async () => {
    await listener.close();
    await other.close();
  });

  it('is fetched, by a path or an address of its own', async () => {
    expect(await fetchPicture('cam', '/local/tools.cgi?name=1/roi.jpg')).toEqual(PICTURE);
    expect(await fetchPicture('cam', `http://127.0.0.1:${listener.port}/picture.jpg`)).toEqual(PICTURE);
    expect(asked).toEqual(['/local/tools.cgi?name=1/roi.jpg', '/picture.jpg']);
  });

  it('is not fetched from another port of its host, or by a redirect', async () => {
    expect(await fetchPicture('cam', `http://127.0.0.1:${other.port}/picture.jpg`)).toBeNull();
    expect(await fetchPicture('cam', '/moved')).toBeNull();
    expect([asked, askedElsewhere]).toEqual([['/moved'], 0]);
  });

  it.each(['/text', '/large'])('is none: %s', async (address) => {
    expect(await fetchPicture('cam', address)).toBeNull();
  });

  it('does not lock the account of a camera that refuses it', async () => {
    for (let round = 0; round < 8; round++) expect(await fetchPicture('cam', '/secret')).toBeNull();
    // Once with the password; from then on only the question whether it still asks for one.
    expect(asked).toHaveLength(9);
  });

  it('is none when the camera is not there', async () => {
    expect(await fetchPicture('no-cam', '/picture.jpg')).toBeNull();
  });
});

describe('an address in a payload', () => {
  const of = (address: string, own = 'http://192.168.1.21') => ownPath(address, { address: own });

  it.each([
    'http://169.254.169.254/latest/meta-data',
    'http://localhost/picture.jpg',
    'http://192.168.1.22/picture.jpg',
    'http://192.168.1.21:8090/status',
    'https://192.168.1.21/picture.jpg',
    'http://192.168.1.21@evil.example/picture.jpg',
    'http://admin:secret@192.168.1.21/picture.jpg',
    '//evil.example/picture.jpg',
    String.raw`\\evil.example\picture.jpg`,
    'file:///etc/passwd',
    'ftp://192.168.1.21/picture.jpg',
    'javascript:alert(1)',
    'http://192.168.1.21.evil.example/picture.jpg',
    'http://[::ffff:192.168.1.21]/picture.jpg',
  ])('is not the camera’s: %s', (address) => {
    expect(of(address)).toBeNull();
  });

  it('is the camera’s, also as a path, or written otherwise', () => {
    expect(of('/a/../picture.jpg?x=1')).toBe('/picture.jpg?x=1');
    expect(of('picture.jpg')).toBe('/picture.jpg');
    expect(of('HTTP://192.168.1.21:80/picture.jpg')).toBe('/picture.jpg');
    expect(of('http://3232235797/picture.jpg')).toBe('/picture.jpg');
  });

  it('is nobody’s when the camera has no address, or is at a broker', () => {
    expect(of('/picture.jpg', '')).toBeNull();
    expect(of('/picture.jpg', 'mqtt://192.168.1.40')).toBeNull();
  });
});
