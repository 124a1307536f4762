/** What needs a person, at both consoles: a product in error, one that is not paired, a sensor that is silent, a webhook that fails. */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../browser/chromium.js';
import { DESKTOP, PHONE } from '../browser/console-page.js';
import { type ConsoleWorld, startConsoleWorld } from '../browser/console-world.js';
import { TEST_SITE } from '../world/site.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';
import type { World } from '../world/world.js';

const JAMMED = 'Entry barrier: jammed. Look whether something blocks it.';
const UNPAIRED = 'Exit gate is not paired: it cannot be opened, nor in an emergency. Pair it.';
/** The gateway knows why, too. */
const SILENT_WITH_REASON = /^Guidance: the sensor of A1 is silent \(.+\)\. Look at its battery\./;
const SILENT = 'Guidance: the sensor of A1 is silent. Look at its battery.';

describe.skipIf(!hasChromium())('what needs a person', () => {
  let started: ConsoleWorld;
  let world: World;

  beforeAll(async () => {
    started = await startConsoleWorld({
      isGatePaired: false,
      cloudEnv: { RATE_LOGIN_FAILURES_PER_MIN: '0', WEBHOOK_ALLOW_PRIVATE: 'true' },
    });
    ({ world } = started);
    await world.sim('PATCH', `/products/${TEST_SITE.barrier}`, { jammed: true });
    await world.sim('PATCH', '/places/A1', { silent: true });
    const webhook = { url: 'http://127.0.0.1:9/in?key=s3cret', events: ['lot_change'] };
    const made = await world.call<{ data: { id: number } }>('POST', '/v2/webhooks', { body: webhook });
    await world.call('POST', `/v2/webhooks/${made.body.data.id}/test`, { body: { event: 'lot_change' } });
    interface Places {
      data: { name: string; stale_since: string | null }[];
    }
    await waitUntil('the cloud to know what is wrong', async () => {
      const places = await world.api<Places>('/v2/parking-places');
      const product = await world.api<{ data: { product_error: object | null } }>('/v2/products/1');
      return (
        product.body.data.product_error !== null &&
        places.body.data.some(({ name, stale_since }) => name === 'A1' && stale_since !== null)
      );
    });
  });
  afterEach(() => started.closePages());
  afterAll(() => started?.close());

  /** Sentences with their ages. */
  const troublesOn = async (page: Page) =>
    (await page.locator('.troubles li > span').allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '));

  it.each([
    ['desktop', DESKTOP, 'light'],
    ['phone', PHONE, 'dark'],
  ] as const)('is listed in the overview with its age, and counted: %s', async (device, viewport, colorScheme) => {
    const { page, check } = await started.open({ viewport, colorScheme });
    await page.getByText('The webhook to 127.0.0.1:9 fails: nobody answers.').waitFor();
    for (const sentence of [JAMMED, UNPAIRED, SILENT]) await page.getByText(sentence).waitFor();
    const said = await troublesOn(page);
    expect(said.find((text) => text.startsWith(SILENT))).toMatch(/for \d+ min, since \d\d:\d\d/);
    expect(said.find((text) => text.startsWith(JAMMED))).toMatch(/for \d+ min, since \d\d:\d\d/);
    // What nobody has paired yet is waited for.
    await page.getByText(`${said.length - 1} things need a person.`).waitFor();
    await check(`troubles-overview-${device}`);
    await page.getByRole('link', { name: 'Show the sensors: Guidance' }).click();
    const place = page.getByRole('listitem').filter({ hasText: 'A1' }).first();
    await place.getByText(/was free (just now|\d+ min ago)/).waitFor();
    await check(`troubles-sensors-${device}`);
  });

  it('is in the plan, where a place with a silent sensor is not free', async () => {
    const { page, goTo, check } = await started.open();
    await goTo('/lots/1?show=plan');
    await page.getByText(SILENT).waitFor();
    await page
      .locator('.plan svg')
      .getByRole('button', { name: /^Place A1, .*not known · was free/ })
      .click();
    await page.locator('.chosen').getByText('not known', { exact: true }).waitFor();
    await check('troubles-plan');
  });

  it('is said before an emergency counts on what is not paired', async () => {
    const { page, goTo, check } = await started.open();
    await goTo('/lots/1');
    await page.getByRole('button', { name: 'Emergency: open everything' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Exit gate is not paired: it will not open.').waitFor();
    await dialog.getByText('Its one barrier or gate opens, for an emergency.').waitFor();
    await check('troubles-emergency');
  });

  it("is said in the same words by the gateway's own page, and counted for programs", async () => {
    const { body } = await world.call<{ data: { password: string } }>('GET', '/v2/gateways/1/console-password');
    const { page, check } = await started.open({ viewport: PHONE }, null, world.agentUrl);
    await page.locator('input[type=password]').fill(body.data.password);
    await page.keyboard.press('Enter');
    for (const sentence of [JAMMED, UNPAIRED, SILENT_WITH_REASON]) await page.getByText(sentence).waitFor();
    expect(await troublesOn(page)).toHaveLength(3);
    await page.getByText('2 things need a person.').waitFor();
    await check('troubles-local');
    await page.getByRole('button', { name: 'Open everything', exact: true }).click();
    await page.getByRole('dialog').getByText('Exit gate is not paired: it will not open.').waitFor();
    await check('troubles-local-emergency');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Show its places: Guidance' }).click();
    await page.getByText(/was free (just now|\d+ min ago)/).waitFor();
    await check('troubles-local-places');
    const counts = async (url: string, name: string) =>
      [
        ...(await (await fetch(`${url}/metrics`)).text()).matchAll(
          new RegExp(`^${name}\\{kind="(\\w+)"\\} [1-9]`, 'gm'),
        ),
      ]
        .map(([, kind]) => kind)
        .sort();
    const both = ['places_silent', 'product_error', 'product_unpaired'];
    expect(await counts(world.agentUrl, 'parking_agent_troubles')).toEqual(both);
    expect(await counts(world.cloudUrl, 'parking_troubles')).toEqual(
      expect.arrayContaining([...both, 'webhook_failing']),
    );
  });
});
