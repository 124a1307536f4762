/** Sign-ins of others go on while somebody floods the sign-in, and users are not locked out by who guesses their passwords. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ownChange } from '../../../cloud/kernel/audit/audit-note.js';
import { hashToken } from '../../../cloud/kernel/secrets/secrets.js';
import { createLogin, createSignInDelay } from '../../../cloud/site/user-token/login.js';
import { madeUpAddress, madeUpMail, sendSignIns } from '../../attack/made-up-sign-ins.js';
import { sendMadeUpTokens } from '../../attack/made-up-tokens.js';
import { API_TOKEN, GUARD_TOKEN, OWNER_TOKEN, PASSWORD, seedSite } from '../http/http-site.js';
import { type CloudWorld, startCloudWorld } from '../http/http-world.js';
import { connectRealtime } from '../realtime/listening-client.js';
import { settle } from '../../world/fake-clock.js';
import { onPostgres } from '../../world/postgres-databases.js';
import { DAY_MS } from '../../../shared/durations.js';

const GUARD = 'guard@harbour.example';
const HONEST = '192.0.2.7';
const ATTACKER = '203.0.113.9';

let cloud: CloudWorld;
afterEach(() => cloud.close());

const logIn = async (email: string, from: string, password = PASSWORD) => {
  const headers = { 'x-forwarded-for': from };
  const { status } = await cloud.ask('POST', '/v2/auth/login', { json: { email, password }, headers });
  return status;
};

describe('a flood of sign-ins', () => {
  beforeEach(async () => {
    cloud = await startCloudWorld({ trustedProxies: ['127.0.0.1'] });
    await seedSite(cloud.store);
  });

  // Of several connections to a database nobody knows which answers first.
  it.skipIf(onPostgres())(
    'from one address leaves others their turns, and a known network does not wait for strangers',
    async () => {
      const order: string[] = [];
      const begun = new Set<string>();
      const ends: (() => void)[] = [];
      const { store, clock, revocations } = cloud;
      const attempt = createLogin({
        store,
        clock,
        revocations,
        hashToken,
        lifeMs: DAY_MS,
        failedSignIns: { note: () => undefined },
        delay: createSignInDelay({ failuresPerMin: 5, clock }),
        passwords: {
          async verify(password) {
            const isRight = !password.startsWith('flood');
            // An attempt makes two checks; its turn is that of the first.
            if (begun.has(password)) return isRight;
            begun.add(password);
            order.push(isRight ? password : 'flood');
            return new Promise((resolve) => ends.push(() => resolve(isRight)));
          },
        },
      });
      const logInAs = (email: string, address: string, password: string) =>
        attempt({ email, address, password, device: null, change: ownChange(store) }).then(
          () => 'in',
          (error: Error) => error.constructor.name,
        );
      expect(await logIn(GUARD, HONEST)).toBe(200);

      const flood = Array.from({ length: 300 }, (_, number) =>
        logInAs(madeUpMail(number), ATTACKER, `flood ${number}`),
      );
      // Four are checked, a hundred wait, and the rest was refused.
      // The database answers in order, so whoever asked it before has its answer; each attempt asks it three times at most.
      const quiet = async () => {
        for (let round = 0; round < 3; round++) {
          await cloud.store.reader.selectNoFrom(({ lit }) => lit(1).as('one')).execute();
          await settle();
        }
      };
      // Four are checked, a hundred wait, and the rest is refused.
      await quiet();
      expect(order).toEqual(['flood', 'flood', 'flood', 'flood']);
      const strangers = [1, 2, 3].map((number) =>
        logInAs('owner@harbour.example', `198.51.100.${number}`, `stranger ${number}`),
      );
      const known = logInAs(GUARD, HONEST, 'known');
      await quiet();
      expect(order.slice(4)).toEqual(['known']);

      while (ends.length > 0) {
        ends.shift()?.();
        await quiet();
      }
      expect(await Promise.all([...strangers, known])).toEqual(['in', 'in', 'in', 'in']);
      const answers = await Promise.all(flood);
      expect(answers.filter((answer) => answer === 'ApiError')).toHaveLength(104);
      expect(answers.filter((answer) => answer === 'QueueFullError')).toHaveLength(196);
      // Each began after one turn of the flood at most.
      expect(order.slice(5, 9)).toEqual(['flood', 'stranger 1', 'stranger 2', 'stranger 3']);
    },
  );

  it('at one mail slows down strangers, and nobody where the user signed in before', async () => {
    expect(await logIn(GUARD, HONEST)).toBe(200);
    const guesses = Array.from({ length: 40 }, (_, number) => ({
      email: GUARD,
      password: 'a guess',
      from: madeUpAddress(number),
    }));
    const counts = await sendSignIns(cloud.base, guesses);
    expect(counts).toEqual({ 403: 21, 429: 19 });
    expect(await logIn(GUARD, HONEST)).toBe(200);
    // A stranger with the right password has to wait a little, too.
    expect(await logIn(GUARD, '198.51.100.1')).toBe(429);
    await cloud.clock.advance(1_000);
    expect(await logIn(GUARD, '198.51.100.1')).toBe(200);
    // Others are not concerned, from wherever they come.
    expect(await logIn('owner@harbour.example', madeUpAddress(0))).toBe(200);
  });

  it('keeps out no neighbour at the same address who signed in from there before, though it has a hundred made-up mails', async () => {
    expect(await logIn(GUARD, HONEST)).toBe(200);
    const guesses = Array.from({ length: 120 }, (_, number) => ({
      email: madeUpMail(number),
      password: 'a guess',
      from: HONEST,
    }));
    expect(await sendSignIns(cloud.base, guesses)).toEqual({ 403: 100, 429: 20 });
    expect(await logIn('owner@harbour.example', HONEST)).toBe(429);
    expect(await logIn(GUARD, HONEST)).toBe(200);
    for (let guess = 0; guess < 5; guess++) expect(await logIn(GUARD, HONEST, 'a guess')).toBe(403);
    expect(await logIn(GUARD, HONEST)).toBe(429);
  });

  it('does not tell by its delay whether somebody has the mail', async () => {
    const guesses = Array.from({ length: 40 }, (_, number) => ({
      email: 'nobody@harbour.example',
      password: 'a guess',
      from: madeUpAddress(number),
    }));
    expect(await sendSignIns(cloud.base, guesses)).toEqual({ 403: 21, 429: 19 });
  });

  it('is known by the network of an IPv6 address, of which there are ten of a user for 90 days', async () => {
    const networks = () => cloud.store.reader.selectFrom('sign_in_networks').selectAll().orderBy('used_at').execute();
    expect(await logIn(GUARD, '2001:db8:0:1::7')).toBe(200);
    expect(await logIn(GUARD, '2001:db8:0:1:aaaa::8')).toBe(200);
    expect((await networks()).map(({ network }) => network)).toEqual(['2001:db8:0:1::/64']);
    for (let number = 0; number < 12; number++) {
      await cloud.clock.advance(1_000);
      expect(await logIn(GUARD, `192.0.2.${number}`)).toBe(200);
    }
    expect((await networks()).map(({ network }) => network)).toEqual(
      Array.from({ length: 10 }, (_, at) => `192.0.2.${at + 2}`),
    );
    cloud.clock.jumpWall(90 * DAY_MS + 1);
    const guesses = Array.from({ length: 21 }, (_, number) => ({
      email: GUARD,
      password: 'x',
      from: madeUpAddress(number),
    }));
    await sendSignIns(cloud.base, guesses);
    expect(await logIn(GUARD, '192.0.2.11')).toBe(429);
  });

  it('gains nothing by the address that its clients claim to have', async () => {
    await cloud.close();
    cloud = await startCloudWorld();
    await seedSite(cloud.store);
    const guesses = Array.from({ length: 20 }, (_, number) => ({
      email: GUARD,
      password: 'a guess',
      from: madeUpAddress(number),
    }));
    expect(await sendSignIns(cloud.base, guesses)).toEqual({ 403: 5, 429: 15 });
  });
});

describe('made-up tokens', () => {
  beforeEach(async () => {
    cloud = await startCloudWorld({ trustedProxies: ['127.0.0.1'], requestsPerMin: 600 });
    await seedSite(cloud.store);
  });

  const statusOf = async (token: string, from: string) =>
    (await cloud.ask('GET', '/v2/lots', { token, headers: { 'x-forwarded-for': from } })).status;

  it('are looked up so often in a minute for an address, and then refused unread', async () => {
    expect(await statusOf(OWNER_TOKEN, ATTACKER)).toBe(200);
    const counts = await sendMadeUpTokens(cloud.base, { count: 700, from: ATTACKER });
    expect(counts[429]).toBeGreaterThan(0);
    // Those that were on their way when the limit was reached are answered as well.
    expect(counts[401]).toBeGreaterThanOrEqual(600);
    expect(counts[401]).toBeLessThan(608);
    // Whoever has a token works on, from the same address too, even when what is remembered of tokens was forgotten.
    expect(await statusOf(OWNER_TOKEN, ATTACKER)).toBe(200);
    await cloud.store.change((tx) => tx.updateTable('account_users').set({ phone: '1' }).execute());
    expect(await statusOf(OWNER_TOKEN, ATTACKER)).toBe(200);
    expect(await statusOf(GUARD_TOKEN, HONEST)).toBe(200);
    const late = await cloud.ask('GET', '/v2/lots', { token: API_TOKEN, headers: { 'x-forwarded-for': ATTACKER } });
    expect([late.status, late.headers.get('retry-after')]).toEqual([429, '60']);
    await cloud.clock.advance(60_000);
    expect(await statusOf(API_TOKEN, ATTACKER)).toBe(200);
  });

  it('are not looked up for realtime connections either', async () => {
    await sendMadeUpTokens(cloud.base, { count: 610, from: ATTACKER });
    const upgrade = (token: string) =>
      connectRealtime(cloud.base, {
        path: `/v2/realtime?token=${token}`,
        client: { headers: { 'x-forwarded-for': ATTACKER } },
      });
    await expect(upgrade('made-up')).rejects.toThrow(/429/);
    expect(await statusOf(OWNER_TOKEN, HONEST)).toBe(200);
    const client = await upgrade(OWNER_TOKEN);
    client.close();
    // One that says its token later is asked to come again.
    const late = await connectRealtime(cloud.base, { client: { headers: { 'x-forwarded-for': ATTACKER } } });
    late.socket.send(JSON.stringify({ event: 'authorize', data: 'made-up' }));
    expect(await late.closed).toBe(1011);
    expect(cloud.log.filter(({ level }) => level === 'error')).toEqual([]);
  });
});
