import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createScreenPolls } from '../../../agent/display/screen-polls.js';
import { createSensorPushes } from '../../../agent/sensor/sensor-pushes.js';

const TOO_LARGE = JSON.stringify('x'.repeat(256 * 1024));
const UPLINK = JSON.stringify({ devEui: '70b3d57ed0000001' });

/** Sensors and screens post their small bodies alike; a screen's is looked at no further. */
function posts() {
  const seen: unknown[] = [];
  const sensors = createSensorPushes();
  sensors.add({ name: 'lora', key: 'right-key' }, (body) => seen.push(body) > 0);
  const polls = createScreenPolls();
  polls.offer({ key: 'right-key', channel: 0 }, { bytes: Buffer.from('5 FREE'), delivered() {} });
  const post = (body: string | Uint8Array, coding: string | null, key = 'right-key') =>
    [[sensors.app, `/sensors/lora/${key}`] as const, [polls.app, `/displays/${key}`] as const].map(
      async ([app, path]) => {
        const headers: Record<string, string> = coding === null ? {} : { 'content-encoding': coding };
        return (await app.request(path, { method: 'POST', body: Buffer.from(body), headers })).status;
      },
    );
  return { seen, post: async (...args: Parameters<typeof post>) => Promise.all(post(...args)) };
}

describe('what sensors and screens post', () => {
  it.each([
    ['plain', null, UPLINK],
    ['identity', 'identity', UPLINK],
    ['gzip', 'gzip', gzipSync(UPLINK)],
  ])('is read: %s', async (_, coding, body) => {
    const { post, seen } = posts();
    expect([await post(body, coding), seen]).toEqual([[200, 200], [JSON.parse(UPLINK)]]);
  });

  it.each([
    ['in another coding', 'br', UPLINK, 415],
    ['above 256 KiB', null, TOO_LARGE, 413],
    ['above 256 KiB when inflated', 'gzip', gzipSync(TOO_LARGE), 413],
    ['a bomb', 'gzip', gzipSync(Buffer.alloc(64 * 1024 * 1024)), 413],
    ['no gzip', 'gzip', UPLINK, 400],
    ['half a gzip', 'gzip', gzipSync(UPLINK).subarray(0, 20), 400],
  ])('is refused: %s', async (_, coding, body, status) => {
    const { post, seen } = posts();
    expect([await post(body, coding), seen]).toEqual([[status, status], []]);
    expect(await post(body, coding, 'wrong-key')).toEqual([404, 404]);
  });

  it('is refused without JSON where JSON is read', async () => {
    const { post } = posts();
    expect(await post('device_name=x', null)).toEqual([400, 200]);
  });
});
