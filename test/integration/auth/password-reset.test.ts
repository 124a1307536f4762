/** A new password by mail: who gets a link, what it is good for, and what nobody learns. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ResetContent } from '../../../cloud/site/mail/mail-content.js';
import { PLAIN_FACE } from '../../../cloud/site/mail/mail-face.js';
import { createMailWriter } from '../../../cloud/site/mail/write-mail.js';
import { resetToken, resetUrl } from '../../../cloud/site/password-reset/reset-tokens.js';
import { decodeJson, type JsonText } from '../../../shared/json-text-codec.js';
import { HOUR_MS, MINUTE_MS } from '../../../shared/durations.js';
import { GUARD_TOKEN, OWNER_TOKEN, PASSWORD, seedSite, type Site } from '../http/http-site.js';
import { type CloudWorld, startCloudWorld } from '../http/http-world.js';
import { LINKS } from '../mail/mail-world.js';
import { connectRealtime } from '../realtime/listening-client.js';

const GUARD = 'guard@harbour.example';
const NEXT = 'another pass phrase';

let cloud: CloudWorld;
let site: Site;

beforeEach(async () => {
  cloud = await startCloudWorld({ trustedProxies: ['127.0.0.1'] });
  site = await seedSite(cloud.store);
});
afterEach(() => cloud.close());

const ask = (email: string, { from = '192.0.2.7', ...more }: { from?: string; language?: string } = {}) =>
  cloud.ask('POST', '/v2/auth/password-reset', { json: { email, ...more }, headers: { 'x-forwarded-for': from } });
const set = (token: string, password = NEXT) => cloud.ask('POST', '/v2/auth/password', { json: { token, password } });
const outcome = async (asked: ReturnType<typeof set>) => {
  const { status, body } = await asked;
  const [error] = body.errors ?? [];
  return error === undefined ? [status] : [status, error.field];
};
const logIn = async (password: string, email = GUARD) =>
  (await cloud.ask('POST', '/v2/auth/login', { json: { email, password } })).status;
const mails = async () => {
  const rows = await cloud.store.reader.selectFrom('mails').selectAll().orderBy('id').execute();
  return rows.map((row) => ({ ...row, content: decodeJson(row.content as JsonText<ResetContent>) }));
};
/** Asks for a link, and waits for its mail. */
const tokenOf = async (email = GUARD) => {
  const before = (await mails()).length;
  await ask(email);
  await expect.poll(async () => (await mails()).length).toBe(before + 1);
  const mail = (await mails()).at(-1);
  if (mail === undefined) throw new Error('There is no mail');
  return resetToken(cloud.secrets, mail.content);
};

describe('asking for a new password', () => {
  it('is answered the same whether or not anybody has the address, and mails who has it', async () => {
    const known = await ask(GUARD);
    const unknown = await ask('nobody@harbour.example');
    expect([known.status, known.body]).toEqual([200, { success: true, data: { success: true, is_mailed: false } }]);
    expect([unknown.status, unknown.body]).toEqual([known.status, known.body]);
    await expect
      .poll(mails)
      .toMatchObject([
        { kind: 'reset', receiver_email: GUARD, account_id: site.harbour, content: { account_name: 'Harbour' } },
      ]);
    const log = (await cloud.ask('GET', '/v2/audit-log', { token: OWNER_TOKEN })).body.data as object[];
    expect(log[0]).toMatchObject({
      action: 'auth.password_reset',
      actor_type: 'public',
      target: `account user ${site.guard}`,
      details: { address: '192.0.2.7' },
    });
  });

  it('finds the address in any case, and writes in the language of the form', async () => {
    await ask('Guard@HARBOUR.example', { language: 'de' });
    await expect.poll(mails).toHaveLength(1);
    const [mail] = await mails();
    if (mail === undefined) throw new Error('There is no mail');
    const links = { ...LINKS, reset: (link: ResetContent) => resetUrl(cloud.secrets, 'https://parking.example', link) };
    const due = {
      ...mail,
      content: JSON.stringify(mail.content) as never,
      message_id: '<1@x>',
      tries_began_at: 0,
      face: PLAIN_FACE,
    };
    const written = createMailWriter(links as never)(due);
    expect(written.subject).toBe('Ein neues Passwort für Harbour');
    expect(written.text).toContain(`https://parking.example/reset#${resetToken(cloud.secrets, mail.content)}`);
  });

  it('sends one link for each account of a person, by the name of the account', async () => {
    await cloud.store.change((tx) =>
      tx.updateTable('account_users').set({ email: GUARD }).where('account_id', '=', site.rival).execute(),
    );
    await ask(GUARD);
    await expect.poll(async () => (await mails()).length).toBe(2);
    expect((await mails()).map(({ content }) => content.account_name)).toEqual(['Harbour', 'Rival']);
    const [ours, theirs] = await mails();
    if (ours === undefined || theirs === undefined) throw new Error('There are too few mails');
    expect(await outcome(set(resetToken(cloud.secrets, theirs.content)))).toEqual([200]);
    // The one of the other account is as good as before.
    expect(await outcome(set(resetToken(cloud.secrets, ours.content), 'a third pass phrase'))).toEqual([200]);
  });

  it('mails nobody whose address is not confirmed', async () => {
    await ask('new@harbour.example');
    await tokenOf();
    expect((await mails()).map(({ receiver_email }) => receiver_email)).toEqual([GUARD]);
  });

  it('fills no mailbox, and is limited by address and email', async () => {
    const statuses = [];
    for (let time = 0; time < 6; time++) statuses.push((await ask(GUARD)).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
    expect((await ask(GUARD, { from: '192.0.2.8' })).status).toBe(200);
    // They are dealt with in the order in which they came: when there is a mail for the last one, all others are done.
    expect((await ask('owner@harbour.example')).status).toBe(200);
    const mailsTo = async (receiver: string) => (await mails()).filter((each) => each.receiver_email === receiver);
    await expect.poll(() => mailsTo('owner@harbour.example')).toHaveLength(1);
    expect(await mailsTo(GUARD)).toHaveLength(3);
    await cloud.clock.advance(MINUTE_MS);
    cloud.clock.jumpWall(HOUR_MS);
    expect((await ask(GUARD)).status).toBe(200);
    await expect.poll(() => mailsTo(GUARD)).toHaveLength(4);
  });

  it.each(['', 'nobody', 'a@b@c', 'x'.repeat(300)])('is about an address, and not %j', async (email) => {
    expect((await ask(email)).status).toBe(422);
  });

  it('is for no page of another origin', async () => {
    const headers = { origin: 'http://evil.example' };
    for (const path of ['/v2/auth/password-reset', '/v2/auth/password'])
      expect((await cloud.ask('POST', path, { json: { email: GUARD }, headers })).status).toBe(403);
  });
});

describe('a link for a new password', () => {
  it('sets it once, ends all sign-ins, and is in the audit log', async () => {
    const token = await tokenOf();
    const headers = { authorization: `Bearer ${GUARD_TOKEN}` };
    const client = await connectRealtime(cloud.base, { client: { headers } });
    expect(await outcome(set(token))).toEqual([200]);
    expect(await client.closed).toBe(4401);
    expect((await cloud.ask('GET', '/v2/lots', { token: GUARD_TOKEN })).status).toBe(401);
    expect([await logIn(PASSWORD), await logIn(NEXT)]).toEqual([403, 200]);
    const log = (await cloud.ask('GET', '/v2/audit-log', { token: OWNER_TOKEN })).body.data as object[];
    expect(log).toContainEqual(
      expect.objectContaining({
        action: 'auth.password',
        actor_type: 'user',
        actor_id: site.guard,
        target: `account user ${site.guard}`,
      }),
    );
    expect(JSON.stringify(log)).not.toContain(NEXT);
    expect(await outcome(set(token, 'a third pass phrase'))).toEqual([422, 'token']);
  });

  it('works for an hour', async () => {
    const token = await tokenOf();
    cloud.clock.jumpWall(HOUR_MS - 1);
    expect(await outcome(set(token, 'short'))).toEqual([422, 'password']);
    cloud.clock.jumpWall(1);
    expect(await outcome(set(token))).toEqual([422, 'token']);
    expect(await logIn(PASSWORD)).toBe(200);
  });

  it('is void, with the others, after another one was used, or the mail address was changed', async () => {
    const [first, second] = [await tokenOf(), await tokenOf()];
    expect(await outcome(set(second))).toEqual([200]);
    expect(await outcome(set(first, 'a third pass phrase'))).toEqual([422, 'token']);
    const third = await tokenOf();
    const path = `/v2/account-users/${site.guard}`;
    const json = { email: 'moved@harbour.example' };
    expect((await cloud.ask('PATCH', path, { token: OWNER_TOKEN, json })).status).toBe(200);
    expect(await outcome(set(third, 'a third pass phrase'))).toEqual([422, 'token']);
  });

  it('is used by one of two at the same time', async () => {
    const token = await tokenOf();
    const both = await Promise.all([set(token, 'one pass phrase'), set(token, 'other pass phrase')]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 422]);
  });

  it.each([
    ['short', 'too short'],
    ['password1234', 'too common'],
    [GUARD, 'the mail address'],
    ['Harbour2026!', 'the account with a year'],
  ])('sets no password %s: %s', async (password) => {
    expect(await outcome(set(await tokenOf(), password))).toEqual([422, 'password']);
    expect(await logIn(PASSWORD)).toBe(200);
  });

  it('cannot be made up: of somebody else, with a later end, or anyhow', async () => {
    const token = await tokenOf();
    const [user, end = '', proof = ''] = token.split('.');
    const later = String(Number(end) + 1);
    const madeUp = [
      `${site.owner}.${end}.${proof}`,
      `${user}.${later}.${proof}`,
      `${user}.${end}.${'A'.repeat(43)}`,
      `999999.${end}.${proof}`,
      'nonsense',
      '..',
    ];
    for (const each of madeUp) expect([each, await outcome(set(each))]).toEqual([each, [422, 'token']]);
    expect(await outcome(set(token))).toEqual([200]);
  });

  it('cannot be guessed for long', async () => {
    const statuses = [];
    for (let guess = 0; guess < 11; guess++) statuses.push((await set(`1.${Date.now()}.${'A'.repeat(43)}`)).status);
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 422), 429]);
  });
});
