import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { fillSessions } from '../bench/session-rows.js';
import { hasChromium } from '../browser/chromium.js';
import { DESKTOP, PHONE, picturesLoaded, until } from '../browser/console-page.js';
import { ATTACK, GUARD, type ConsoleWorld, startConsoleWorld } from '../browser/console-world.js';
import type { World } from '../world/world.js';
import { DAY_MS } from '../../shared/durations.js';

const SESSIONS = 10_400;
/** Eight weeks, so that four can be compared with four. */
const OVER_MS = 56 * DAY_MS;

interface Totals {
  timezone: string;
  totals: { sessions_count: number; amount_paid: number };
}

describe.skipIf(!hasChromium())('the console: analytics, sessions and money', () => {
  let started: ConsoleWorld;
  let world: World;

  beforeAll(async () => {
    started = await startConsoleWorld({
      cloudEnv: { RATE_REQUESTS_PER_MIN: '0', RATE_LOGIN_FAILURES_PER_MIN: '0' },
      // Without sensors: what is inside is what the sessions say.
      alterSite: (yaml) => yaml.replace(/ +places:\n(?: +- \{name: A\d, parking_gateway.*\n)+/, ''),
      async prepare({ dataDir, stopCloud, startCloud, settled }) {
        await stopCloud();
        fillSessions(join(dataDir, 'cloud', 'cloud.db'), {
          sessions: SESSIONS,
          plates: 3_000,
          until_ms: Date.now() - 3_600_000,
          over_ms: OVER_MS,
          lot: '1',
        });
        await startCloud();
        await settled();
      },
    });
    ({ world } = started);
  });
  afterEach(() => started.closePages());
  afterAll(() => started?.close());

  const open: ConsoleWorld['open'] = (...how) => started.open(...how);
  const get = async <T>(path: string) => (await world.api<{ data: T }>(path)).body.data;
  const plotNames = ['Entries and exits', 'Occupancy', 'Average stay', 'Paid', 'Returning vehicles'];
  const drawn = (page: Page, count = plotNames.length) =>
    until(page, `document.querySelectorAll('.plot canvas').length === ${count}`);
  const param = (page: Page, name: string) => new URL(page.url()).searchParams.get(name);

  describe('analytics', () => {
    it.each([
      ['desktop', DESKTOP, 'light'],
      ['desktop', DESKTOP, 'dark'],
      ['phone', PHONE, 'light'],
      ['phone', PHONE, 'dark'],
    ] as const)(
      'are plots with one crosshair, and tables behind them: %s %j %s',
      async (device, viewport, colorScheme) => {
        const { page, goTo, check } = await open({ viewport, colorScheme });
        await goTo('/analytics?with=before');
        await drawn(page);
        for (const name of plotNames) await page.getByRole('heading', { name, exact: true }).waitFor();
        await page.getByText('Times of Europe/Zagreb').waitFor();
        await page.getByText(/^Entries, earlier/).waitFor();
        await check(`analytics-${device}-${colorScheme}`);
        const plots = page.getByRole('slider');
        await plots.first().focus();
        await page.keyboard.press('Home');
        for (let step = 0; step < 12; step += 1) await page.keyboard.press('ArrowRight');
        const texts = await plots.evaluateAll((all) => all.map((each) => each.getAttribute('aria-valuetext')));
        expect(texts[0]).toMatch(/^\w{3} \d+ \w+: Entries \d+, Exits \d+, Entries, earlier \d+/);
        const dayOf = (text: string | null | undefined) => text?.split(':')[0];
        // All of them, but the one whose points are no days.
        for (const text of texts.slice(1, -1)) expect(dayOf(text)).toBe(dayOf(texts[0]));
        await page.getByText('Table', { exact: true }).first().click();
        const table = page.getByRole('region', { name: 'Table: Entries and exits' });
        await expect.poll(() => table.getByRole('row').count()).toBe(29);
        await check(`analytics-table-${device}-${colorScheme}`);
        if (device === 'phone') {
          await page.getByRole('heading', { name: 'Returning vehicles' }).scrollIntoViewIfNeeded();
          await check(`analytics-lower-${device}-${colorScheme}`);
        }
      },
    );

    it('tell the totals that the service has', async () => {
      const { page, goTo } = await open();
      await goTo('/analytics?from=2026-01-01&to=2026-01-02');
      await page.getByText('Nobody came in these days.').waitFor();
      await goTo('/analytics');
      const from = param(page, 'from');
      expect(from).toBeNull();
      await drawn(page);
      const today = new Date().toISOString().slice(0, 10);
      const first = new Date(Date.parse(today) - 27 * DAY_MS).toISOString().slice(0, 10);
      const { totals } = await get<Totals>(`/v2/sessions/analytics?date_from=${first}&date_to=${today}`);
      await page.getByText(totals.sessions_count.toLocaleString('en-GB'), { exact: true }).first().waitFor();
      const paid = new Intl.NumberFormat('en-GB', { style: 'currency', currency: 'EUR' }).format(totals.amount_paid);
      await page.getByText(paid, { exact: true }).waitFor();
    });

    it('show the days that are drawn across a plot, and the way back leads out again', async () => {
      const { page, goTo, check } = await open();
      await goTo('/analytics?with=week');
      await drawn(page);
      const box = await page.locator('.plot .u-over').first().boundingBox();
      if (box === null) throw new Error('no plot');
      const y = box.y + box.height / 2;
      await page.mouse.move(box.x + box.width * 0.26, y);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width * 0.4, y, { steps: 6 });
      await page.mouse.up();
      await until(page, `new URL(location.href).searchParams.has('from')`);
      const [from, to] = [param(page, 'from') ?? '', param(page, 'to') ?? ''];
      const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
      expect(days).toBeGreaterThanOrEqual(3);
      expect(days).toBeLessThanOrEqual(6);
      expect(param(page, 'with')).toBe('week');
      expect(await page.getByLabel('From').inputValue()).toBe(from);
      await page.goBack();
      await until(page, `!new URL(location.href).searchParams.has('from')`);
      // The same by keys.
      await page.getByRole('slider').first().focus();
      await page.keyboard.press('Home');
      await page.keyboard.press('Shift+ArrowRight');
      await page.keyboard.press('Enter');
      await until(page, `new URL(location.href).searchParams.has('from')`);
      await page.getByLabel('Periods').selectOption('hour');
      await until(page, `document.querySelector('.plot .canvas').getAttribute('aria-valuemax') === '47'`);
      await drawn(page);
      await check('analytics-hours');
      await page.getByRole('button', { name: '7 days' }).click();
      await until(page, `document.querySelector('.plot .canvas').getAttribute('aria-valuemax') === '6'`);
    });

    it.each([
      ['de-AT', 'Ein- und Ausfahrten'],
      ['hr-HR', 'Ulasci i izlasci'],
    ])('speak %s, and show an attendant the same', async (locale, title) => {
      const shown = await open({ locale, viewport: PHONE }, null);
      const { page, goTo, check } = shown;
      await page.locator('input[type=email]').fill(GUARD.email);
      await page.locator('input[type=password]').fill(GUARD.password);
      await page.keyboard.press('Enter');
      await page.getByRole('navigation').first().waitFor();
      await goTo('/analytics?with=year');
      await page.getByRole('heading', { name: title }).waitFor();
      await drawn(page);
      await check(`analytics-${locale}`);
    });
  });

  describe('sessions', () => {
    it('scroll through ten thousand rows, of which the page holds a few hundred', async () => {
      const { page, goTo, check } = await open();
      await goTo('/sessions');
      await page.getByText(`${SESSIONS.toLocaleString('en-GB')} sessions`).waitFor();
      await page.evaluate(`
        window.longest = 0;
        window.most = 0;
        new MutationObserver(() => { window.most = Math.max(window.most, document.querySelectorAll('.rows-table .stay').length); })
          .observe(document.body, { childList: true, subtree: true });
        new PerformanceObserver((list) => { for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration); })
          .observe({ type: 'longtask' });
      `);
      await until(
        page,
        `(scrollTo(0, document.body.scrollHeight), document.querySelector('.table-area ~ .notice') !== null)`,
        120_000,
      );
      const rowInWindow = () =>
        until(
          page,
          `[...document.querySelectorAll('.rows-table .stay')].some((row) => { const { top } = row.getBoundingClientRect(); return top > 0 && top < innerHeight; })`,
        );
      // The notice comes into the window before the rows above it are made.
      await page.evaluate('scrollBy(0, -innerHeight)');
      await rowInWindow();
      const rows = await page.locator('.rows-table .stay').count();
      const longest = await page.evaluate<number>('window.longest');
      const most = await page.evaluate<number>('window.most');
      process.stdout.write(
        `10,000 sessions: ${rows} rows in the page, ${most} at most, longest task ${Math.round(longest)} ms\n`,
      );
      expect(rows).toBeLessThan(400);
      // Nor are more made on the way: that would be the long task, whatever the machine.
      expect(most).toBeGreaterThanOrEqual(rows);
      expect(most).toBeLessThan(800);
      await page.getByText('The newest 10,000 are shown.').waitFor();
      await page.evaluate('scrollTo(0, document.body.scrollHeight / 2)');
      await rowInWindow();
      await check('sessions-middle');
    });

    it('are searched by zone, beginning, end and order', async () => {
      const { page, goTo, check } = await open({ viewport: PHONE, colorScheme: 'dark' });
      await goTo('/sessions?status=ended&sort=-stayed');
      await page.getByRole('button', { name: 'More', exact: true }).click();
      await page
        .getByRole('button', { name: /^Details of/ })
        .first()
        .waitFor();
      await page.getByLabel('Ended by').selectOption('terminal');
      await page.getByText('No session fits.').waitFor();
      await page.getByLabel('Ended by').selectOption('lpr_camera');
      await page
        .getByRole('button', { name: /^Details of/ })
        .first()
        .waitFor();
      const { data } = (
        await world.api<{ data: { entry_license_plate: { plate: string } }[] }>(
          '/v2/sessions?sort=duration:desc&filter=status:eq:ended&size=1',
        )
      ).body;
      await page
        .getByRole('button', { name: `Details of ${data[0]?.entry_license_plate.plate}` })
        .first()
        .waitFor();
      await check('sessions-filters');
      await page.getByRole('button', { name: 'Empty the search' }).click();
      await page.getByText(`${SESSIONS.toLocaleString('en-GB')} sessions`).waitFor();
      expect(param(page, 'exit')).toBeNull();
    });

    it('become a CSV file with its progress, which can be stopped', async () => {
      const { page, goTo, check } = await open();
      await goTo('/sessions?status=ended');
      await page
        .getByRole('button', { name: /^Details of/ })
        .first()
        .waitFor();
      let release: (() => void) | undefined;
      await page.route('**/v2/sessions/export*', async (route) => {
        await new Promise<void>((resolve) => (release = resolve));
        await route.continue().catch(() => undefined);
      });
      await page.getByRole('button', { name: 'Save as CSV' }).click();
      await page.getByRole('progressbar').waitFor();
      await check('sessions-csv');
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('progressbar').waitFor({ state: 'detached' });
      release?.();
      await page.unroute('**/v2/sessions/export*');
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Save as CSV' }).click(),
      ]);
      await page.getByText(/^sessions-North\.csv is saved: 10,\d{3} rows, \d\.\d MB\.$/).waitFor();
      const text = readFileSync((await download.path()) ?? '', 'utf8');
      const { meta } = (await world.api<{ meta: { total: number } }>('/v2/sessions?filter=status:eq:ended&size=1'))
        .body;
      expect(text.trimEnd().split('\r\n')).toHaveLength(meta.total + 1);
      await page.route('**/v2/sessions/export*', (route) => route.abort());
      await page.getByRole('button', { name: 'Save as CSV' }).click();
      await page.getByText('The service did not answer.').waitFor();
    });

    it('show both pictures, and take and give back money once each', async () => {
      const { page, goTo, check } = await open();
      await world.call('PATCH', '/v2/tariffs/1', { body: { free_minutes: 0 } });
      const plate = 'ST77WW';
      await world.arrive(plate);
      const mine = () => get<{ amount_due: number; amount_paid: number }[]>(`/v2/sessions?filter=plate:eq:${plate}`);
      await expect.poll(async () => (await mine())[0]?.amount_due, { timeout: 20_000 }).toBe(1.5);
      await goTo(`/sessions?plate=${plate}`);
      await page.getByRole('button', { name: `Details of ${plate}` }).click();
      await page.getByRole('img', { name: `Entry: ${plate}` }).waitFor();
      const pay = page.getByRole('button', { name: 'Take payment' });
      const amount = page.getByLabel('Amount in EUR');
      await expect.poll(() => amount.inputValue()).toBe('1.5');
      await amount.fill('1,005');
      await pay.click();
      await page.getByText('EUR has 2 decimals.').waitFor();
      await check('pay-fault');
      await amount.fill('4,50');
      await page.getByLabel('Reference').fill(ATTACK);
      await page.reload();
      await expect.poll(() => amount.inputValue()).toBe('4,50');
      // The service took it, its answer is lost, and the person presses again.
      let lost = 0;
      await page.route('**/v2/sessions/*/payments', async (route) => {
        if (route.request().method() !== 'POST' || lost > 5) return route.continue();
        lost += 1;
        await route.fetch();
        return route.abort();
      });
      await pay.click();
      await page.getByRole('button', { name: 'Take it nevertheless' }).click();
      await page.getByText('The service did not answer.').waitFor({ timeout: 60_000 });
      await page.unroute('**/v2/sessions/*/payments');
      await pay.click();
      await page.getByText('€4.50 taken.').waitFor();
      expect((await mine())[0]?.amount_paid).toBe(4.5);
      await page.getByText('Due €0.00 · paid €4.50 · overpaid by €3.00').waitFor();
      await amount.fill('1');
      await page.getByLabel('Reason', { exact: true }).fill('paid twice');
      await page.getByRole('button', { name: 'Give back' }).click();
      await page.getByText('€1.00 given back.').waitFor();
      expect((await mine())[0]?.amount_paid).toBe(3.5);
      await world.leave(plate);
      await page.getByRole('img', { name: `Exit: ${plate}` }).waitFor();
      await picturesLoaded(page, '.pictures img', 2);
      expect(await page.locator('img[src="x"]').count()).toBe(0);
      await check('pay-done');
      await page.getByRole('button', { name: `Enlarge: Exit: ${plate}` }).click();
      await page.getByRole('dialog').getByRole('img').waitFor();
      await check('picture-large');
    });
  });

  it('grants free minutes, and takes none away for what is no number', async () => {
    const { page, goTo, check } = await open();
    const plate = 'DI88SC';
    await world.arrive(plate);
    const granted = async () =>
      (await get<{ discount_time: number | null }[]>(`/v2/sessions?filter=plate:eq:${plate}`))[0]?.discount_time;
    await goTo(`/sessions?plate=${plate}`);
    await page.getByRole('button', { name: `Details of ${plate}` }).click();
    const minutes = page.getByLabel('Free minutes', { exact: true });
    const grant = page.getByRole('button', { name: 'Grant' });
    await grant.click();
    await page.getByText('Please fill in this field.').waitFor();
    await minutes.fill('45');
    await grant.click();
    await expect.poll(granted, { timeout: 20_000 }).toBe(45);
    // What was done, and what the service told everybody of it.
    await page.getByText('Show the REST call').first().click();
    await page.getByText('"discount_time":45').waitFor();
    await page.getByText('"event": "session_update"').waitFor();
    await minutes.fill('an hour');
    await grant.click();
    await page.getByText('Enter whole minutes, such as 30.').waitFor();
    await check('discount-fault');
    await minutes.fill('99999999');
    await grant.click();
    await page.getByText('Enter whole minutes, such as 30.').waitFor();
    expect(await granted()).toBe(45);
    // What only the service refuses stands at the field as well, and what was typed stays.
    await page.route('**/v2/sessions/*', (route) =>
      route.request().method() === 'PATCH'
        ? route.fulfill({
            status: 422,
            contentType: 'application/json',
            body: JSON.stringify({ errors: [{ code: 23, field: 'discount_time', message: 'The session has ended' }] }),
          })
        : route.continue(),
    );
    await minutes.fill('50');
    await grant.click();
    await page.getByText('The stay has ended already.').waitFor();
    expect(await minutes.getAttribute('aria-invalid')).toBe('true');
    expect(await minutes.inputValue()).toBe('50');
    await page.unroute('**/v2/sessions/*');
    await minutes.fill('');
    await grant.click();
    await expect.poll(granted).toBeNull();
    await page.getByRole('button', { name: 'End the stay' }).click();
    await page.getByRole('dialog').getByText('Show the REST call').click();
    await page
      .getByRole('dialog')
      .getByText(/sessions.*close/)
      .first()
      .waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'End the stay' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'End the stay' }).waitFor({ state: 'detached' });
  });

  describe('tariffs', () => {
    it.each([
      ['desktop', DESKTOP, 'light'],
      ['phone', PHONE, 'dark'],
    ] as const)('are a curve and examples, as the cloud bills: %s %j %s', async (device, viewport, colorScheme) => {
      const { page, goTo, check } = await open({ viewport, colorScheme });
      await goTo('/tariffs');
      await page.getByRole('button', { name: 'Public', exact: true }).click();
      await drawn(page, 1);
      const [tariff] = await get<{ id: number }[]>('/v2/tariffs');
      const start = '2026-11-23T07:00:00Z';
      await page.getByLabel('A stay that begins').fill('2026-11-23T08:00');
      const amounts = await page.locator('.examples td').allInnerTexts();
      const lengths = [10, 30, 60, 90, 120, 240, 480, 720, 1_440, 2_880, 10_080];
      for (const [at, minutes] of lengths.entries()) {
        const end = new Date(Date.parse(start) + minutes * 60_000).toISOString();
        const quote = await get<{ amount: number }>(`/v2/tariffs/${tariff?.id}/quote?start=${start}&end=${end}`);
        expect(amounts[at], `${minutes} minutes`).toBe(`€${quote.amount.toFixed(2)}`);
      }
      await page.getByRole('slider').focus();
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('ArrowRight');
      expect(await page.getByRole('slider').getAttribute('aria-valuetext')).toMatch(/^\d+ h: Price €\d/);
      await check(`tariffs-${device}-${colorScheme}`);
    });

    it('are made, changed and deleted, say at the field what is wrong, and lose nothing that was typed', async () => {
      const { page, goTo, check } = await open();
      await goTo('/tariffs');
      await page.getByRole('button', { name: 'New tariff' }).click();
      await page.getByLabel('Currency').fill('');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('A currency in three letters, such as EUR.').waitFor();
      expect(await page.getByText('Please fill in this field.').count()).toBe(2);
      await check('tariff-faults');
      await page.getByLabel('Name').fill('Public');
      await page.getByLabel('Currency').fill('eur');
      await page.getByLabel('Price per step').fill('2,50');
      await page.getByRole('button', { name: 'Add hours' }).click();
      await page.getByLabel('Price per step').last().fill('0,50');
      await page.reload();
      expect(await page.getByLabel('Price per step').first().inputValue()).toBe('2,50');
      await drawn(page, 1);
      await check('tariff-new');
      // What only the service refuses stands at its field too.
      await page.getByLabel('Name').fill('Bell \u0007');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.locator('.fields .field').first().locator('.fault').waitFor();
      expect(await page.getByLabel('Price per step').first().inputValue()).toBe('2,50');
      await page.getByLabel('Name').fill('Weekend');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Weekend is saved.').waitFor();
      const made = (await get<{ id: number; name: string; price: number; windows: unknown[] }[]>('/v2/tariffs')).find(
        ({ name }) => name === 'Weekend',
      );
      expect(made).toMatchObject({
        price: 2.5,
        windows: [{ days: [1, 2, 3, 4, 5, 6, 7], start: '22:00', end: '06:00', price: 0.5, step_minutes: 60 }],
      });
      await page.getByRole('button', { name: 'Change Weekend' }).click();
      await page.getByLabel('Price per step').first().fill('3');
      await page.getByText('Price as it is saved').first().waitFor();
      await drawn(page, 1);
      await check('tariff-change');
      await world.call('PATCH', `/v2/tariffs/${made?.id}`, { body: { vat: '25' } });
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Somebody else has changed this tariff meanwhile.').waitFor();
      await page.getByRole('button', { name: 'Load the saved tariff' }).click();
      await expect.poll(() => page.getByLabel('VAT in percent').inputValue()).toBe('25');
      await page.getByLabel('Price per step').first().fill('3');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Weekend is saved.').waitFor();
      await page.getByRole('button', { name: 'Delete Weekend' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('button', { name: 'Delete Weekend' }).waitFor({ state: 'detached' });
    });
  });

  it('shows hostile names as text', async () => {
    const { id } = (
      await world.call<{ data: { id: number } }>('POST', '/v2/tariffs', {
        body: { name: ATTACK, currency: 'EUR', price: 1 },
      })
    ).body.data;
    await world.call('PATCH', '/v2/zones/1', { body: { name: ATTACK, tariff_ids: [1, id] } });
    await world.call('PATCH', '/v2/lots/1', { body: { name: ATTACK } });
    const { page, goTo, check } = await open();
    for (const path of [
      `/analytics?from=${encodeURIComponent(ATTACK)}&by=${encodeURIComponent(ATTACK)}&with=${encodeURIComponent(ATTACK)}`,
      `/tariffs?tariff=${id}`,
      `/tariffs?edit=${id}`,
      `/sessions?sort=${encodeURIComponent(ATTACK)}&from=${encodeURIComponent(ATTACK)}`,
    ]) {
      await goTo(path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      if (path.startsWith('/tariffs')) await page.getByText(ATTACK).first().waitFor();
      expect(await page.locator('img[src="x"]').count(), path).toBe(0);
      await check(`hostile${path.replaceAll(/\W/g, '-').slice(0, 14)}`);
    }
  });
});
