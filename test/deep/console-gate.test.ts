import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../browser/chromium.js';
import { DESKTOP, PHONE, WALL } from '../browser/console-page.js';
import { OWNER, type ConsoleWorld, startConsoleWorld } from '../browser/console-world.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';
import { freePorts } from '../world/free-ports.js';
import { TEST_SITE } from '../world/site.js';
import { startTcpRelay } from '../world/tcp-relay.js';
import type { World } from '../world/world.js';

describe.skipIf(!hasChromium())('the console: signing in, what needs a person, opening a gate', () => {
  let started: ConsoleWorld;
  let world: World;

  beforeAll(async () => {
    started = await startConsoleWorld({ cloudEnv: { RATE_LOGIN_FAILURES_PER_MIN: '0' } });
    ({ world } = started);
  });
  afterEach(() => started.closePages());
  afterAll(() => started?.close());

  /** Nobody has signed in yet. */
  const open = (options?: Parameters<ConsoleWorld['open']>[0]) => started.open(options, null);
  const isPassable = async (device: string) =>
    (await world.sim<{ state: string }>('GET', `/products/${device}`)).state === 'opened';

  /** Of a release: each product with what came of it. */
  const linesOf = async (page: Page) =>
    (await page.locator('.release .lines').getByRole('listitem').allInnerTexts()).map((text) =>
      text.replaceAll(/\s+/g, ' '),
    );

  const endRelease = async (page: Page) => {
    await page.getByRole('button', { name: 'Back to normal: North' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Back to normal', exact: true }).click();
  };

  it('says at the form what is wrong, keeps what was typed, and stays signed in over a reload', async () => {
    const { page, signIn, goTo, check } = await open();
    await page.getByRole('button', { name: 'Sign in' }).click();
    expect(await page.getByText('Please fill in this field.').count()).toBe(2);
    await check('sign-in-missing');
    await page.getByLabel('E-mail').fill(OWNER.email);
    await page.getByLabel('Password').fill('a wrong phrase');
    await page.keyboard.press('Enter');
    await page.getByText('E-mail or password is wrong.').waitFor();
    expect(await page.getByLabel('E-mail').inputValue()).toBe(OWNER.email);
    expect(await page.getByLabel('Password').inputValue()).toBe('a wrong phrase');
    await page.reload();
    expect(await page.getByLabel('E-mail').inputValue()).toBe(OWNER.email);
    await signIn(OWNER);
    await goTo('/lots/1');
    await page.getByRole('heading', { level: 1, name: 'North' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await check('sign-in');
  });

  it('tells who is signed in that the sign-in was ended from somewhere else, and comes back to the same view', async () => {
    const { page, signIn } = await open();
    await signIn(OWNER);
    await page.getByRole('link', { name: 'North' }).click();
    await page.getByRole('heading', { level: 1, name: 'North' }).waitFor();
    await world.call('POST', '/v2/auth/login', { body: OWNER });
    await page.getByText('it was ended from somewhere else').waitFor();
    expect(new URL(page.url()).pathname).toBe('/lots/1');
    await signIn(OWNER);
    await page.getByRole('heading', { level: 1, name: 'North' }).waitFor();
  });

  it('opens a gate with one tap on a phone at night, and says how it went', async () => {
    const { page, signIn, check } = await open({ viewport: PHONE, colorScheme: 'dark', hasTouch: true });
    await signIn(OWNER);
    const button = page.getByRole('button', { name: 'Open: Entry barrier' });
    const box = await button.boundingBox();
    expect(box?.height).toBeGreaterThanOrEqual(44);
    await check('overview-phone-dark');
    await button.tap();
    await page.getByText(/^Open: done in [\d.]+ s\.$/).waitFor();
    expect(await isPassable(TEST_SITE.barrier)).toBe(true);
    await page.locator('.state', { hasText: 'Open' }).first().waitFor();
    await check('overview-phone-dark-opened');
    // What stands open can be closed from here, by one button and not by two.
    expect(await button.count()).toBe(0);
    await page.getByRole('button', { name: 'Close: Entry barrier' }).tap();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Look whether the way is clear').waitFor();
    await check('overview-phone-dark-close');
    await dialog.getByRole('button', { name: 'Close: Entry barrier' }).tap();
    await dialog.getByText(/^Close: done in [\d.]+ s\.$/).waitFor();
    await dialog.getByRole('button', { name: 'Done' }).tap();
    expect(await isPassable(TEST_SITE.barrier)).toBe(false);
    await button.waitFor();
  });

  it.each([
    ['desktop', DESKTOP, 'light'],
    ['desktop', DESKTOP, 'dark'],
    ['phone', PHONE, 'light'],
    ['wall', WALL, 'dark'],
  ] as const)(
    'shows every operation of a lot with its attempts and its call: %s %j %s',
    async (device, viewport, colorScheme) => {
      const { page, signIn, goTo, check } = await open({ viewport, colorScheme });
      await signIn(OWNER);
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      await page.getByText('Everything is well.').waitFor();
      await check(`overview-${device}-${colorScheme}`);
      await goTo('/lots/1');
      const gate = page.getByRole('article', { name: 'Exit gate' });
      await gate.getByText('More operations').click();
      await gate.getByRole('button', { name: 'Hold open', exact: true }).click();
      await gate.getByText(/^Hold open: done/).waitFor();
      await gate.getByText('held open').waitFor();
      await gate.getByText('Attempts').click();
      expect(await gate.getByRole('listitem').first().innerText()).toMatch(/^Entrance Pi · -\d+ dBm · \d+ ms · /);
      await gate.getByText('Show the REST call').click();
      expect(await gate.locator('pre').first().innerText()).toContain(`-d '{"operation":"stay_open"}'`);
      await check(`lot-${device}-${colorScheme}`);
      await gate.getByRole('button', { name: 'End holding open' }).click();
      const question = page.getByRole('dialog');
      await question.getByRole('button', { name: 'End holding open: Exit gate' }).click();
      await question.getByText(/^End holding open: done/).waitFor();
      await question.getByRole('button', { name: 'Done' }).click();
      await gate.getByText(/^End holding open: done/).waitFor();
      await page.getByRole('button', { name: 'Emergency: open everything' }).click();
      await page.getByRole('dialog').getByText('All 2 barriers and gates open').waitFor();
      await check(`release-${device}-${colorScheme}`);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
    },
  );

  it('releases a lot after a question, tells how many have answered, and ends it', async () => {
    const { page, signIn, goTo } = await open();
    await signIn(OWNER);
    await goTo('/lots/1');
    await page.getByRole('button', { name: 'Emergency: open everything' }).click();
    await page.getByRole('button', { name: 'Open everything now' }).click();
    await page.getByText('2 of 2 done.').waitFor();
    expect(await linesOf(page)).toEqual(['Entry barrier open', 'Exit gate open']);
    expect([await isPassable(TEST_SITE.barrier), await isPassable(TEST_SITE.gate)]).toEqual([true, true]);
    const owner = page.getByText(/^Emergency in North\. Olga opened everything: held open since \d+:\d+( [A-Z]+)?\.$/);
    await owner.waitFor();
    await endRelease(page);
    await owner.waitFor({ state: 'detached' });
    await page.locator('.product .facts', { hasText: 'held open' }).waitFor({ state: 'detached' });
    // Whatever the service took for held has answered, each by its own command.
    await page.getByText(/^([12]) of \1 done\.$/).waitFor();
    const ended = await linesOf(page);
    expect(ended).toContain('Exit gate no longer held open');
    expect(ended.every((line) => line.endsWith('no longer held open'))).toBe(true);
  });

  it.each([
    ['phone', PHONE, 'dark', ''],
    ['desktop', DESKTOP, 'light', '?show=plan'],
  ] as const)(
    'says of a release which product failed and why: %s %j %s %s',
    async (device, viewport, colorScheme, how) => {
      const { page, signIn, goTo, check } = await open({ viewport, colorScheme });
      await signIn(OWNER);
      await goTo(`/lots/1${how}`);
      for (const id of [1, 2]) await world.call('POST', `/v2/products/${id}/state`, { body: { operation: 'close' } });
      for (const each of [TEST_SITE.barrier, TEST_SITE.gate]) await expect.poll(() => isPassable(each)).toBe(false);
      await world.sim('PATCH', `/products/${TEST_SITE.gate}`, { jammed: true });
      await page.getByRole('button', { name: 'Emergency: open everything' }).click();
      await page.getByRole('button', { name: 'Open everything now' }).click();
      await page.getByText('1 of 2 done, 1 failed: somebody has to go there.').waitFor();
      expect(await linesOf(page)).toEqual([
        'Exit gate failed: it is jammed. Look whether something blocks it.',
        'Entry barrier open',
      ]);
      await check(`release-failed-${device}`);
      await world.sim('PATCH', `/products/${TEST_SITE.gate}`, { jammed: false });
      await endRelease(page);
      await page.getByText(/^(1 of 1 done\.|Nothing was held open\.)$/).waitFor();
      // One that was jammed on its way says that it is in error until it has moved.
      await world.call('POST', '/v2/products/2/state', { body: { operation: 'close' } });
      const stateOfGate = async () => (await world.sim<{ state: string }>('GET', `/products/${TEST_SITE.gate}`)).state;
      await expect.poll(stateOfGate).toBe('closed');
    },
  );

  it('does not say that everything is well when something could not be read', async () => {
    const { page, signIn, check } = await open();
    const failed = { status: 500, json: { errors: [{ code: 1, message: 'Internal error' }] } };
    await page.route('**/v2/gateways/1/health', (route) => route.fulfill(failed));
    await signIn(OWNER);
    await page.getByText('Not everything could be read.').waitFor();
    await page.getByText('The service had an error.').waitFor();
    // What could be read is there.
    await page.getByRole('button', { name: /^(Open|Close): Exit gate$/ }).waitFor();
    await check('overview-unsure');
    await page.unroute('**/v2/gateways/1/health');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Everything is well.').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('puts what needs a person first, in a sentence', async () => {
    const { page, signIn, check } = await open({ viewport: PHONE });
    await signIn(OWNER);
    await world.sim('PATCH', `/products/${TEST_SITE.gate}`, { jammed: true });
    await page.getByText('Exit gate: jammed. Look whether something blocks it.').waitFor();
    await page.getByText('One thing needs a person.').waitFor();
    await check('overview-trouble');
    await page.getByRole('link', { name: 'Show it' }).click();
    await page.getByRole('article', { name: 'Exit gate' }).waitFor();
    await world.sim('PATCH', `/products/${TEST_SITE.gate}`, { jammed: false });
    await page.getByText('jammed').first().waitFor({ state: 'detached' });
  });

  it('says when a cut of the network took the answer to a command, moves the product once, and heals', async () => {
    const port = Number(new URL(world.cloudUrl).port);
    const relay = await startTcpRelay(port);
    const { page, signIn, goTo, check, close } = await started.open({}, null, `http://127.0.0.1:${relay.port}`);
    await signIn(OWNER);
    await goTo('/lots/1');
    const gate = page.getByRole('article', { name: 'Exit gate' });
    await gate.waitFor();
    const moves = async () => (await world.sim<{ moves: number }>('GET', `/products/${TEST_SITE.gate}`)).moves;
    const before = await moves();
    const wasPassable = await isPassable(TEST_SITE.gate);
    const [dead] = await freePorts(1);
    const wordOf = (isOpen: boolean) => (isOpen ? 'Close' : 'Open');
    // The service has begun, then the network is gone, and the answer with it.
    await page.route('**/v2/products/*/state', async (route) => {
      await route.fetch();
      relay.leadTo(dead ?? 1);
      await route.abort();
    });
    await gate.getByRole('button', { name: wordOf(wasPassable), exact: true }).click();
    const question = page.getByRole('dialog');
    if (wasPassable) await question.getByRole('button', { name: 'Close: Exit gate' }).click();
    await (wasPassable ? question : gate)
      .getByText('No answer. It will not be sent later: look whether it moved before you press again.')
      .waitFor();
    await waitUntil('the gate to move', async () => (await isPassable(TEST_SITE.gate)) === !wasPassable);
    // Later it closes by itself.
    expect(await moves()).toBe(before + 1);
    const lost = page.getByText(/^Connection lost since/);
    await lost.waitFor();
    await check('lot-connection-lost');
    relay.leadTo(port);
    await lost.waitFor({ state: 'detached', timeout: 90_000 });
    // What became of it is seen at the product.
    await waitUntil('the page to show what the gate is', async () =>
      gate.getByRole('button', { name: wordOf(await isPassable(TEST_SITE.gate)), exact: true }).isVisible(),
    );
    await close();
    await relay.close();
  });
});
