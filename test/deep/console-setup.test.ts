import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../browser/chromium.js';
import { PHONE } from '../browser/console-page.js';
import { type ConsoleWorld, GUARD, startConsoleWorld } from '../browser/console-world.js';

describe.skipIf(!hasChromium())('the console: a car park is set up', () => {
  let started: ConsoleWorld;

  beforeAll(async () => {
    started = await startConsoleWorld();
  });
  afterEach(() => started.closePages());
  afterAll(() => started?.close());

  const last = async <Item>(path: string): Promise<Item | undefined> =>
    (await started.world.api<{ data: Item[] }>(`${path}?sort=id:desc&size=1`)).body.data[0];

  it('from the lot to its place, with every fault at its field, and nothing typed is lost', async () => {
    const { page, check } = await started.open();
    const dialog = page.getByRole('dialog');
    const make = () => dialog.getByRole('button', { name: 'Create' }).click();
    const add = async (what: string) => {
      // The guide has one, too.
      const button = page.getByRole('button', { name: what }).first();
      if (!(await button.isVisible())) await page.getByText('Add to this lot').click();
      await button.click();
      await dialog.waitFor();
    };

    await page.getByRole('button', { name: 'New lot' }).click();
    await make();
    await dialog.getByText('Please fill in this field.').waitFor();
    await dialog.getByLabel('Name').fill('Pier');
    await check('setup-lot-fault');
    await dialog.getByLabel('Time zone').selectOption('Europe/Zagreb');
    await page.reload();
    expect(await dialog.getByLabel('Name').inputValue()).toBe('Pier');
    await make();
    await page.getByRole('link', { name: 'Pier', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Pier' }).waitFor();
    expect(await last('/v2/lots')).toMatchObject({ name: 'Pier', timezone: 'Europe/Zagreb' });

    // Where there is no zone, nothing can stand in one.
    await page.getByText('Add to this lot').click();
    expect(await page.getByRole('button', { name: 'New camera' }).count()).toBe(0);
    await add('New zone');
    await dialog.getByLabel('Name').fill('Deck');
    await dialog.getByLabel('Places for vehicles').fill('-1');
    await make();
    await expect.poll(() => dialog.getByLabel('Places for vehicles').getAttribute('aria-invalid')).toBe('true');
    await dialog.getByLabel('Places for vehicles').fill('30');
    await dialog.getByLabel('Public').check();
    await check('setup-zone');
    await make();
    await dialog.waitFor({ state: 'detached' });
    const zone = await last<{ id: number; lot_id: number }>('/v2/zones');
    expect(zone).toMatchObject({ name: 'Deck', spot_count: 30 });

    await add('New barrier or gate');
    await dialog.getByLabel('Name').fill('Pier barrier');
    await dialog.getByLabel('Identifier').fill('C0:FF:EE');
    await make();
    await dialog.getByText('It has 12 digits and letters from A to F.').waitFor();
    await dialog.getByLabel('Identifier').fill('C0:FF:EE:00:12:34');
    await check('setup-product');
    await make();
    await page.getByRole('article', { name: 'Pier barrier' }).waitFor();
    const product = await last<{ id: number }>('/v2/products');
    expect(product).toMatchObject({ device_id: 'c0ffee001234', product_type_id: 1, lot_id: zone?.lot_id });

    await add('New camera');
    await dialog.getByLabel('Name', { exact: true }).fill('Pier camera');
    await dialog.getByLabel('Identifier').fill('pier-1');
    await dialog.getByLabel('Make').selectOption('onvif');
    await make();
    await expect.poll(() => dialog.getByLabel('Address of the camera').getAttribute('aria-invalid')).toBe('true');
    await check('setup-camera-fault');
    await dialog.getByLabel('Address of the camera').fill('http://192.168.1.40');
    await dialog.getByLabel('Password').fill('of the camera');
    expect(await page.evaluate<string>('JSON.stringify({...sessionStorage})')).not.toContain('of the camera');
    await make();
    await dialog.getByText('Cameras of this make do not push').waitFor();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await last('/v2/lpr-cameras')).toMatchObject({
      name: 'Pier camera',
      zone_id: zone?.id,
      product_id: product?.id,
      lpr_position: 'in',
    });

    await add('New place');
    await dialog.getByLabel('Name').fill('P1');
    await make();
    await dialog.waitFor({ state: 'detached' });
    expect(await last('/v2/parking-places')).toMatchObject({ name: 'P1', zone_id: zone?.id });
    await check('setup-done');

    // What stands there is changed on the lot's own page, too.
    await page.locator('summary[aria-label="Change what stands here: Pier"]').click();
    await page.getByText('Places: Deck').click();
    await page.getByRole('button', { name: 'Edit: P1', exact: true }).click();
    await dialog.getByLabel('Name').fill('');
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await dialog.getByText('Please fill in this field.').waitFor();
    await dialog.getByLabel('Name').fill('P1 wide');
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('P1 wide is saved.').waitFor();
    expect(await last('/v2/parking-places')).toMatchObject({ name: 'P1 wide', zone_id: zone?.id });
    // The list of the places has read it, too.
    await page.getByText('Deck: 0 of 1 free').click();
    await page.getByRole('listitem').filter({ hasText: 'P1 wide' }).waitFor();
    await check('setup-lot-changes');
    await page.getByRole('button', { name: 'Edit: P1 wide' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog', { name: 'Delete P1 wide?' }).getByRole('button', { name: 'Delete' }).click();
    await page.getByText('P1 wide is deleted.').waitFor();
    await page.getByText('There is no place in this zone.').waitFor();
  });

  it('is changed by the same forms, and the barrier is told over the air', async () => {
    const { page, goTo, check } = await started.open();
    const dialog = page.getByRole('dialog');
    const edit = async (name: string) => {
      await page.getByRole('button', { name: `Edit: ${name}`, exact: true }).click();
      await dialog.waitFor();
    };
    const save = async () => {
      await dialog.getByRole('button', { name: 'Save', exact: true }).click();
      await dialog.waitFor({ state: 'detached' });
    };
    const read = async (path: string) => (await started.world.api<{ data: object }>(path)).body.data;
    // Another lot may stand before it: what needs a person comes first.
    await page.locator('summary[aria-label="Change what stands here: North"]').click();
    await edit('North');
    await dialog.getByLabel('Days that it works alone').fill('3');
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await dialog.getByText('Enter a whole number from 7 to 366.').waitFor();
    await dialog.getByLabel('Days that it works alone').fill('14');
    await dialog.getByLabel('Address').fill('Quay 7');
    await dialog.getByLabel('Exits that cannot ask anybody').selectOption('deny');
    await dialog.getByText('Show the REST call').click();
    await dialog.getByText('{"address":"Quay 7","offline_exit":"deny","autonomy_days":14}').waitFor();
    await check('setup-change-lot');
    await save();
    expect(await read('/v2/lots/1')).toMatchObject({ address: 'Quay 7', offline_exit: 'deny', autonomy_days: 14 });

    await edit('Level 0');
    const tariff = dialog.getByLabel('Public');
    expect(await tariff.isChecked()).toBe(true);
    await tariff.uncheck();
    await dialog.getByLabel('Longest stay in hours').fill('12');
    await check('setup-change-zone');
    await save();
    expect(await read('/v2/zones/1')).toMatchObject({ tariff_ids: [], occupancy_max_hours: 12 });

    await page.getByText('Places: Level 0').click();
    await edit('A1');
    const watching = dialog.getByLabel('Sensors that watch it').locator('option:checked');
    await expect.poll(() => watching.innerText()).toBe('Guidance');
    await dialog.getByLabel('Sensor', { exact: true }).fill('the first');
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await expect.poll(() => dialog.getByLabel('Sensor', { exact: true }).getAttribute('aria-invalid')).toBe('true');
    expect(await dialog.getByText(/^A register from 0 to/).count()).toBe(1);
    await check('setup-change-place');
    await dialog.getByLabel('Sensor', { exact: true }).fill('900');
    await dialog.getByText('Show the REST call').click();
    await dialog.getByText('{"sensor":"900"}').waitFor();
    await save();
    expect(await read('/v2/parking-places/1')).toMatchObject({ name: 'A1', sensor: '900', parking_gateway_id: 1 });
    await edit('A1');
    await dialog.getByLabel('Sensors that watch it').selectOption({ label: 'none' });
    await save();
    expect(await read('/v2/parking-places/1')).toMatchObject({ sensor: null, parking_gateway_id: null });

    await edit('Entry camera');
    await dialog.getByLabel('Vehicles drive').selectOption('in/out');
    await dialog.getByLabel('Password').fill('a new one');
    await check('setup-change-camera');
    await save();
    expect(await read('/v2/lpr-cameras/1')).toMatchObject({ lpr_position: 'in/out', name: 'Entry camera' });

    await edit('Entry barrier');
    await dialog.getByLabel('It closes by itself').setChecked(true);
    await dialog.getByLabel('After how many seconds').fill('0');
    await dialog.getByRole('button', { name: 'Set it' }).click();
    await dialog.getByText('Enter a whole number from 1 to 255.').waitFor();
    await dialog.getByLabel('After how many seconds').fill('25');
    await dialog.getByRole('button', { name: 'Set it' }).click();
    await dialog.last().getByRole('button', { name: 'Set it' }).click();
    await dialog.getByText('It is set.').waitFor();
    await dialog.getByText('Pair it').click();
    await dialog.getByLabel('Secret of its label').fill('12:34');
    await dialog.getByRole('button', { name: 'Pair', exact: true }).click();
    await dialog.getByText('It has 32 digits and letters from A to F.').waitFor();
    await check('setup-change-product');
    expect(await read('/v2/products/1')).toMatchObject({ barrier: { is_autoclose: 1, autoclose_time: 25 } });
    await dialog.getByLabel('Name').fill('North barrier');
    await save();
    await page.getByText('North barrier is saved.').waitFor();
    expect(await read('/v2/products/1')).toMatchObject({ name: 'North barrier' });

    await started.world.call('PATCH', '/v2/parking-places/1', { body: { parking_gateway_id: 1, sensor: '1' } });
    await started.world.call('PATCH', '/v2/products/1', { body: { name: 'Entry barrier' } });
    await started.world.call('PATCH', '/v2/zones/1', { body: { tariff_ids: [1] } });
    // A camera that nobody has heard of: the button leads to where something can be done about it.
    await goTo('/');
    const help = page.getByRole('link', { name: 'Show the cameras' }).first();
    expect(await help.getAttribute('href')).toBe('/devices?show=cameras');
    await help.click();
    await page.getByRole('article', { name: 'Entry camera' }).waitFor();
  });

  it('has a gateway that is cared for from afar: its password, its doctor, another device in its place', async () => {
    const { page, goTo, check } = await started.open({ viewport: PHONE });
    await goTo('/devices');
    const gateway = page.getByRole('article', { name: 'Entrance Pi' });
    const dialog = page.getByRole('dialog');
    const say = async (button: string) => {
      await gateway.getByRole('button', { name: `${button}: Entrance Pi` }).click();
      await dialog.getByRole('button', { name: button }).waitFor();
    };
    const yes = async (button: string) => {
      await dialog.getByRole('button', { name: button }).click();
      await dialog.waitFor({ state: 'detached' });
    };
    await gateway.getByText('connected', { exact: true }).waitFor();
    await check('gateway-card');
    await gateway.getByText('Password and replacement').click();
    await say('Show the device password');
    await check('gateway-password-question');
    await yes('Show the device password');
    const secret = gateway.locator('.secret > code');
    const first = await secret.innerText();
    await secret.scrollIntoViewIfNeeded();
    await check('gateway-password');
    await say('New device password');
    await yes('New device password');
    await expect.poll(() => secret.innerText()).not.toBe(first);
    const path = '/v2/gateways/1/console-password';
    const { body } = await started.world.api<{ data: { password: string } }>(path);
    expect(await secret.innerText()).toBe(body.data.password);
    await gateway.getByRole('button', { name: 'I have kept it' }).click();

    await gateway.getByText('Doctor', { exact: true }).click();
    await gateway.getByRole('button', { name: 'Ask for a report: Entrance Pi' }).click();
    await gateway.locator('.findings li').first().waitFor();
    for (const list of await gateway.locator('.findings').all())
      expect(await list.innerText()).not.toMatch(/undefined|NaN|\[object/);
    await gateway.locator('.findings').first().scrollIntoViewIfNeeded();
    await check('gateway-doctor');

    await say('Replace this device');
    await dialog.getByText('From then on the present one opens nothing').waitFor();
    await check('gateway-replace');
    await yes('Replace this device');
    await page.getByRole('img', { name: 'Claim code of Entrance Pi as QR code' }).waitFor();
    await check('gateway-replace-code');
  });

  it('on a phone', async () => {
    const { page, goTo, check } = await started.open({ viewport: PHONE, colorScheme: 'dark' });
    for (const what of ['zone', 'product', 'lpr_camera', 'parking_place', 'parking_gateway', 'rgb_display']) {
      await goTo(`/lots/1?edit=${what}`);
      await page.getByRole('dialog').waitFor();
      await check(`setup-phone-${what}`);
    }
  });

  it('by nobody who may not', async () => {
    const { page, goTo } = await started.open({}, GUARD);
    await page.getByRole('link', { name: 'North' }).waitFor();
    expect(await page.getByRole('button', { name: 'New lot' }).count()).toBe(0);
    expect(await page.getByText('Change what stands here').count()).toBe(0);
    await goTo('/lots/1?edit=zone');
    await page.getByRole('article', { name: 'Entry barrier' }).waitFor();
    expect(await page.getByText('Add to this lot').count()).toBe(0);
    expect(await page.getByRole('dialog').count()).toBe(0);
  });
});
