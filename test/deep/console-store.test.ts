import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../browser/chromium.js';
import { OWNER, type ConsoleWorld, startConsoleWorld } from '../browser/console-world.js';
import { TEST_SITE } from '../world/site.js';
import type { World } from '../world/world.js';

describe.skipIf(!hasChromium())('the console: events and readings that cross', () => {
  let started: ConsoleWorld;
  let world: World;

  beforeAll(async () => {
    started = await startConsoleWorld();
    ({ world } = started);
  });
  afterEach(() => started.closePages());
  afterAll(() => started?.close());

  /** Nobody has signed in yet. */
  const open = (options?: Parameters<ConsoleWorld['open']>[0]) => started.open(options, null);

  it('asks again only for the device of which an event tells something new', async () => {
    const { page, signIn } = await open();
    let notify: (text: string) => void = () => undefined;
    await page.routeWebSocket(/\/v2\/realtime/, (socket) => {
      const server = socket.connectToServer();
      server.onMessage((text) => socket.send(text));
      notify = (text) => socket.send(text);
    });
    await signIn(OWNER);
    await page.getByText('Everything is well.').waitFor();
    const asked: string[] = [];
    page.on('request', (request) => {
      const { pathname, search } = new URL(request.url());
      if (/^\/v2\/(gateways|lpr-cameras)/.test(pathname)) asked.push(pathname + decodeURIComponent(search));
    });
    const status = (id: number, word: string) =>
      notify(
        JSON.stringify({
          event: 'lpr_camera_status',
          data: JSON.stringify({ id, device_id: TEST_SITE.entryCamera, status: word }),
        }),
      );
    for (let each = 0; each < 100; each += 1) status(1 + (each % 2), 'online');
    status(1, 'offline');
    await page.getByText(/^Entry camera (is|has been) silent/).waitFor();
    // The service knows better than this event.
    await page.getByText('Everything is well.').waitFor();
    await expect
      .poll(() => asked.toSorted())
      .toEqual([
        '/v2/gateways/1/health',
        '/v2/gateways?size=100&filter=id:in:1&page=1',
        '/v2/lpr-cameras?size=100&filter=id:in:1&page=1',
      ]);
  });

  it('keeps what an event tells while an older answer is on its way', async () => {
    const { page, signIn } = await open();
    const isShown = new Promise<void>((resolve) => {
      page.on('websocket', (socket) =>
        socket.on('framereceived', ({ payload }) => {
          if (/lot_change.*jammed\\*":1/.test(String(payload))) resolve();
        }),
      );
    });
    await page.route(
      ({ pathname }) => pathname === '/v2/products',
      async (route) => {
        const older = await route.fetch();
        await world.sim('PATCH', `/products/${TEST_SITE.gate}`, { jammed: true });
        await isShown;
        await route.fulfill({ response: older });
      },
    );
    await signIn(OWNER);
    await page.getByText('Exit gate: jammed. Look whether something blocks it.').waitFor();
    await world.sim('PATCH', `/products/${TEST_SITE.gate}`, { jammed: false });
    await page.getByText('Everything is well.').waitFor();
  });
});
