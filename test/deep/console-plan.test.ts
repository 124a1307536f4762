import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { inputAt } from '../../cloud/console/wording/lot-time.js';
import { hasChromium } from '../browser/chromium.js';
import { PHONE } from '../browser/console-page.js';
import { ATTACK, GUARD, LOOKS, OWNER, type ConsoleWorld, startConsoleWorld } from '../browser/console-world.js';
import { TEST_SITE } from '../world/site.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';
import type { World } from '../world/world.js';

interface PlanItem {
  kind: string;
  id: number;
  x: number;
  y: number;
}

describe.skipIf(!hasChromium())('the console: plan, questions, the queue, who is inside', () => {
  let started: ConsoleWorld;
  let world: World;

  beforeAll(async () => {
    const zone = `
          - name: Roof
            spot_count: 12
            tariffs: []`;
    started = await startConsoleWorld({
      cloudEnv: { RATE_LOGIN_FAILURES_PER_MIN: '0' },
      alterSite: (yaml) =>
        yaml
          .replace('tariffs: [Public]', 'tariffs: []')
          .replace('\n        parking_gateways:', `${zone}\n        parking_gateways:`)
          .replace('    groups:', '      - {name: Mira, license_plate: ZG1Z34AB, groups: [Residents]}\n    groups:'),
    });
    ({ world } = started);
  });
  afterEach(() => started.closePages());
  afterAll(() => started?.close());

  const open: ConsoleWorld['open'] = (...how) => started.open(...how);
  const drive = (camera: string, plate: string) => world.sim('POST', `/cameras/${camera}/read`, { plate });
  const savedPlan = async () => (await world.api<{ data: { items: PlanItem[] } }>('/v2/lots/1/plan')).body.data.items;
  const thing = (page: Page, name: string | RegExp) => page.locator('.plan svg').getByRole('button', { name });
  const begin = async (plate: string, minutesAgo: number, zone_id = 1): Promise<number> => {
    const created_at = new Date(Date.now() - minutesAgo * 60_000).toISOString();
    const body = { zone_id, entry_license_plate: plate, created_at };
    const answer = await world.call('POST', '/v2/sessions', { body });
    expect(answer.status).toBe(200);
    return (answer.body as { data: { id: number } }).data.id;
  };
  const session = async (id: number) =>
    (
      await world.api<{
        data: { ended_at: string | null; created_at: string; entry_license_plate: { plate: string } };
      }>(`/v2/sessions/${id}`)
    ).body.data;
  const localTime = (ms: number) => inputAt(ms, 'Europe/Zagreb');

  it.each(LOOKS)('draws a lot with everything in it, live: %s %j %s', async (device, viewport, colorScheme) => {
    const { page, goTo, check } = await open({ viewport, colorScheme });
    await goTo('/lots/1');
    await page.getByRole('button', { name: 'Plan', exact: true }).click();
    expect(new URL(page.url()).searchParams.get('show')).toBe('plan');
    await thing(page, /^Entry barrier, Barrier: (Closed|Open)$/).waitFor();
    await thing(page, /^Level 0, Zone: \d+ of 40 taken$/).waitFor();
    await world.sim('PATCH', `/products/${TEST_SITE.gate}`, { jammed: true });
    await thing(page, 'Exit gate, Gate: jammed. Look whether something blocks it.').waitFor();
    await check(`plan-${device}-${colorScheme}-trouble`);
    await world.sim('PATCH', `/products/${TEST_SITE.gate}`, { jammed: false });
    await thing(page, /^Exit gate, Gate: (Closed|Open)$/).click();
    const card = page.getByRole('article', { name: 'Exit gate' });
    await card.getByRole('button', { name: 'Open', exact: true }).click();
    await card.getByText(/^Open: done/).waitFor();
    await thing(page, 'Exit gate, Gate: Open').waitFor();
    await check(`plan-${device}-${colorScheme}`);
    await card.getByText('Show the REST call').click();
    await card.getByText('"event": "lot_change"').waitFor();
    await card.getByRole('button', { name: 'TypeScript', exact: true }).click();
    expect(await card.locator('pre').first().innerText()).toContain(`client.post('/v2/products/{id}/state', {`);
    await page.getByRole('button', { name: 'List' }).click();
    await page.getByText(/of 3 free/).click();
    await page.locator('.place-list').getByText('A2').waitFor();
    await check(`lot-places-${device}-${colorScheme}`);
    await card
      .or(page.getByRole('article', { name: 'Exit gate' }))
      .first()
      .waitFor();
    await world.call('POST', '/v2/products/2/state', { body: { operation: 'close' } });
    // One that is jammed on its way stays there.
    await waitUntil('the gate to be closed', async () => {
      const { state } = await world.sim<{ state: string }>('GET', `/products/${TEST_SITE.gate}`);
      return state === 'closed';
    });
  });

  it('is arranged by mouse and by keyboard, and saved for everybody', async () => {
    const { page, goTo, check } = await open();
    await goTo('/lots/1?show=plan');
    await page.getByRole('button', { name: 'Arrange', exact: true }).click();
    const barrier = thing(page, /^Entry barrier/);
    const box = await barrier.boundingBox();
    if (box === null) throw new Error('the barrier is not drawn');
    const zoneBefore = await thing(page, /^Roof/).boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + 20);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2 + 60, box.y + 80, { steps: 5 });
    await page.mouse.up();
    const moved = await barrier.boundingBox();
    expect([Math.round((moved?.x ?? 0) - box.x) > 40, Math.round((moved?.y ?? 0) - box.y) > 40]).toEqual([true, true]);
    await check('plan-arranging');
    // A reload loses nothing of it, but how far the page is scrolled may differ.
    await page.reload();
    await page.getByRole('button', { name: 'Save the arrangement' }).waitFor();
    expect(await barrier.boundingBox()).toMatchObject({ ...moved, y: expect.any(Number) });
    const roof = thing(page, /^Roof/);
    await roof.focus();
    await page.keyboard.press('Enter');
    await page.getByText('Roof, Zone: 0 of 12 taken: taken up.').waitFor();
    for (let step = 0; step < 4; step += 1) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Enter');
    await page.getByText('Roof, Zone: 0 of 12 taken: put down.').waitFor();
    const zoneAfter = await roof.boundingBox();
    expect((zoneAfter?.width ?? 0) > (zoneBefore?.width ?? 0)).toBe(true);
    await page.getByRole('button', { name: 'Save the arrangement' }).click();
    await page.getByText('The arrangement is saved.').waitFor();
    await check('plan-saved');
    const items = await savedPlan();
    expect(items.length).toBe(2 + 3 + 2 + 2);
    // Another browser sees the same, and a conflict is told.
    const other = await open({}, null);
    await other.signIn(GUARD);
    await other.goTo('/lots/1?show=plan');
    await thing(other.page, /^Roof/).waitFor();
    expect(await other.page.getByRole('button', { name: 'Arrange', exact: true }).count()).toBe(0);
    await other.close();
    await page.getByRole('button', { name: 'Arrange', exact: true }).click();
    await world.call('PUT', '/v2/lots/1/plan', { body: { items: items.map((item) => ({ ...item, y: item.y + 10 })) } });
    await page.getByRole('button', { name: 'Save the arrangement' }).click();
    await page.getByText('Somebody else has arranged this plan meanwhile.').waitFor();
    await check('plan-conflict');
    await page.getByRole('button', { name: 'Save mine all the same' }).click();
    await page.getByText('The arrangement is saved.').waitFor();
    expect(await savedPlan()).toEqual(items);
  });

  it('is arranged by touch', async () => {
    const { page, goTo } = await open({ viewport: PHONE, hasTouch: true, isMobile: true });
    await goTo('/lots/1?show=plan');
    await page.getByRole('button', { name: 'Arrange', exact: true }).tap();
    // Nothing lies upon the zone's corner then.
    await page.getByRole('button', { name: 'Arrange all anew' }).tap();
    await thing(page, /^Level 0/).evaluate('(zone) => zone.scrollIntoView({ block: "center" })');
    const before = await thing(page, /^Level 0/).boundingBox();
    const cdp = await page.context().newCDPSession(page);
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', x: number, y: number) =>
      cdp.send('Input.dispatchTouchEvent', { type, touchPoints: type === 'touchEnd' ? [] : [{ x, y }] });
    const [x, y] = [(before?.x ?? 0) + 30, (before?.y ?? 0) + 12];
    await touch('touchStart', x, y);
    for (const step of [1, 2, 3, 4]) await touch('touchMove', x + step * 8, y + step * 10);
    await touch('touchEnd', x + 32, y + 40);
    await expect
      .poll(async () => ((await thing(page, /^Level 0/).boundingBox())?.y ?? 0) > (before?.y ?? 0) + 20)
      .toBe(true);
    await page.getByRole('button', { name: 'Discard' }).tap();
  });

  it.each(LOOKS)(
    'answers whether a plate would get in, and which could be confused: %s %j %s',
    async (device, viewport, colorScheme) => {
      const { page, goTo, check } = await open({ viewport, colorScheme });
      await page.getByRole('link', { name: 'Vehicles' }).click();
      await page.getByRole('link', { name: 'Ask' }).click();
      await page.getByRole('button', { name: 'Ask', exact: true }).click();
      await page.getByText('Please fill in this field.').waitFor();
      await page.getByLabel('Plate', { exact: true }).fill('AB123CD');
      await page.getByLabel('When').fill('2026-11-29T02:00');
      await page.getByRole('button', { name: 'Ask', exact: true }).click();
      await page.getByText('No.', { exact: true }).waitFor();
      await page
        .getByText(/^AB123CD at Entry camera, Sunday.* 29 November 2026.* 02:00.*: Refused: it is no member’s/)
        .or(page.getByText(/AB123CD at Entry camera, Sunday.*02:00/))
        .first()
        .waitFor();
      await page.getByText('The zone has no tariff, so that others may not park here.').waitFor();
      const pair = page.getByRole('listitem').filter({ hasText: 'Mira' });
      await pair.getByText('ZG1234AB').waitFor();
      await pair.getByText('look alike').waitFor();
      await check(`ask-${device}-${colorScheme}`);
      const address = page.url();
      await goTo(address.slice(world.cloudUrl.length).replace('AB123CD', TEST_SITE.memberPlate));
      await page.getByText('Yes.', { exact: true }).waitFor();
      await check(`ask-yes-${device}-${colorScheme}`);
    },
  );

  it.each(LOOKS)(
    'goes through refused vehicles: lets in, says why, makes a member, passes over: %s %j %s',
    async (device, viewport, colorScheme) => {
      const n = LOOKS.findIndex(([, , scheme], at) => scheme === colorScheme && LOOKS[at]?.[0] === device);
      const plates = [`ST10${n}AA`, `ST20${n}BB`, `ST30${n}CC`, `ST40${n}DD`] as const;
      for (const plate of plates) await drive(TEST_SITE.entryCamera, plate);
      const { page, goTo, check } = await open({ viewport, colorScheme });
      await goTo('/live?show=refused');
      for (const plate of plates) await page.getByRole('button', { name: `Let in once: ${plate}` }).waitFor();
      await page.getByRole('button', { name: `Details of ${plates[3]}` }).click();
      await page.getByText('The zone has no tariff, so that others may not park here.').waitFor();
      await page.getByText('with a tariff in the zone – Let in: parks for a fee.').waitFor();
      await page.getByText(/^Decided by Entrance Pi at/).waitFor();
      await check(`queue-why-${device}-${colorScheme}`);
      await page.getByRole('button', { name: 'Begin its stay' }).click();
      const begun = page.locator('.command').filter({ hasText: 'Its stay has begun.' });
      await begun.getByText('Show the REST call').click();
      await begun.getByText(`"entry_license_plate":"${plates[3]}"`).waitFor();
      await begun.getByText('"event": "session_create"').waitFor();
      await check(`queue-begun-${device}-${colorScheme}`);
      await page.getByRole('button', { name: `Let in once: ${plates[3]}` }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: 'Delivery' }).click();
      await dialog.getByLabel('Why').fill(`Delivery ${'x'.repeat(500)}`);
      await dialog.getByRole('button', { name: 'Let in once' }).click();
      await dialog.getByText('At most 500 characters.').waitFor();
      // What was typed is there again, whatever became of the page.
      await page.reload();
      await page.getByRole('button', { name: `Let in once: ${plates[3]}` }).click();
      await expect.poll(() => dialog.getByLabel('Why').inputValue()).toContain('xxx');
      await dialog.getByLabel('Why').fill(`Delivery for shop ${n}`);
      await check(`queue-let-in-${device}-${colorScheme}`);
      await page.keyboard.press('Enter');
      await page.getByText(`${plates[3]}: Open: done.`).waitFor();
      const kept = await world.api<{ data: { details: { values?: object } }[] }>(
        '/v2/audit-log?filter=action:eq:product.state&size=1',
      );
      const [reading] = (
        await world.api<{ data: { id: number }[] }>(`/v2/plate-readings?filter=plate:eq:${plates[3]}&sort=id:asc`)
      ).body.data;
      // Whom the product was moved for stands beside the reason.
      expect(kept.body.data[0]?.details.values).toEqual({
        operation: 'open',
        reason: `Delivery for shop ${n}`,
        plate_reading_id: reading?.id,
      });
      await page.getByRole('button', { name: `Let in once: ${plates[3]}` }).waitFor({ state: 'detached' });
      // By keyboard: the next one becomes a member's, the one after is passed over.
      const row = page.getByRole('button', { name: `Details of ${plates[2]}` });
      await row.focus();
      await page.keyboard.press('m');
      await dialog.getByRole('button', { name: 'Make a member' }).click();
      await dialog.getByText('Choose a group: without one').waitFor();
      await dialog.getByText('Please fill in this field.').waitFor();
      expect(await dialog.getByLabel('Group').getAttribute('aria-invalid')).toBe('true');
      await dialog.getByText('Show the REST call').click();
      await dialog.getByText(`"license_plate":"${plates[2]}"`).waitFor();
      await check(`queue-member-${device}-${colorScheme}`);
      await dialog.getByLabel('Group').selectOption({ label: 'Residents (Level 0)' });

      await dialog.getByLabel('Name').fill(`Guest ${n}`);
      await dialog.getByRole('button', { name: 'Make a member' }).click();
      await page.getByText(`${plates[2]} is Guest ${n}’s from now on.`).waitFor();
      await page.getByRole('button', { name: `Details of ${plates[1]}` }).focus();
      await page.keyboard.press('x');
      await page.getByRole('button', { name: `Let in once: ${plates[1]}` }).waitFor({ state: 'detached' });
      await page.getByText(new RegExp(`^${plates[1]}: Ignored by .+ at `)).waitFor();
      await check(`queue-${device}-${colorScheme}`);
      await page.getByRole('button', { name: `Ignore: ${plates[0]}` }).click();
    },
  );

  it('puts stays right: ends one as it was, splits one, merges two, and finds who left without an entry', async () => {
    const { page, goTo, check } = await open();
    const [split, first, second, lost] = [
      await begin('OS 100 A', 180),
      await begin('OS 200 B', 120),
      await begin('OS 2O0 B', 60),
      await begin('OS 300 C', 90),
    ];
    await drive(TEST_SITE.exitCamera, 'RI999XX');
    await goTo('/inside');
    await page.getByRole('button', { name: 'Details of OS 100 A' }).click();
    await page.getByRole('button', { name: 'Split', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Split' }).click();
    await dialog.getByText('Choose a time between its beginning and now.').waitFor();
    await check('inside-split');
    const at = Math.floor((Date.now() - 100 * 60_000) / 60_000) * 60_000;
    await dialog.getByLabel('At', { exact: true }).fill(localTime(at));
    await dialog.getByLabel('Plate of the new stay').fill('OS 101 A');
    await dialog.getByRole('button', { name: 'Split' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Details of OS 101 A' }).waitFor();
    expect(Date.parse((await session(split)).ended_at ?? '')).toBe(at);
    await page.getByRole('button', { name: 'Details of OS 2O0 B' }).click();
    await page.getByRole('button', { name: 'Merge', exact: true }).click();
    await dialog.getByLabel('The other stay').selectOption(String(first));
    await dialog.getByLabel('The right plate').selectOption('OS 2O0 B');
    await check('inside-merge');
    await dialog.getByRole('button', { name: 'Merge' }).click();
    await dialog.waitFor({ state: 'hidden' });
    // The stay that was ended leaves the list with its dialog, perhaps before the other one has its plate.
    await expect.poll(async () => (await session(first)).entry_license_plate.plate).toBe('OS 2O0 B');
    const [kept, ended] = [await session(first), await session(second)];
    expect([kept.ended_at, ended.ended_at]).toEqual([null, ended.created_at]);
    const exit = page.getByRole('listitem').filter({ hasText: 'RI999XX' });
    await exit.getByLabel('It was').selectOption(String(lost));
    await exit.getByText('Show the REST call').click();
    await exit.getByText('"exit_license_plate":"RI999XX"').waitFor();
    await check('inside-lost-exit');
    await exit.getByRole('button', { name: 'End the stay' }).click();
    await exit.waitFor({ state: 'detached' });
    expect((await session(lost)).ended_at).not.toBeNull();
    await page.getByRole('button', { name: 'Details of OS 101 A' }).click();
    await page.getByRole('button', { name: 'End at another time' }).click();
    await dialog.getByRole('button', { name: 'End the stay' }).click();
    await page.getByRole('button', { name: 'Details of OS 101 A' }).waitFor({ state: 'detached' });
    // On the screen there is no row of the list for paper. Printed it has everybody, and after that nobody again.
    const onPaper = `document.querySelectorAll('.muster tbody tr').length`;
    const { meta } = (await world.api<{ meta: { total: number } }>('/v2/sessions?filter=status:eq:open&size=1')).body;
    expect(await page.evaluate(onPaper)).toBe(0);
    await page.evaluate(`addEventListener('beforeprint', () => { window.printed = ${onPaper}; })`);
    expect((await page.pdf()).subarray(0, 5).toString()).toBe('%PDF-');
    expect(await page.evaluate('window.printed')).toBe(meta.total);
    await expect.poll(() => page.evaluate(onPaper)).toBe(0);
    await page.emulateMedia({ media: 'print' });
    await page.getByRole('table').getByText('OS 2O0 B').waitFor();
    expect(await page.getByRole('heading', { name: 'Inside now' }).isVisible()).toBe(false);
    await check('inside-print');
  });

  it.each(LOOKS)(
    'says that the list of who is inside is not whole, also on paper: %s %j %s',
    async (device, viewport, colorScheme) => {
      await begin(`OS 70${device.length} ${colorScheme}`, 30);
      const { page, goTo, check } = await open({ viewport, colorScheme });
      const answer = await world.api<{ data: { id: number }[]; meta: object }>('/v2/sessions?filter=status:eq:open');
      const [newest] = answer.body.data;
      const asked: string[] = [];
      await page.route(
        ({ pathname, searchParams }) =>
          pathname === '/v2/sessions' && searchParams.getAll('filter').includes('status:eq:open'),
        (route) => {
          const { searchParams } = new URL(route.request().url());
          asked.push(searchParams.get('sort') ?? '');
          const filters = searchParams.getAll('filter').join(' ');
          const last = Number(/id:lt:(\d+)/.exec(filters)?.[1] ?? 100_001);
          const data = Array.from({ length: Number(searchParams.get('size')) }, (_, at) => ({
            ...newest,
            id: last - 1 - at,
          }));
          return route.fulfill({ json: { ...answer.body, data, meta: { ...answer.body.meta, total: 14_210 } } });
        },
      );
      await goTo('/inside');
      await page.getByText('This list is not whole: it has the 10000 newest of 14210 vehicles in all lots.').waitFor();
      await page.getByText('14210 vehicles are inside.').waitFor();
      expect(new Set(asked)).toEqual(new Set(['id:desc']));
      // Ten thousand are a few hundred in the page, down to the end.
      const rows = `document.querySelectorAll('.rows-table .stay, .muster tr').length`;
      await page.evaluate('scrollTo(0, document.body.scrollHeight / 2)');
      await expect
        .poll(() =>
          page.evaluate(
            `[...document.querySelectorAll('.rows-table .stay')].some((row) => { const { top } = row.getBoundingClientRect(); return top > 0 && top < innerHeight; })`,
          ),
        )
        .toBe(true);
      expect(await page.evaluate<number>(rows)).toBeLessThan(400);
      await page.evaluate('scrollTo(0, 0)');
      await check(`inside-cut-${device}-${colorScheme}`);
      if (device === 'phone') return;
      await page.emulateMedia({ media: 'print' });
      await page.getByText('NOT EVERYBODY IS ON THIS LIST.').waitFor();
      expect(await page.evaluate(`document.querySelectorAll('.muster tbody tr').length`)).toBe(10_000);
    },
  );

  it('shows the lot that was asked for last, whichever answer comes last', async () => {
    const lot = await world.call('POST', '/v2/lots', {
      body: { name: 'South', address: 'Quay 2', timezone: 'Europe/Zagreb' },
    });
    expect(lot.status).toBe(200);
    const { id } = (lot.body as { data: { id: number } }).data;
    const { page, goTo } = await open();
    let answerLate: () => void = () => undefined;
    const later = new Promise<void>((resolve) => (answerLate = resolve));
    await page.route('**/v2/lots/1/plan', async (route) => {
      const answer = await route.fetch();
      await later;
      await route.fulfill({ response: answer });
    });
    const asked = page.waitForRequest('**/v2/lots/1/plan');
    await goTo('/lots/1?show=plan');
    await asked;
    await page.getByRole('link', { name: 'Overview' }).first().click();
    await page.getByRole('link', { name: 'South', exact: true }).click();
    await page.getByRole('button', { name: 'Plan', exact: true }).click();
    const south = page.getByText('Nothing stands in this lot yet.');
    await south.waitFor();
    const late = page.waitForResponse('**/v2/lots/1/plan');
    answerLate();
    await (await late).finished();
    // Whatever the page makes of the answer it has made when it has drawn twice.
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
    expect(await south.isVisible()).toBe(true);
    expect((await world.call('DELETE', `/v2/lots/${id}`)).status).toBe(200);
  });

  it('filters who is inside, on a phone', async () => {
    const { page, goTo, check } = await open({ viewport: PHONE });
    await begin('OS 500 E', 80 * 60);
    await goTo('/inside?show=overstay');
    await page.getByRole('button', { name: 'Details of OS 500 E' }).click();
    await page.getByText('too long').first().waitFor();
    await page.getByRole('button', { name: 'Details of OS 2O0 B' }).waitFor({ state: 'detached' });
    await check('inside-phone');
  });

  it('shows today as a small plot, and how it is now, without a reload', async () => {
    const { page, check } = await open();
    await page.getByRole('img', { name: /^Today: / }).waitFor();
    const before = Number(await page.locator('.occupancy .figure').first().innerText());
    // The other zone counts by its sensors.
    await begin(`OS 60${before} F`, 1, 2);
    await expect
      .poll(async () => Number(await page.locator('.occupancy .figure').first().innerText()))
      .toBe(before + 1);
    await check('overview-plot');
  });

  it('speaks German and Croatian', async () => {
    for (const [locale, plan, ask] of [
      ['de-DE', 'Plan', 'Fragen'],
      ['hr-HR', 'Tlocrt', 'Pitaj'],
    ] as const) {
      const own = await open({ locale }, null);
      await own.page.locator('input[type=email]').fill(OWNER.email);
      await own.page.locator('input[type=password]').fill(OWNER.password);
      await own.page.keyboard.press('Enter');
      await own.page.locator('nav').first().waitFor();
      await own.goTo('/lots/1?show=plan');
      await own.page.getByRole('button', { name: plan, exact: true }).waitFor();
      await own.page.locator('.thing').first().waitFor();
      await own.check(`plan-${locale}`);
      await own.goTo('/ask?lot=1&plate=AB123CD&camera=1');
      await own.page.getByRole('heading', { level: 1, name: ask }).waitFor();
      await own.page.locator('.rules').waitFor();
      await own.check(`ask-${locale}`);
      await own.close();
    }
  });

  it('shows hostile names and plates as text, in every view', async () => {
    for (const [path, body] of [
      ['/v2/products/1', { name: ATTACK }],
      ['/v2/lots/1', { name: ATTACK, address: ATTACK }],
      ['/v2/zones/1', { name: ATTACK }],
      ['/v2/parking-places/1', { name: ATTACK }],
      ['/v2/lpr-cameras/1', { name: ATTACK }],
      ['/v2/groups/1', { name: ATTACK }],
      ['/v2/members/1', { name: ATTACK }],
      ['/v2/plate-readings/1', { make: ATTACK, model: ATTACK }],
    ] as const)
      await world.call('PATCH', path, { body, statuses: [200, 422] });
    const { page, goTo, check } = await open();
    for (const path of [
      '/lots/1?show=plan&at=product-1',
      '/lots/1?show=plan&at=lpr_camera-1',
      '/lots/1?show=plan&at=parking_place-1',
      '/lots/1',
      '/live?show=refused&reading=1',
      '/live?reading=1',
      '/inside',
      `/ask?lot=1&camera=1&plate=${encodeURIComponent(ATTACK)}&at=%3Cimg%20src%3Dx%3E`,
    ]) {
      await goTo(path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      if (path.includes('show=plan')) await page.locator('.thing').first().waitFor();
      expect(await page.locator('img[src="x"]').count(), path).toBe(0);
      await check(`plan-hostile${path.replaceAll(/\W/g, '-').slice(0, 30)}`);
    }
  });
});
