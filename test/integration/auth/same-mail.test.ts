/** One mail address may be a user's in several accounts. None of them learns of the others by it, or opens a door to them. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ownChange } from '../../../cloud/kernel/audit/audit-note.js';
import { hashToken } from '../../../cloud/kernel/secrets/secrets.js';
import type { CloudStore } from '../../../cloud/kernel/store/cloud-store.js';
import { createFailedSignIns } from '../../../cloud/site/user-token/failed-sign-ins.js';
import { createLogin, createSignInDelay, type Login } from '../../../cloud/site/user-token/login.js';
import { silentLogger } from '../../../shared/logger.js';
import { quickPasswords } from '../../world/quick-passwords.js';
import { PASSWORD, seedSite, type Site } from '../http/http-site.js';
import { type CloudWorld, startCloudWorld } from '../http/http-world.js';

const MAIL = 'owner@harbour.example';
const TWIN_PASSWORD = 'quite another phrase';
const HOME = '192.0.2.7';
const RIVALS = '203.0.113.9';
const ELSEWHERE = '198.51.100.1';
const FAILURES_PER_MIN = 5;

let cloud: CloudWorld;
let site: Site;
let logIn: Login;
/** What each check was of: the hash, null for nobody's. */
let checks: (string | null)[];

beforeEach(async () => {
  cloud = await startCloudWorld();
  site = await seedSite(cloud.store);
  const { store, clock, revocations } = cloud;
  logIn = createLogin({
    store,
    clock,
    revocations,
    hashToken,
    lifeMs: 86_400_000,
    failedSignIns: createFailedSignIns({ store, clock, logger: silentLogger }),
    delay: createSignInDelay({ failuresPerMin: FAILURES_PER_MIN, clock }),
    passwords: {
      async verify(password, hash) {
        checks.push(hash);
        return quickPasswords.verify(password, hash);
      },
    },
  });
  checks = [];
});
afterEach(() => cloud.close());

/** A user of the rival account with the mail of somebody else. @returns its id */
async function addTwin(email = MAIL): Promise<number> {
  const password_hash = await quickPasswords.hash(TWIN_PASSWORD);
  const template = await cloud.store.reader
    .selectFrom('account_users')
    .selectAll()
    .where('account_id', '=', site.rival)
    .executeTakeFirstOrThrow();
  const { id: _id, ...columns } = template;
  return cloud.store.change(async (tx) => {
    const values = { ...columns, email, password_hash, email_confirmed: 1 as const };
    return (await tx.insertInto('account_users').values(values).returning('id').executeTakeFirstOrThrow()).id;
  });
}

/** @returns the account that it is a sign-in to, or the code of the refusal; and how many passwords were checked for it */
async function attempt(password: string, address: string, email = MAIL) {
  checks = [];
  const outcome = await logIn({ email, password, address, device: null, change: ownChange(cloud.store) }).then(
    ({ account_id }) => account_id,
    (error: { errors: { code: number }[] }) => `code ${error.errors[0]?.code}`,
  );
  return { outcome, checked: checks.length };
}

/** The accounts that know of failed sign-ins, with the addresses, once all of them are written. */
async function failuresKnown(store: CloudStore, count: number) {
  const rows = () =>
    store.reader.selectFrom('audit_log').selectAll().where('action', '=', 'auth.login_failed').orderBy('id').execute();
  await expect.poll(rows).toHaveLength(count);
  const known = await rows();
  return known.map(({ account_id, details }) => [account_id, (JSON.parse(details) as { address: string }).address]);
}

describe('the owner of a twin', () => {
  const LONELY = 'lonely@nowhere.example';

  it.each([
    ['a wrong password from anywhere', 'neither of them', ELSEWHERE],
    ['the right one from anywhere', TWIN_PASSWORD, ELSEWHERE],
    ['a wrong password from where the twin signs in', 'neither of them', RIVALS],
    ['the right one from where the twin signs in', TWIN_PASSWORD, RIVALS],
  ])('learns from no number of checks whether another account has the mail: %s', async (_what, password, address) => {
    await addTwin();
    await addTwin(LONELY);
    for (const email of [MAIL, LONELY]) await attempt(TWIN_PASSWORD, RIVALS, email);
    const existing = await attempt(password, address);
    expect(await attempt(password, address, LONELY)).toEqual(existing);
    expect(existing.outcome).toBe(password === TWIN_PASSWORD ? site.rival : 'code 8');
  });

  it('learns as little when the twin is the older one', async () => {
    await addTwin('new@nowhere.example');
    const alone = await attempt(TWIN_PASSWORD, ELSEWHERE, 'new@nowhere.example');
    await cloud.store.change(async (tx) => {
      const victims = tx.selectFrom('account_users').selectAll().where('email', '=', MAIL);
      const { id: _id, ...columns } = await victims.executeTakeFirstOrThrow();
      await tx
        .insertInto('account_users')
        .values({ ...columns, email: 'new@nowhere.example' })
        .execute();
    });
    expect(await attempt(TWIN_PASSWORD, '198.51.100.2', 'new@nowhere.example')).toEqual(alone);
  });

  it('does not guess beside the growing delay of the others from where only the twin signed in', async () => {
    await addTwin();
    expect(await attempt(TWIN_PASSWORD, RIVALS)).toMatchObject({ outcome: site.rival });
    for (let guess = 0; guess < 4 * FAILURES_PER_MIN + 1; guess++) await attempt(`guess ${guess}`, RIVALS);
    // The next guess is not compared with the password of the other account, though it is right.
    expect(await attempt(PASSWORD, RIVALS)).toEqual({ outcome: 'code 8', checked: 1 });
    // The own one is, without a delay.
    expect(await attempt(TWIN_PASSWORD, RIVALS)).toEqual({ outcome: site.rival, checked: 1 });
    await cloud.clock.advance(1_000);
    expect(await attempt(PASSWORD, RIVALS)).toMatchObject({ outcome: site.harbour });
  });

  it('does not hear of what the other user mistypes', async () => {
    await addTwin();
    expect(await attempt(PASSWORD, HOME)).toMatchObject({ outcome: site.harbour });
    expect(await attempt('a typo', HOME)).toMatchObject({ outcome: 'code 8' });
    expect(await attempt('a guess', ELSEWHERE)).toMatchObject({ outcome: 'code 8' });
    const known = await failuresKnown(cloud.store, 3);
    expect(known.toSorted((one, other) => Number(one[0]) - Number(other[0]))).toEqual([
      [site.harbour, HOME],
      [site.harbour, ELSEWHERE],
      [site.rival, ELSEWHERE],
    ]);
  });
});

describe('a user who is known where the sign-in comes from', () => {
  it('costs one check, whoever else has the mail', async () => {
    await addTwin();
    expect(await attempt(PASSWORD, HOME)).toEqual({ outcome: site.harbour, checked: 2 });
    expect(await attempt(PASSWORD, HOME)).toEqual({ outcome: site.harbour, checked: 1 });
  });

  it('comes before an older one with the same password', async () => {
    await addTwin();
    const password_hash = await quickPasswords.hash(PASSWORD);
    expect(await attempt(TWIN_PASSWORD, HOME)).toMatchObject({ outcome: site.rival });
    const rivals = (password: string) =>
      cloud.store.change((tx) =>
        tx
          .updateTable('account_users')
          .set({ password_hash: password })
          .where('account_id', '=', site.rival)
          .execute()
          .then(() => {}),
      );
    await rivals(password_hash);
    expect(await attempt(PASSWORD, HOME)).toMatchObject({ outcome: site.rival });
    expect(await attempt(PASSWORD, ELSEWHERE)).toMatchObject({ outcome: site.harbour });
  });

  it('signs in to the other account of the same mail, too, as a stranger', async () => {
    await addTwin();
    await attempt(PASSWORD, HOME);
    expect(await attempt(TWIN_PASSWORD, HOME)).toEqual({ outcome: site.rival, checked: 3 });
    expect(await attempt(TWIN_PASSWORD, HOME)).toMatchObject({ outcome: site.rival });
  });

  it('is told that the password is wrong, and not to wait, while strangers have to', async () => {
    await attempt(PASSWORD, HOME);
    for (let guess = 0; guess < 4 * FAILURES_PER_MIN + 1; guess++) await attempt('a guess', `198.18.0.${guess}`);
    expect(await attempt(PASSWORD, ELSEWHERE)).toEqual({ outcome: 'code 429', checked: 0 });
    expect(await attempt('a typo', HOME)).toEqual({ outcome: 'code 8', checked: 1 });
    expect(await attempt(PASSWORD, HOME)).toMatchObject({ outcome: site.harbour });
  });
});
