import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../browser/chromium.js';
import { until } from '../browser/console-page.js';
import { OWNER, type ConsoleWorld, startConsoleWorld } from '../browser/console-world.js';
import { freePorts } from '../world/free-ports.js';
import { startTcpRelay, type TcpRelay } from '../world/tcp-relay.js';
import type { World } from '../world/world.js';

/** The client waits up to a minute between two tries. */
const HEALED_WITHIN_MS = 90_000;

describe.skipIf(!hasChromium())('the console: what a network and a sign-in do that end', () => {
  let started: ConsoleWorld;
  let world: World;
  let relay: TcpRelay;

  beforeAll(async () => {
    started = await startConsoleWorld();
    ({ world } = started);
    relay = await startTcpRelay(Number(new URL(world.cloudUrl).port));
  });
  afterAll(async () => {
    await relay?.close();
    await started?.close();
  });
  afterEach(() => started.closePages());

  const open = () => started.open({}, OWNER, `http://127.0.0.1:${relay.port}`);
  const drive = (plate: string) => world.arrive(plate);

  it('comes back to the same view with all that was typed, when the sign-in ends in the middle of a form', async () => {
    const { page, signIn, goTo, check } = await open();
    await goTo('/keys');
    const form = page.getByRole('form', { name: 'Invite by mail' });
    const emails = form.getByRole('textbox').first();
    await emails.fill('ana@guests.example');
    await form.getByLabel('Entry barrier').check();
    // The same person signs in somewhere else: this sign-in has ended.
    await world.call('POST', '/v2/auth/login', { body: OWNER });
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/keys');
    await check('sign-in-ended-in-a-form');
    await signIn(OWNER);
    await form.waitFor();
    expect(new URL(page.url()).pathname).toBe('/keys');
    expect(await emails.inputValue()).toBe('ana@guests.example');
    expect(await form.getByLabel('Entry barrier').isChecked()).toBe(true);
    await page.reload();
    await form.waitFor();
    expect(await emails.inputValue()).toBe('ana@guests.example');
  });

  it('forgets at the sign-out what was typed, for who comes next; what was passed over stays so for everybody', async () => {
    const { page, signIn, goTo } = await open();
    await goTo('/keys');
    const form = page.getByRole('form', { name: 'Invite by mail' });
    await form.getByRole('textbox').first().fill('ana@guests.example');
    await world.leave('ZG300CC');
    await goTo('/live?show=refused');
    await page.getByRole('button', { name: 'Ignore: ZG300CC' }).click();
    await page.getByText(/^ZG300CC: Ignored by .+ at /).waitFor();
    const left = `Object.keys(sessionStorage).filter((key) => /keys|invite/.test(key)).length`;
    expect(await page.evaluate<unknown>(left)).not.toBe(0);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await page.evaluate<unknown>(left)).toBe(0);
    await signIn(OWNER);
    await page.getByText('Nobody waits: every refused vehicle is dealt with.').waitFor();
    await page.getByRole('button', { name: 'All', exact: true }).click();
    await page.getByText(/^Ignored by .+ at /).waitFor();
    await page.getByRole('button', { name: 'Details of ZG300CC' }).click();
    await page.getByRole('button', { name: 'Have it wait again: ZG300CC' }).click();
    await page.getByRole('button', { name: 'Let out once: ZG300CC' }).waitFor();
    await goTo('/keys');
    await form.waitFor();
    expect(await form.getByRole('textbox').first().inputValue()).toBe('');
  });

  it('says on a fresh page that the service wants a pause, and goes on by itself', async () => {
    const { page, check } = await open();
    const refused = { success: false, errors: [{ code: 429, message: 'Too many requests: wait as Retry-After says' }] };
    await page.route('**/v2/**', (route) =>
      route.fulfill({ status: 429, headers: { 'retry-after': '3' }, json: refused }),
    );
    await page.reload();
    await page.getByText(/^The service was asked too often and wants a pause\. .+ at \d/).waitFor();
    await check('asked-too-often');
    await page.unroute('**/v2/**');
    await page.getByText(/wants a pause/).waitFor({ state: 'detached', timeout: HEALED_WITHIN_MS });
    await page
      .getByRole('button', { name: /^Open: / })
      .first()
      .waitFor();
  });

  it('says of a picture that it is still to come, and shows it when it has', async () => {
    const { page, goTo } = await open();
    await page.route('**/images/**', (route) => route.fulfill({ status: 404, json: { success: false, errors: [] } }));
    await goTo('/live');
    await drive('ZG400DD');
    const row = page.locator('.reading', { hasText: 'ZG400DD' });
    await row.getByText('Picture to come').waitFor();
    await page.unroute('**/images/**');
    await until(
      page,
      `[...document.querySelectorAll('.reading')].some((each) => each.innerText.includes('ZG400DD') && each.querySelector('img')?.naturalWidth > 0)`,
    );
  });

  it('says at once that the connection is lost, by the browser and by a request without an answer, and heals at once', async () => {
    const { page, goTo } = await open();
    await goTo('/live');
    await page.getByRole('heading', { level: 1, name: 'Live' }).waitFor();
    const lost = page.getByText(/^Connection lost since/);
    // The socket stays as it is, and nobody answers at its other end.
    relay.silence();
    await page.evaluate(`dispatchEvent(new Event('offline'))`);
    await lost.waitFor();
    relay.resume();
    await page.evaluate(`dispatchEvent(new Event('online'))`);
    await lost.waitFor({ state: 'detached' });
    // The silence is for the new connection, which would show at once that the old one was well.
    relay.silence();
    await page.route('**/v2/sightings*', (route) => route.abort('internetdisconnected'));
    await lost.waitFor();
    relay.resume();
    await lost.waitFor({ state: 'detached' });
  });

  it('says what is stale while the connection is lost, and gets by replay what it missed', async () => {
    const { page, goTo, check } = await open();
    await goTo('/live');
    await drive('ZG100AA');
    await page.locator('.reading', { hasText: 'ZG100AA' }).waitFor();
    // The client asks once more for what it was asking as the connection broke.
    await page.waitForLoadState('networkidle');
    const lists: string[] = [];
    page.on('request', (request) => {
      const { pathname, search } = new URL(request.url());
      lists.push(`${pathname}${search}`);
    });
    const [dead] = await freePorts(1);
    relay.leadTo(dead ?? 1);
    await page.getByText(/^Connection lost since/).waitFor();
    await page.locator('main.stale').waitFor();
    await check('live-connection-lost');
    await drive('ZG200BB');
    expect(await page.locator('.reading', { hasText: 'ZG200BB' }).count()).toBe(0);
    const before = lists.length;
    relay.leadTo(Number(new URL(world.cloudUrl).port));
    await page.locator('.reading', { hasText: 'ZG200BB' }).waitFor({ timeout: HEALED_WITHIN_MS });
    await page.getByText(/^Connection lost since/).waitFor({ state: 'detached', timeout: HEALED_WITHIN_MS });
    await page.locator('main.stale').waitFor({ state: 'detached' });
    // What was missed came over the socket, and not by reading everything again; a reading whose picture did not load is asked for by its id.
    const newest = lists.slice(before).filter((asked) => /^\/v2\/plate-readings(?!.*id(?:%3A|:)in)/.test(asked));
    expect(newest).toEqual([]);
    expect(await page.locator('.reading', { hasText: 'ZG200BB' }).count()).toBe(1);
  });
});
