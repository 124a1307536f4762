import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect } from 'vitest';
import { fetchChecked } from '../contract/checked-fetch.js';
import type { Checkout, RunningDemo } from './checkout.js';
import { listenRealtime } from './realtime-listener.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';

const API_TOKEN = 'demo-integration-token-0123456789abcdef';
const BEARER = { authorization: `Bearer ${API_TOKEN}` };

/** What a newcomer does with a fresh clone: start, one plate, the picture, a parked car, Ctrl-C, start again. */
export async function playNewcomer(checkout: Checkout, startWithinMs: number): Promise<void> {
  const demo = await checkout.start(startWithinMs);
  const barrier = async () =>
    (await (await fetch(`${demo.controlUrl}/products/a4c138000001`)).json()) as { state: string; moves: number };
  const stream = await listenRealtime(demo.cloudUrl, API_TOKEN);
  expect(await barrier()).toMatchObject({ state: 'closed', moves: 0 });
  expect(demo.output()).toContain(`listen -- ${demo.cloudUrl.replace('http', 'ws')}/v2/realtime\n`);

  const read = await fetch(`${demo.controlUrl}/cameras/cam-in-1/read`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ plate: 'ZG1234AB' }),
  });
  expect(await read.json()).toEqual({ status: 200 });
  const opened = await waitUntil('the barrier to be passable', async () => {
    const now = await barrier();
    return now.state === 'opened' && now;
  });
  expect(opened.moves).toBe(1);
  await stream.waitFor('lpr_event');
  const [created] = stream.of('plate_reading_create');
  await waitUntil(
    'the picture behind its link',
    async () => (await fetchChecked(String(created?.payload.image_url))).ok,
  );
  // The demo begins with cars on some places.
  const answer = await fetchChecked(`${demo.cloudUrl}/v2/parking-places?size=100`, { headers: BEARER });
  const { data: places } = (await answer.json()) as { data: { name: string; occupancy_status: string }[] };
  const place = places.find(({ name }) => name === 'A1');
  await fetch(`${demo.controlUrl}/places/A1`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ occupied: place?.occupancy_status !== 'occupied' }),
  });
  await stream.waitFor('parking_place_change');
  await stream.close();

  await stopsCleanly(demo);
  expect(existsSync(join(checkout.directory, '.data'))).toBe(true);

  const again = await checkout.start(startWithinMs);
  expect(again.output()).toContain('Going on with the state');
  const known = await fetchChecked(`${again.cloudUrl}/v2/plate-readings/${String(created?.payload.id)}`, {
    headers: BEARER,
  });
  expect(known.status).toBe(200);
  await stopsCleanly(again, 'SIGHUP');
}

/** Ctrl-C (or closing the terminal) ends every program: nothing answers any more. */
async function stopsCleanly(demo: RunningDemo, signal?: 'SIGINT' | 'SIGHUP'): Promise<void> {
  await demo.interrupt(signal);
  expect(demo.output()).toContain('All stopped.');
  for (const url of [demo.cloudUrl, ...demo.agentUrls, demo.controlUrl])
    await expect(fetch(url), url).rejects.toThrow();
}

/** A port that is in use stops the start with one clear line. */
export async function playBusyPort(checkout: Checkout): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const { code, output } = await checkout.startToEnd({ PORT: String(port) });
  await new Promise((resolve) => server.close(resolve));
  expect(code).toBe(2);
  expect(output).toContain(`port ${port} on 127.0.0.1 (cloud): already in use`);
}
