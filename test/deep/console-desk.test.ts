import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../browser/chromium.js';
import { type ConsolePage, PHONE, until } from '../browser/console-page.js';
import { type ConsoleWorld, startConsoleWorld } from '../browser/console-world.js';
import { TEST_SITE } from '../world/site.js';

const DESK = { width: 1440, height: 900 };
/** A window of 1440 pixels at 200 %. */
const ZOOMED = { width: 720, height: 450 };
const HOUR_MS = 3_600_000;

/** A reading as the service lists it, changed for a test. */
type Listed = Record<string, unknown> & { id: number; created_at: string };

describe.skipIf(!hasChromium())('the console on a desk', () => {
  let started: ConsoleWorld;

  beforeAll(async () => {
    started = await startConsoleWorld({ alterSite: (yaml) => yaml.replace('tariffs: [Public]', 'tariffs: []') });
    const { world } = started;
    for (const plate of ['ZG100AA', 'ZG300CC', 'ZG200BB'])
      await world.sim('POST', `/cameras/${TEST_SITE.entryCamera}/read`, { plate });
  });
  afterAll(() => started?.close());
  afterEach(() => started.closePages());

  /** Opens the console, whose list of readings has as many as fill a window: each of those that are there, an hour earlier and earlier. */
  async function openFull(viewport = DESK): Promise<ConsolePage> {
    const listed = async () => (await started.world.api<{ data: Listed[] }>('/v2/plate-readings')).body.data.length;
    await expect.poll(listed).toBe(3);
    const shown = await started.open({ viewport });
    await shown.page.route(
      ({ pathname, searchParams }) => pathname === '/v2/plate-readings' && !searchParams.has('filter'),
      async (route) => {
        const answer = await route.fetch();
        const { data, meta } = (await answer.json()) as { data: Listed[]; meta: unknown };
        const many = Array.from({ length: 40 }, (_, at) => {
          const reading = data[at % data.length] as Listed;
          const created_at = new Date(Date.parse(reading.created_at) - at * HOUR_MS).toISOString();
          // The last one of all was read half a day ago.
          const isLate = at === 12;
          return {
            ...reading,
            id: isLate ? 9_000 : 1_000 - at,
            plate: `ZG${String(at).padStart(3, '0')}XX`,
            created_at,
            updated_at: isLate ? reading.created_at : created_at,
          };
        });
        await route.fulfill({ json: { data: many, meta } });
      },
    );
    return shown;
  }

  const platesOf = ({ page }: ConsolePage) => page.locator('.rows-table .row-open').allInnerTexts();
  const param = ({ page }: ConsolePage, name: string) => new URL(page.url()).searchParams.get(name);
  const focused = ({ page }: ConsolePage) => page.evaluate<string>('document.activeElement.innerText');

  it('has some eighteen rows in a window, in the order of the reads, and marks what came late', async () => {
    const shown = await openFull();
    const { page, goTo, check } = shown;
    await goTo('/live');
    await page.locator('.rows-table .row-open').first().waitFor();
    expect((await platesOf(shown)).slice(11, 14)).toEqual(['ZG011XX', 'ZG012XX', 'ZG013XX']);
    expect(await page.locator('.reading', { hasText: 'came late' }).locator('.row-open').allInnerTexts()).toEqual([
      'ZG012XX',
    ]);
    const inWindow = await page.evaluate<number>(
      `[...document.querySelectorAll('.rows-table .reading')].filter((row) => row.getBoundingClientRect().bottom <= innerHeight).length`,
    );
    expect(inWindow).toBeGreaterThanOrEqual(17);
    await check('desk-live');
    await page.locator('.reading', { hasText: 'ZG012XX' }).locator('.row-open').click();
    await page.locator('.panel').getByText('long after the vehicle stood there').waitFor();
    await check('desk-live-late');
  });

  it('sorts by a press on a head, which the address keeps', async () => {
    const shown = await openFull();
    const { page, goTo, check } = shown;
    await goTo('/live');
    const head = page.getByRole('columnheader', { name: 'Plate' });
    await head.getByRole('button').click();
    await expect.poll(() => head.getAttribute('aria-sort')).toBe('ascending');
    expect((await platesOf(shown))[0]).toBe('ZG000XX');
    await head.getByRole('button').click();
    await expect.poll(() => head.getAttribute('aria-sort')).toBe('descending');
    expect((await platesOf(shown))[0]).toBe('ZG039XX');
    expect(param(shown, 'sort')).toBe('-plate');
    await check('desk-live-sorted');
    await page.reload();
    await page.locator('.rows-table .row-open').first().waitFor();
    expect((await platesOf(shown))[0]).toBe('ZG039XX');
    await page.getByRole('columnheader', { name: 'Time' }).getByRole('button').click();
    await expect.poll(() => param(shown, 'sort')).toBeNull();
  });

  it('is gone through by keys, with the open row beside the list', async () => {
    const shown = await openFull();
    const { page, goTo, check } = shown;
    const { keyboard } = page;
    const panel = page.locator('.panel');
    await goTo('/live');
    await page.locator('.rows-table .row-open').first().waitFor();
    await keyboard.press('j');
    await keyboard.press('j');
    await keyboard.press('k');
    expect(await focused(shown)).toBe('ZG000XX');
    await keyboard.press('Enter');
    await panel.getByRole('heading', { name: 'ZG000XX' }).waitFor();
    // Why stands beside the picture.
    const [picture, why] = [panel.locator('.enlarge, .picture').first(), panel.getByRole('heading', { name: 'Why' })];
    await why.waitFor();
    const [left, right] = [await picture.boundingBox(), await why.boundingBox()];
    expect(right?.x).toBeGreaterThan((left?.x ?? 0) + (left?.width ?? 0));
    await check('desk-live-open');
    await keyboard.press('j');
    await panel.getByRole('heading', { name: 'ZG001XX' }).waitFor();
    await keyboard.press('Enter');
    await until(page, `document.activeElement?.classList.contains('panel')`);
    await keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    expect(await focused(shown)).toBe('ZG001XX');
    await keyboard.press('/');
    await keyboard.type('012');
    await expect.poll(() => platesOf(shown)).toEqual(['ZG012XX']);
    await keyboard.press('Escape');
    await keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).getByText('Make a member').waitFor();
    await check('desk-keys');
    await keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
  });

  it('closes an open row by the way back, and shows it below the row where there is no room beside', async () => {
    const shown = await openFull(ZOOMED);
    const { page, goTo, check } = shown;
    await goTo('/live');
    await page.locator('.reading .row-open').first().click();
    await page.locator('.opened').getByRole('heading', { name: 'Why' }).waitFor();
    expect(await page.locator('.panel').count()).toBe(0);
    await check('zoomed-live-open');
    await page.goBack();
    await page.locator('.opened').waitFor({ state: 'detached' });
    await page.setViewportSize(PHONE);
    await check('phone-live-rows');
  });

  it.each([
    ['desk', DESK],
    ['zoomed', ZOOMED],
    ['phone', PHONE],
  ] as const)('has the lots, what happens and what waits in the overview: %s', async (device, viewport) => {
    const { page, check } = await started.open({ viewport });
    const card = page.getByRole('article', { name: 'North' });
    const waits = page.getByRole('region', { name: 'What waits' });
    const now = page.getByRole('region', { name: 'What happens' });
    await waits.getByRole('button', { name: 'Let in once: ZG200BB' }).waitFor();
    await now.getByRole('link', { name: /^ZG200BB Refused/ }).waitFor();
    const [lots, happens, waiting] = [await card.boundingBox(), await now.boundingBox(), await waits.boundingBox()];
    const [x = [], y = []] = [
      [lots?.x, happens?.x, waiting?.x],
      [waiting?.y, lots?.y, happens?.y],
    ];
    // Beside each other on a desk; below each other, what waits first, elsewhere.
    const along = device === 'desk' ? x : y;
    expect(along).toEqual(along.toSorted((a, b) => (a ?? 0) - (b ?? 0)));
    expect(new Set(along).size).toBe(3);
    await check(`overview-${device}`);
    await page.getByRole('navigation', { name: 'Plan' }).getByRole('link').click();
    await page.getByRole('heading', { level: 1, name: 'North' }).waitFor();
  });
});
