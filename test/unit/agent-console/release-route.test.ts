import { describe, expect, it } from 'vitest';
import type { LotRelease } from '../../../agent/command/lot-release.js';
import { createReleaseRoute } from '../../../agent/console/local-routes.js';

describe('POST /release and /release/clear', () => {
  const calls: string[] = [];
  const release: LotRelease = {
    release: async () => [void calls.push('release')].flatMap(() => []),
    clear: async () => [void calls.push('clear')].flatMap(() => []),
    close: async () => {},
  };
  const app = createReleaseRoute(release);
  const ask = async (path: string, remoteAddress: string, given: Record<string, string> = {}) => {
    const request = { method: 'POST', headers: { 'content-type': 'application/json', ...given } };
    return (await app.request(path, request, { incoming: { socket: { remoteAddress } } })).status;
  };

  it('are for programs on the device itself', async () => {
    expect([await ask('/release', '127.0.0.1'), await ask('/release/clear', '::1')]).toEqual([200, 200]);
    expect(calls).toEqual(['release', 'clear']);
  });

  it('are nothing at all to the network, nor to the pages of others in a browser', async () => {
    calls.length = 0;
    for (const path of ['/release', '/release/clear']) {
      expect(await ask(path, '192.168.1.20')).toBe(404);
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
        expect(await ask(path, '127.0.0.1', { 'content-type': type })).toBe(404);
      }
    }
    expect(calls).toEqual([]);
  });

  it('are nothing to those for whom a proxy on the device asks, nor to a page whose name leads to the device', async () => {
    calls.length = 0;
    for (const path of ['/release', '/release/clear']) {
      for (const header of ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via']) {
        expect(await ask(path, '127.0.0.1', { [header]: '203.0.113.7' })).toBe(404);
      }
    }
    expect(await ask('/release', '127.0.0.1', { host: 'evil.example:8090' })).toBe(404);
    expect(calls).toEqual([]);
    for (const host of ['127.0.0.1:8090', '[::1]:8090', 'localhost:8090']) {
      expect([host, await ask('/release', '127.0.0.1', { host })]).toEqual([host, 200]);
    }
  });
});
