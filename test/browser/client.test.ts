import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ClientWorld, startClientWorld } from '../integration/client/client-world.js';
import { OWNER_TOKEN } from '../integration/http/rest-world.js';
import { hasChromium, launchChromium } from './chromium.js';

const BUNDLE = fileURLToPath(new URL('../../client/index.js', import.meta.url));

/** Runs in the page. */
const PROGRAM = `async ({ token, product }) => {
  const { createClient, ParkingError } = await import('/page/client.js');
  const client = createClient({ baseUrl: location.origin, token });
  const lots = [];
  for await (const { name } of client.list('/v2/lots', { query: { size: 1 } })) lots.push(name);
  const missing = await client.get('/v2/lots/{id}', { path: { id: 999999 } }).catch((error) => error);
  const states = [];
  await new Promise((resolve) => {
    const connection = client.realtime({
      onEvent: () => undefined,
      onResync: () => undefined,
      onState: ({ state }) => {
        states.push(state);
        if (state === 'live') setTimeout(() => resolve(connection.close()));
      },
    });
  });
  const { heardBy } = await client.openAndWait(product);
  return { lots, isKnown: missing instanceof ParkingError, status: missing.status, states, heardBy };
}`;

describe.skipIf(!hasChromium())('the client package in a browser', () => {
  let world: ClientWorld;
  let browser: Browser;
  beforeAll(async () => {
    world = await startClientWorld();
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser.close();
    await world.cloud.close();
  });

  it('lists, is refused, listens and opens', async () => {
    const page = await browser.newPage();
    const { base } = world.cloud;
    // A page of the service itself: Chromium lets only those call this machine.
    await page.goto(`${base}/healthz`);
    const script = { contentType: 'text/javascript', body: readFileSync(BUNDLE, 'utf8') };
    await page.route(`${base}/page/client.js`, (route) => route.fulfill(script));
    const outcome = page.evaluate(`(${PROGRAM})(${JSON.stringify({ token: OWNER_TOKEN, product: world.product })})`);
    await expect.poll(() => world.cloud.commandParts.sent).toHaveLength(1);
    await world.answerCommand(null);
    expect(await outcome).toEqual({
      lots: expect.arrayContaining(['East']),
      isKnown: true,
      status: 404,
      states: ['connecting', 'live', 'ended'],
      heardBy: expect.stringMatching(/^event$|^poll$/),
    });
  });
});
