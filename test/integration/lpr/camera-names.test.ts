/** Cameras whose address is a name, and DNS that answers otherwise the next time: nothing is asked but the host that was found first. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo, LookupFunction } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCameraClient } from '../../../agent/lpr/network/camera-client.js';
import { createPictureFetcher, type FetchPicture } from '../../../agent/lpr/network/picture-fetcher.js';
import { systemClock } from '../../../shared/system-clock.js';
import { jpegLike } from '../../unit/lpr/multipart-builder.js';
import { camera } from '../../unit/lpr/plate-world.js';
import { cameraDriverDeps } from '../../world/camera-driver-deps.js';

const PICTURE = jpegLike('a picture');
const HERE = '127.0.0.1';
/** Another host of the same network, which listens at the same port. */
const ELSEWHERE = '127.0.0.2';
const CHALLENGE = 'Digest realm="r", nonce="n", qop="auth"';

const listen = (server: Server, host: string, port = 0): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
  });

describe('a camera whose address is a name', () => {
  let own: Server;
  let other: Server;
  let port: number;
  /** Who was asked for what, and whether the account was shown. */
  let asked: string[];
  /** The names that were resolved. */
  let resolved: string[];
  /** What DNS answers, one after the other; the last stays. */
  let answers: string[];
  let fetchPicture: FetchPicture;

  beforeEach(async () => {
    asked = [];
    resolved = [];
    answers = [HERE];
    const noted = (host: string, path = '', authorization?: string) =>
      asked.push(`${host} ${path}${authorization === undefined ? '' : ' with the account'}`);
    own = createServer(({ url, headers }, response) => {
      noted(HERE, url, headers.authorization);
      if (url === '/moved') response.writeHead(302, { location: `http://cam.example:${port}/picture.jpg` }).end();
      else if (url === '/away') response.writeHead(307, { location: `http://internal.example:${port}/` }).end();
      else if (url === '/secret' && headers.authorization === undefined)
        response.writeHead(401, { 'www-authenticate': CHALLENGE }).end();
      else response.end(PICTURE);
    });
    other = createServer(({ url, headers }, response) => {
      noted(ELSEWHERE, url, headers.authorization);
      response.end(PICTURE);
    });
    port = await listen(own, HERE);
    await listen(other, ELSEWHERE, port);
    const lookup: LookupFunction = (name, { all = false }, callback) => {
      resolved.push(name);
      const address = (answers.length > 1 ? answers.shift() : answers[0]) ?? ELSEWHERE;
      setImmediate(() => (all ? callback(null, [{ address, family: 4 }]) : callback(null, address, 4)));
    };
    const item = camera('cam', { address: `http://cam.example:${port}`, username: 'admin', password: 'secret' });
    fetchPicture = createPictureFetcher({
      client: createCameraClient(cameraDriverDeps(systemClock), lookup),
      camera: (deviceId) => (deviceId === 'cam' ? item : undefined),
      clock: systemClock,
    });
  });
  afterEach(async () => {
    for (const server of [own, other]) await new Promise((resolve) => server.close(resolve));
  });

  it('shows its account to the host that asked for it, though the name leads elsewhere by then', async () => {
    answers = [HERE, ELSEWHERE];
    expect(await fetchPicture('cam', '/secret')).toEqual(PICTURE);
    expect(asked).toEqual([`${HERE} /secret`, `${HERE} /secret with the account`]);
    expect(resolved).toEqual(['cam.example']);
  });

  it('shows no account to the host that its name leads to the next time, unless that asks for it', async () => {
    answers = [HERE, ELSEWHERE];
    await fetchPicture('cam', '/secret');
    await fetchPicture('cam', '/secret');
    expect(asked.slice(2)).toEqual([`${ELSEWHERE} /secret`]);
  });

  it.each(['/moved', '/away'])('is not followed where it leads on: %s', async (path) => {
    answers = [HERE, ELSEWHERE];
    expect(await fetchPicture('cam', path)).toBeNull();
    expect([asked, resolved]).toEqual([[`${HERE} ${path}`], ['cam.example']]);
  });

  it('is the only name that is ever resolved, whatever stands in a payload', async () => {
    for (const address of [
      `http://internal.example:${port}/`,
      `http://cam.example.evil.example:${port}/`,
      `http://cam.example@evil.example:${port}/`,
      `http://${HERE}:${port}/picture.jpg`,
      `http://cam.example:${port + 1}/`,
    ]) {
      expect(await fetchPicture('cam', address)).toBeNull();
    }
    expect([asked, resolved]).toEqual([[], []]);
    expect(await fetchPicture('cam', `http://CAM.example:${port}/picture.jpg`)).toEqual(PICTURE);
    expect(resolved).toEqual(['cam.example']);
  });
});
