/**
 * A guest's whole story with the real programs: a key by mail from a mail server of others to a browser of others, one movement, and its end at
 * the product itself; and a key for a plate, which cameras admit with and without the cloud.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Browser } from 'playwright-core';
import type { Credential } from '../../shared/gateway-config.js';
import { hasChromium, launchChromium } from '../browser/chromium.js';
import { type MailServer, startMailServer } from '../world/mail-server.js';
import { createPhone, type Phone } from '../world/phone.js';
import { TEST_SITE } from '../world/site.js';
import { tlsFixture, tlsText } from '../world/tls-fixtures.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';
import { createWorld, type World } from '../world/world.js';
import { HOUR_MS } from '../../shared/durations.js';

const BARRIER_ID = 1;
/** The REST contract: gateways that are connected know a change after so long. */
const KNOWN_WITHIN_MS = 5_000;
const LOGIN = { user: 'parking@harbour', password: 'p@ss:w/rd' };
const REFUSED = { kind: 'answered', block: { result: { kind: 'error', type: 1 } } };

interface Key {
  id: number;
  status: string;
  operation_token_id: number;
  operation_token: Record<'token_open' | 'token_close' | 'token_status', Credential> & { used_count: number };
  invitation: { status: string } | null;
}

let world: World;
let mails: MailServer;
beforeAll(async () => {
  mails = await startMailServer({ key: tlsText('server.key'), cert: tlsText('server.pem'), login: LOGIN });
  const login = `${encodeURIComponent(LOGIN.user)}:${encodeURIComponent(LOGIN.password)}`;
  world = await createWorld({
    cloudEnv: {
      SMTP_URL: `smtp://${login}@127.0.0.1:${mails.port}`,
      SMTP_CA: tlsFixture('authority.pem'),
      MAIL_FROM: 'Harbour Parking <parking@harbour.example>',
    },
    barrierAutocloseS: 1,
    // Whoever has no key, and is no member, stays outside.
    alterSite: (yaml) => yaml.replace('            tariffs: [Public]\n', ''),
  });
});
afterAll(async () => {
  await world?.close();
  await mails?.close();
});

async function call<T>(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object): Promise<T> {
  const { status, body: answer } = await world.call<{ data: T }>(method, path, { body });
  expect([path, status, (answer as { errors?: unknown }).errors]).toEqual([path, 200, undefined]);
  return answer.data;
}
const barrier = () => world.sim<{ state: string; moves: number }>('GET', `/products/${TEST_SITE.barrier}`);
/** The barrier after it closed by itself. */
const closedBarrier = () =>
  waitUntil('the barrier to have closed', async () => {
    const now = await barrier();
    return now.state === 'closed' ? now : null;
  });
const give = (receiver_identifier: string, receiver_identifier_type: string) =>
  call<Key>('POST', '/v2/key-logs', {
    product_id: BARRIER_ID,
    name: receiver_identifier,
    receiver_identifier,
    receiver_identifier_type,
    start_time: new Date(Date.now() - 60_000).toISOString(),
    end_time: new Date(Date.now() + HOUR_MS).toISOString(),
  });

describe.skipIf(!hasChromium())('a guest with a mail', () => {
  let browser: Browser;
  let phone: Phone;
  beforeAll(async () => {
    browser = await launchChromium();
    phone = createPhone(world);
  });
  afterAll(async () => {
    await phone?.close();
    await browser?.close();
  });

  it('opens once by the link, until the key is blocked: for the page, and for the barrier itself', async () => {
    const key = await give('ana@guest.example', 'email');
    const credentials = key.operation_token;
    const mail = await waitUntil('the mail', () => mails.received[0]);
    expect(mail).toMatchObject({ to: ['ana@guest.example'], isTls: true, user: LOGIN.user });
    expect(mail.parsed.from?.text).toBe('"Harbour Parking" <parking@harbour.example>');
    expect(mail.parsed.subject).toBe('Your key to Entry barrier (Harbour Parking)');
    const [link = ''] = /http:\S+/.exec(mail.parsed.text ?? '') ?? [];
    expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/weblinks\/[\w-]{12,}#[\w-]{43}$/);
    expect(mail.parsed.html).toContain(`href="${link}"`);

    const { moves } = await barrier();
    const page = await (await browser.newContext({ locale: 'hr-HR', viewport: { width: 390, height: 844 } })).newPage();
    await page.goto(link);
    await page.locator('#name', { hasText: 'Entry barrier' }).waitFor();
    // Whoever looks at the page moves nothing.
    expect((await barrier()).moves).toBe(moves);
    await page.getByRole('button', { name: 'Otvori', exact: true }).click();
    await page.locator('#what', { hasText: 'Gotovo: otvoreno je.' }).waitFor({ timeout: 30_000 });
    expect((await barrier()).moves).toBeGreaterThan(moves);
    await closedBarrier();
    await world.settled();
    // Up and down again, by itself: one opening.
    expect((await barrier()).moves).toBe(moves + 2);
    expect(await call<Key>('GET', `/v2/key-logs/${key.id}`)).toMatchObject({
      invitation: { status: 'sent', last_error: null },
      operation_token: { used_count: 1 },
    });

    // The phone of the story has the credentials themselves, and needs no service.
    expect(await phone.operate(TEST_SITE.barrier, 'status', credentials.token_status)).toMatchObject({
      block: { result: { kind: 'ok' } },
    });
    await call('PATCH', `/v2/key-logs/${key.id}`, { status: 'blocked' });
    await page.reload();
    await page.locator('#what', { hasText: 'Ova poveznica ne radi ili više ne radi.' }).waitFor();
    expect(await page.getByRole('button').count()).toBe(0);
    const { pathname, hash } = new URL(link);
    const pressed = await fetch(`${world.cloudUrl}/v2${pathname}/operation`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token: hash.slice(1), operation: 'open' }),
    });
    expect(pressed.status).toBe(404);

    await waitUntil('a gateway to have told the barrier', async () => {
      const { state } = await call<{ state: string }>('GET', `/v2/operation-tokens/${key.operation_token_id}/delivery`);
      return state === 'delivered';
    });
    await world.stopAgent();
    await world.stopCloud();
    for (const [name, credential] of [
      ['open', credentials.token_open],
      ['close', credentials.token_close],
      ['status', credentials.token_status],
    ] as const)
      expect(await phone.operate(TEST_SITE.barrier, name, credential)).toMatchObject(REFUSED);
    expect((await barrier()).moves).toBe(moves + 2);
    await world.startCloud();
    await world.startAgent();
    await world.settled();

    // The page was read in Croatian, and so is the next mail.
    await call('PATCH', `/v2/key-logs/${key.id}`, { status: 'reactived' });
    await call('POST', '/v2/key-logs/resend', { ids: [key.id] });
    const second = await waitUntil('the second mail', () => mails.received[1]);
    expect(second.parsed.subject).toBe('Vaš ključ: Entry barrier (Harbour Parking)');
    expect(second.parsed.text).toContain(link);
  }, 180_000);
});

describe('a guest with a plate', () => {
  const read = (plate: string) =>
    world.sim<{ status: number }>('POST', `/cameras/${TEST_SITE.entryCamera}/read`, { plate });
  const decisionOn = (plate: string) =>
    waitUntil(`the decision on ${plate}`, async () => {
      const [reading] = await call<{ access_decision: string | null; access_decision_reason: string }[]>(
        'GET',
        `/v2/plate-readings?filter=plate:eq:${plate}`,
      );
      return reading?.access_decision ? `${reading.access_decision} ${reading.access_decision_reason}` : null;
    });
  const platesOf = (name: string, count: number) => Array.from({ length: count }, (_, at) => `ST${name}${100 + at}`);
  /** Reads plates, each once, until the gateway knows of the change. @returns milliseconds since `changedAt` */
  async function knownAfter(plates: readonly string[], decision: string, changedAt: number): Promise<number> {
    for (const plate of plates) {
      expect(await read(plate)).toEqual({ status: 200 });
      const readAt = performance.now();
      if ((await decisionOn(plate)) === decision) return readAt - changedAt;
    }
    throw new Error(`no plate was ${decision}`);
  }

  it('is admitted within 5 s of the change, and without the cloud; blocked or deleted keys are refused alike', async () => {
    await world.settled();
    expect(await read('STNOKEY1')).toEqual({ status: 200 });
    expect(await decisionOn('STNOKEY1')).toBe('denied no_tariff');

    const offline = [await give('STOFF1', 'license_plate'), await give('STOFF2', 'license_plate')];
    const removed = await give('STGONE1', 'license_plate');
    const online: Key[] = [];
    const plates = platesOf('ON', 20);
    for (const plate of plates) online.push(await give(plate, 'license_plate'));
    const admittedAfter = await knownAfter(plates.toReversed(), 'triggered whitelist', performance.now());
    expect(admittedAfter).toBeLessThan(KNOWN_WITHIN_MS);

    await closedBarrier();
    await world.stopCloud();
    await waitUntil('the gateway to notice', async () => !(await world.agentStatus()).cloud.connected);
    const { moves } = await closedBarrier();
    expect(await read('STOFF1')).toEqual({ status: 200 });
    await waitUntil('the barrier to open without the cloud', async () => (await barrier()).moves > moves);
    await closedBarrier();
    await world.startCloud();
    await world.settled();
    expect(await decisionOn('STOFF1')).toBe('triggered whitelist');

    const blocked = [...online.slice(0, 8), ...offline].map(({ id }) => id);
    await call('PATCH', '/v2/key-logs', { ids: blocked, status: 'blocked' });
    await call('DELETE', `/v2/key-logs/${removed.id}`);
    const refusedAfter = await knownAfter(plates.slice(0, 8), 'denied no_tariff', performance.now());
    expect(refusedAfter).toBeLessThan(KNOWN_WITHIN_MS);
    process.stdout.write(
      `\na plate's key is known after ${Math.round(admittedAfter)} ms, its blocking after ${Math.round(refusedAfter)} ms\n`,
    );
    const before = await closedBarrier();
    await world.stopCloud();
    await waitUntil('the gateway to notice', async () => !(await world.agentStatus()).cloud.connected);
    expect([await read('STOFF2'), await read('STGONE1')]).toEqual([{ status: 200 }, { status: 200 }]);
    await world.startCloud();
    await world.settled();
    expect([await decisionOn('STOFF2'), await decisionOn('STGONE1')]).toEqual(['denied no_tariff', 'denied no_tariff']);
    expect((await barrier()).moves).toBe(before.moves);
  }, 180_000);
});
