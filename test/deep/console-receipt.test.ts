/** Money explains itself in the console: lines, people, a receipt on paper, the rights of attendants, and what a changed tariff costs. */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../browser/chromium.js';
import { DESKTOP, PHONE } from '../browser/console-page.js';
import { type ConsoleWorld, GUARD, startConsoleWorld } from '../browser/console-world.js';

const HOUR = 3_600_000;

describe.skipIf(!hasChromium())('the console: money that explains itself', () => {
  let started: ConsoleWorld;
  let zone: number;

  beforeAll(async () => {
    started = await startConsoleWorld({
      cloudEnv: { RATE_REQUESTS_PER_MIN: '0' },
      alterSite: (yaml) => yaml.replace('free_minutes: 10,', 'free_minutes: 0, vat: "25",'),
    });
    const [first] = await data<{ id: number }[]>('GET', '/v2/zones?sort=id:asc');
    zone = first?.id ?? 0;
  });
  afterEach(() => started.closePages());
  afterAll(() => started?.close());

  const data = async <T>(method: 'GET' | 'POST' | 'PATCH', path: string, body?: object): Promise<T> =>
    (await started.world.call<{ data: T }>(method, path, body === undefined ? {} : { body })).body.data;
  const begin = (plate: string, hours: number) =>
    data<{ id: number; public_id: string }>('POST', '/v2/sessions', {
      zone_id: zone,
      entry_license_plate: plate,
      created_at: new Date(Date.now() - hours * HOUR).toISOString(),
    });
  const details = async (page: Page, plate: string) => {
    await page.getByRole('button', { name: `Details of ${plate}` }).click();
    await page.getByRole('region', { name: 'Price' }).waitFor();
  };

  it.each([
    ['desktop', DESKTOP],
    ['phone', PHONE],
  ])('says what a stay costs, asks before it takes too much, and prints a receipt: %s', async (device, viewport) => {
    const plate = `RC${viewport.width}AB`;
    const { id, public_id } = await begin(plate, 26.25);
    await data('PATCH', `/v2/sessions/${id}`, { discount_time: 30, discount_reason: 'queue at the exit' });
    const { page, goTo, check } = await started.open({ viewport });
    await goTo(`/sessions?plate=${plate}`);
    await details(page, plate);
    await page.getByText('1 × at most €12.00 in 24 h').waitFor();
    await page.getByText('30 min granted free').waitFor();
    await page.getByText(/^30 free minutes granted by .*queue at the exit$/).waitFor();
    const amount = page.getByLabel('Amount in EUR');
    await expect.poll(() => amount.inputValue()).toBe('15');
    await amount.fill('18,50');
    await page.getByRole('button', { name: 'Take payment' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('This is €3.50 more than the stay costs.').waitFor();
    await check(`overpay-${device}`);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(await data<unknown[]>('GET', `/v2/sessions/${id}/payments`)).toEqual([]);
    await page.getByRole('button', { name: 'Take payment' }).click();
    await dialog.getByRole('button', { name: 'Take it nevertheless' }).click();
    await page.getByText('Due €0.00 · paid €18.50 · overpaid by €3.50').waitFor();
    await amount.fill('20');
    await page.getByRole('button', { name: 'Give back' }).click();
    await page.getByText('At most €18.50 can be given back').waitFor();
    await page.getByText('Say why the money is given back.').waitFor();
    await amount.fill('3,50');
    await page.getByLabel('Reason', { exact: true }).fill('no change');
    await page.getByRole('button', { name: 'Give back' }).click();
    await page.getByText(/given back · by .* · no change$/).waitFor();
    await check(`money-details-${device}`);

    await page.evaluate('window.print = () => undefined');
    await page.getByRole('button', { name: 'Print receipt' }).click();
    await page.emulateMedia({ media: 'print' });
    const paper = page.locator('body > .alone');
    await paper.getByText('of which 25 % VAT: €3.00').waitFor();
    for (const text of [public_id, plate, '€18.50', '-€3.50', 'North']) {
      await paper.getByText(text).first().waitFor();
    }
    expect(await page.locator('#content').isVisible()).toBe(false);
    await check(`receipt-${device}`);
    // After printing the view is as it was.
    await page.evaluate(`dispatchEvent(new Event('afterprint'))`);
    await page.emulateMedia({ media: 'screen' });
    expect(await paper.count()).toBe(0);
    expect(await page.locator('#content').isVisible()).toBe(true);
  });

  it('hides from an attendant what the account does not allow', async () => {
    const plate = 'RG77HT';
    const { id } = await begin(plate, 3);
    await data('POST', `/v2/sessions/${id}/payments`, { amount: 1 });
    const owner = await started.open();
    await owner.goTo('/users');
    await owner.page.getByLabel('Attendant', { exact: true }).selectOption('payments');
    await owner.page.getByText('This holds from now on.').waitFor();
    await owner.check('money-setting');
    const guard = await started.open({}, GUARD);
    const buttons = async () => {
      await guard.goTo(`/sessions?plate=${plate}`);
      await details(guard.page, plate);
      await guard.page.getByText('Due €').waitFor();
      const count = (name: string) => guard.page.getByRole('button', { name, exact: true }).count();
      return [await count('Take payment'), await count('Give back'), await count('Grant')];
    };
    expect(await buttons()).toEqual([1, 0, 0]);
    const settle = async (right: string) => {
      await owner.page.getByLabel('Attendant', { exact: true }).selectOption(right);
      const settled = async () => (await data<{ attendant_money: string }>('GET', '/v2/account')).attendant_money;
      await expect.poll(settled).toBe(right);
    };
    await settle('none');
    expect(await buttons()).toEqual([0, 0, 0]);
    await guard.page.getByText('Your role takes no payments here.').waitFor();
    await guard.check('money-none');
    await settle('all');
  });

  it('begins a night price with all days, and shows what it changes', async () => {
    const { page, goTo, check } = await started.open();
    await goTo('/tariffs?edit=1');
    await page.getByRole('button', { name: 'Add hours' }).click();
    await page.getByLabel('Price per step').last().fill('0,50');
    for (const day of ['Mon', 'Sat', 'Sun']) expect(await page.getByLabel(day, { exact: true }).isChecked()).toBe(true);
    const night = page.getByRole('row', { name: /^Over night/ });
    await expect.poll(() => night.getAttribute('class')).toBe('changed');
    expect(await night.getByRole('cell').allInnerTexts()).toEqual(['€8.50', '€12.00', '-€3.50']);
    await check('tariff-night');
  });
});
