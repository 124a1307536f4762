/**
 * The night of a guard: two gateways of one lot, each by itself and cut off from the cloud. A car that came in at one of them is refused at the
 * other, and let out at the page of that one.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../browser/chromium.js';
import { type ConsolePage, PHONE } from '../browser/console-page.js';
import { type ConsoleWorld, OWNER, startConsoleWorld } from '../browser/console-world.js';
import { TEST_SITE } from '../world/site.js';
import type { World, WorldGateway } from '../world/world.js';

const PLATE = 'ZG500NN';
const SUNLIT = { isSunlit: true };

interface Stay {
  created_at: string;
  ended_at: string | null;
  exit: { type: string } | null;
}
interface Reading {
  id: number;
  plate: string;
  access_decision: string | null;
  access_decision_reason: string | null;
  created_at: string;
  session_id: number | null;
  handled_by: string | null;
  handled_how: string | null;
}

describe.skipIf(!hasChromium())('a guard at night, with two gateways apart', () => {
  let started: ConsoleWorld;
  let world: World;
  let south: WorldGateway;
  let password: string;

  beforeAll(async () => {
    started = await startConsoleWorld({
      secondGateway: true,
      cutsNetwork: true,
      alterSite: (yaml) =>
        yaml
          .replace(/(device_id: cam-out-1,.*gateway: )Entrance Pi/, '$1Exit Pi')
          .replace(
            '        timezone: Europe/Zagreb\n',
            '        timezone: Europe/Zagreb\n        offline_exit: deny\n',
          ),
    });
    ({ world } = started);
    if (world.secondGateway === null) throw new Error('there is no second gateway');
    south = world.secondGateway;
    const gateways = await world.api<{ data: { id: number; uuid: string }[] }>('/v2/gateways');
    const id = gateways.body.data.find(({ uuid }) => uuid === TEST_SITE.secondGatewayUuid)?.id;
    const { body } = await world.call<{ data: { password: string } }>('GET', `/v2/gateways/${id}/console-password`);
    ({ password } = body.data);
  });
  afterEach(() => started.closePages());
  afterAll(() => started?.close());

  async function enter(): Promise<ConsolePage> {
    const shown = await started.open({ viewport: PHONE }, null, south.url);
    await shown.page.locator('input[type=password]').fill(password);
    await shown.page.keyboard.press('Enter');
    await shown.page.locator('nav').waitFor();
    return shown;
  }
  const gate = () => world.sim<{ state: string }>('GET', `/products/${TEST_SITE.gate}`);
  const gateBecomes = (state: string) => expect.poll(async () => (await gate()).state, { timeout: 30_000 }).toBe(state);
  /** By itself, after a while. */
  const closes = () => gateBecomes('closed');
  const stays = async (plate: string) =>
    (await world.api<{ data: Stay[] }>(`/v2/sessions?filter=plate:eq:${plate}`)).body.data;
  const reads = async (plate: string) =>
    (await world.api<{ data: Reading[] }>(`/v2/plate-readings?filter=plate:eq:${plate}&sort=id:asc`)).body.data;

  it('sees the refused car, lets it out by a click, and again, and the cloud ends its stay when it is back', async () => {
    world.faults.network.cut();
    await expect.poll(async () => (await south.status()).cloud.connected, { timeout: 60_000 }).toBe(false);
    await world.arrive(PLATE);
    await world.leave(PLATE);
    const { page, check } = await enter();
    await page.getByText(/thing needs a person|things need a person/).waitFor();
    const refused = page.getByRole('article', { name: `${PLATE} at Exit camera` });
    await refused.getByText(/^Refused: /).waitFor();
    await refused.scrollIntoViewIfNeeded();
    await check('night-refused', SUNLIT);
    expect((await gate()).state).toBe('closed');

    await refused.getByRole('button', { name: /^Let out: Exit camera/ }).click();
    await refused.getByText('No stay of it is known here: the cloud ends it once it hears of it.').waitFor();
    await refused.getByText(/^Let out by Exit Pi at /).waitFor();
    await gateBecomes('opened');
    await check('night-let-out', SUNLIT);

    // The driver missed the open gate.
    await closes();
    await refused.getByRole('button', { name: /^Open again: Exit camera/ }).click();
    await gateBecomes('opened');
    // And once more: it drives back, and the camera reads it again.
    await closes();
    await world.leave(PLATE);
    await gateBecomes('opened');
    const camera = page.getByRole('article', { name: 'Exit camera', exact: true });
    await camera.getByText(/^Let out: /).waitFor();
    await refused.getByText(/^Let out by Exit Pi at /).waitFor();

    world.faults.network.mend();
    await expect
      .poll(async () => (await stays(PLATE)).map(({ ended_at }) => ended_at === null), { timeout: 90_000 })
      .toEqual([false]);
    const [stay] = await stays(PLATE);
    // Either gateway may be the first to come back.
    const read = (await reads(PLATE)).find(({ access_decision }) => access_decision === 'denied');
    expect(read).toMatchObject({ handled_by: 'Exit Pi', handled_how: 'let_in' });
    expect(stay).toMatchObject({ ended_at: read?.created_at, exit: { type: 'lpr_camera' } });
    const console = await started.open({ viewport: PHONE }, OWNER);
    await console.goTo('/live?show=refused');
    await console.page.getByText('Nobody waits: every refused vehicle is dealt with.').waitFor();
    await console.check('night-console-refused');
    await console.goTo('/sessions?status=ended');
    await console.page.getByText(PLATE, { exact: true }).first().waitFor();
    await console.check('night-console-ended');
  });

  it('is helped by phone: who lets the car out at the cloud stands at the gateway’s page', async () => {
    const plate = 'ZG600MM';
    await closes();
    await world.leave(plate);
    await expect.poll(async () => (await reads(plate)).length, { timeout: 30_000 }).toBe(1);
    const console = await started.open({ viewport: PHONE }, OWNER);
    await console.goTo('/live?show=refused');
    await console.page.getByRole('button', { name: `Let out once: ${plate}` }).click();
    await console.check('night-phone');
    await console.page
      .getByRole('dialog')
      .getByRole('button', { name: /Let out/ })
      .click();
    await gateBecomes('opened');
    await expect.poll(async () => (await reads(plate))[0]?.handled_how, { timeout: 30_000 }).toBe('let_in');
    const { page } = await enter();
    await page
      .getByRole('article', { name: `${plate} at Exit camera` })
      .getByText(/^Let out by Olga at /)
      .waitFor();
  });

  it('opens nothing twice by itself when the gateway was killed in the middle: nobody knows whether it opened', async () => {
    const plate = 'ZG700KK';
    await closes();
    await world.leave(plate);
    // It opens, and its answer comes too late.
    await world.sim('PATCH', `/products/${TEST_SITE.gate}`, { answer_delay_ms: 4_000 });
    const { page, context } = await enter();
    const refused = page.getByRole('article', { name: `${plate} at Exit camera` });
    await refused.getByRole('button', { name: /^Let out: Exit camera/ }).click();
    await gateBecomes('opened');
    await world.faults.kill('second agent');
    await context.close();
    await world.sim('PATCH', `/products/${TEST_SITE.gate}`, { answer_delay_ms: 0 });
    await closes();
    await south.start();
    await world.settled();
    const openings = `/v2/openings?filter=cause:eq:on_site&sort=id:desc&size=1`;
    await expect
      .poll(async () => (await world.api<{ data: { outcome: string }[] }>(openings)).body.data[0]?.outcome, {
        timeout: 60_000,
      })
      .toBe('unknown');
    expect((await gate()).state).toBe('closed');
    const again = await enter();
    await again.page
      .getByRole('article', { name: `${plate} at Exit camera` })
      .getByRole('button', { name: /^Let out: Exit camera/ })
      .waitFor();
    await again.check('night-after-kill', SUNLIT);
  });
});
