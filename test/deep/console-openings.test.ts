import Database from 'better-sqlite3';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { HOUR_MS } from '../../shared/durations.js';
import { hasChromium } from '../browser/chromium.js';
import { type ConsolePage, PHONE, until } from '../browser/console-page.js';
import { type ConsoleWorld, startConsoleWorld } from '../browser/console-world.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';
import { TEST_SITE } from '../world/site.js';
import type { World } from '../world/world.js';

const DESK = { width: 1440, height: 900 };
const TABLET = { width: 820, height: 1180 };
/** In which people look at a view. */
const SIZES = [
  ['desk', { viewport: DESK }],
  ['desk-dark', { viewport: DESK, colorScheme: 'dark' }],
  ['desk-de', { viewport: DESK, locale: 'de-DE' }],
  ['tablet', { viewport: TABLET }],
  ['phone-dark', { viewport: PHONE, colorScheme: 'dark' }],
  ['phone-de', { viewport: PHONE, locale: 'de-DE' }],
] as const;

const DAYS = 6;
const CAUSES = ['camera', 'camera', 'camera', 'person', 'weblink', 'key', 'token', 'on_site', 'emergency'];
const NAMES: Readonly<Record<string, string>> = {
  person: 'Olga',
  weblink: 'Courier',
  key: 'Ana',
  token: 'Booking',
  emergency: 'Gus',
  on_site: 'North Pi',
};

/** Openings of some days at both gates, more in the morning than at night, and some that failed. */
function writeHistory(path: string): void {
  const db = new Database(path);
  const columns =
    'account_id, lot_id, product_id, gateway_id, operation, cause, given_by, outcome, error_type, at, updated_at';
  const insert = db.prepare(`INSERT INTO openings (${columns}) VALUES (1, 1, ?, 1, ?, ?, ?, ?, ?, ?, ?)`);
  let made = 0;
  for (let hour = DAYS * 24; hour > 0; hour--) {
    const at = Date.now() - hour * HOUR_MS;
    const traffic = Math.round(3 + 3 * Math.sin((new Date(at).getUTCHours() / 24) * 2 * Math.PI - 1));
    for (let each = 0; each < traffic; each++) {
      const cause = CAUSES[made % CAUSES.length] ?? 'camera';
      const isFailed = made % 17 === 0;
      const operation = cause === 'person' && made % 2 === 0 ? 'close' : 'open';
      const outcome = isFailed ? 'failed' : 'succeeded';
      const moment = at + each * 60_000;
      insert.run(
        1 + (made % 2),
        operation,
        cause,
        NAMES[cause] ?? null,
        outcome,
        isFailed ? '4' : null,
        moment,
        moment,
      );
      made += 1;
    }
  }
  db.close();
}

describe.skipIf(!hasChromium())('the console: openings, and the search over all reads', () => {
  let started: ConsoleWorld;
  let world: World;

  beforeAll(async () => {
    started = await startConsoleWorld({
      cloudEnv: { RATE_LOGIN_FAILURES_PER_MIN: '0' },
      async prepare({ dataDir, stopCloud, startCloud, settled }) {
        await stopCloud();
        writeHistory(join(dataDir, 'cloud', 'cloud.db'));
        await startCloud();
        await settled();
      },
    });
    ({ world } = started);
    await world.call('POST', `/v2/products/1/state`, { body: { operation: 'open' } });
    await world.arrive(TEST_SITE.memberPlate);
    await world.sim('POST', `/cameras/${TEST_SITE.entryCamera}/read`, { plate: 'ZG9999XX' });
    const counted = async (path: string) => (await world.api<{ data: unknown[] }>(path)).body.data.length;
    await waitUntil('both reads', async () => (await counted('/v2/plate-readings')) >= 2);
    const cameras = '/v2/openings?filter=cause:eq:camera&filter=plate_reading_id:isnotnull';
    await waitUntil('the opening of the camera', async () => (await counted(cameras)) >= 1);
  });
  afterAll(() => started?.close());
  afterEach(() => started.closePages());

  const plotted = ({ page }: ConsolePage) => until(page, `document.querySelectorAll('.plot canvas').length === 2`);

  it('shows every opening with who had it done, plots them, and narrows them down', async () => {
    const shown = await started.open({ viewport: DESK });
    const { page, goTo, check } = shown;
    await page.getByRole('link', { name: 'Vehicles' }).click();
    await page.getByRole('link', { name: 'Openings' }).click();
    await page.getByRole('heading', { level: 1, name: 'Openings' }).waitFor();
    await plotted(shown);
    await page.getByText(`Camera · ${TEST_SITE.memberPlate}`).first().waitFor();
    await check('openings');
    await page.getByLabel('By', { exact: true }).selectOption('camera');
    await page.getByText('Person ·').first().waitFor({ state: 'detached' });
    expect(new URL(page.url()).search).toBe('?cause=camera');
    await page.getByRole('row').filter({ hasText: TEST_SITE.memberPlate }).getByRole('button').first().click();
    await page.getByRole('link', { name: 'Show the vehicle' }).waitFor();
    await check('openings-open');
    await page.getByRole('link', { name: 'Show the vehicle' }).click();
    await page.getByRole('img', { name: `Picture of ${TEST_SITE.memberPlate}` }).waitFor();

    await goTo('/openings?outcome=failed');
    await page
      .getByText(/^Camera.*Open – Failed: it was not found in reach\.$/s)
      .first()
      .waitFor();
    await page.getByText('By barrier or gate').click();
    await page.getByRole('button', { name: 'Entry barrier', exact: true }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get('gate')).toBe('1');
    await page.getByLabel('From').fill('2026-03-02');
    await page.getByLabel('Until').fill('2026-03-01');
    await page.getByText('The last day is before the first').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.getByLabel('From').fill('');
    await page.getByLabel('Until').fill('');
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as CSV' }).click();
    expect((await saved).suggestedFilename()).toBe('openings-North.csv');
    await page.getByText(/^openings-North\.csv is saved: [1-9]\d* rows/).waitFor();
  });

  it('finds a read by a part of its plate from the palette, and by what looks like it', async () => {
    const { page, check } = await started.open({ viewport: DESK });
    await page.getByRole('navigation', { name: 'Views' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Find or do' }).fill('ZG?2*');
    await page.getByRole('option', { name: 'Search reads for ZG?2* View' }).click();
    await page.getByRole('heading', { level: 1, name: 'All reads' }).waitFor();
    const found = page.getByRole('button', { name: `Details of ${TEST_SITE.memberPlate}` });
    await found.waitFor();
    expect(await page.getByRole('button', { name: 'Details of ZG9999XX' }).count()).toBe(0);
    await found.click();
    await page.getByRole('heading', { name: 'Why' }).waitFor();
    await page.getByText('Looked for as ZG1234AB.').waitFor();
    await check('reads-open');
    await page.keyboard.press('Escape');
    await page.getByLabel('Plate').fill('2GI234A8');
    await page.getByText('No read fits.').waitFor();
    await page.getByLabel('Also what looks like it').check();
    await found.waitFor();
    const entries = await world.api<{ data: { details: { filter: string[] } }[] }>(
      '/v2/audit-log?filter=action:eq:plate.search&size=50',
    );
    expect(entries.body.data.flatMap(({ details }) => details.filter)).toEqual(
      expect.arrayContaining(['plate:match:ZG?2*', 'plate:look_alike:2GI234A8']),
    );
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as CSV' }).click();
    expect((await saved).suggestedFilename()).toBe('reads.csv');
  });

  it('shows all entries about barriers and gates in the audit log, a release of the lot, too', async () => {
    await world.call('POST', '/v2/lots/1/release', { body: {} });
    const { page, goTo } = await started.open();
    await goTo('/audit?action=product');
    await page.getByText(/opened everything in lot 1/).waitFor();
  });

  it.each(SIZES)('can be looked at: %s', async (size, options) => {
    const shown = await started.open({ ...options, viewport: { ...options.viewport } });
    const { page, goTo, check } = shown;
    await goTo('/openings');
    await plotted(shown);
    await page.locator('.of-opening tbody tr').first().waitFor();
    await check(`openings-${size}`);
    await page.locator('.of-opening').scrollIntoViewIfNeeded();
    await page.locator('.of-opening .row-open').nth(2).click();
    await page.locator('.verdict').waitFor();
    await check(`openings-${size}-row`);
    await goTo('/reads?plate=ZG*');
    await page.locator('.of-reading tbody tr').first().waitFor();
    await check(`reads-${size}`);
  });
});
