/** Keys that are given over REST and mailed by a real mail server, which does what mail servers do: what their key logs say then. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { MailDispatcher } from '../../../cloud/site/mail/mail-dispatcher.js';
import { dropMail } from '../../../cloud/site/mail/mail-queries.js';
import { type KeyLog, type KeyWorld, startKeyWorld } from '../key/key-site.js';
import { forever, type MailServer, Refusal, startMailServer } from '../../world/mail-server.js';
import { runs } from '../../depth.js';
import { waitUntil } from '../../../scripts/sim/wait-until.js';
import { dispatchTo, isTrying, stopped } from './smtp-dispatch.js';
import { MINUTE_MS } from '../../../shared/durations.js';

let world: KeyWorld;
let server: MailServer;
let dispatcher: MailDispatcher;
beforeEach(async () => {
  world = await startKeyWorld();
  server = await startMailServer();
  dispatcher = dispatchTo(server.port, world.cloud);
});
afterEach(async () => {
  await stopped(dispatcher, world.cloud);
  await server.close();
  await world.cloud.close();
});

/** Lets time pass until it is so. */
const passing = (what: string, stepMs: number, condition: () => Promise<boolean> | boolean) =>
  waitUntil(what, async () => {
    await world.cloud.clock.advance((await isTrying(world.cloud)) ? 0 : stepMs);
    return condition();
  });

const give = (receiver_identifier: string) =>
  world.post<KeyLog>('/v2/key-logs', {
    product_id: world.barrier,
    name: receiver_identifier,
    receiver_identifier,
    receiver_identifier_type: 'email',
    start_time: world.iso(0),
  });
const invitation = async ({ id }: { id: number }) =>
  (await world.get<{ invitation: Record<string, unknown> }>(`/v2/key-logs/${id}`)).invitation;
const isInvitation = (key: { id: number }, status: string) => async () => (await invitation(key)).status === status;

describe('the mail of a key', () => {
  it('is sent, and its key log says when', async () => {
    const key = await give('ana@guest.example');
    await passing('the mail', 0, isInvitation(key, 'sent'));
    expect(await invitation(key)).toEqual({ status: 'sent', last_error: null, sent_at: world.iso(0) });
    expect(server.received.map(({ to, parsed }) => [to, parsed.subject])).toEqual([
      [['ana@guest.example'], 'Your key to Product a4c138000001 (Harbour)'],
    ]);
  });

  it('is tried no more when it is refused for good, and its key log says why', async () => {
    server.onReceiver = () => Promise.reject(new Refusal(550, '5.1.1 No such user here'));
    const key = await give('nobody@guest.example');
    await passing('the refusal', 0, isInvitation(key, 'failed'));
    const reason = 'The mail server answered: 550 5.1.1 No such user here';
    expect(await invitation(key)).toEqual({ status: 'failed', last_error: reason, sent_at: null });
    expect(await world.get<object[]>('/v2/mails')).toMatchObject([
      { status: 'failed', last_error: reason, attempts: 1 },
    ]);
    const { connections } = server;
    for (let hour = 0; hour < runs(50, 1, 5); hour++) await world.cloud.clock.advance(60 * MINUTE_MS);
    expect(server.connections).toBe(connections);
    // The key itself is as good as before; it can be sent again.
    expect(await world.get(`/v2/key-logs/${key.id}`)).toMatchObject({ status: 'active' });
    server.onReceiver = () => {};
    await world.post('/v2/key-invitations/resend', { ids: [key.id] });
    await passing('the second mail', 0, isInvitation(key, 'sent'));
    expect(server.received).toHaveLength(1);
  });

  it('is accepted a few minutes later when it is greylisted', async () => {
    const firstAt = world.cloud.clock.now();
    server.onReceiver = () => {
      if (world.cloud.clock.now() - firstAt < 5 * MINUTE_MS)
        throw new Refusal(451, '4.7.1 Greylisted, come back later');
    };
    const key = await give('grey@guest.example');
    await passing('the first answer', 0, async () => (await invitation(key)).last_error !== null);
    expect(await invitation(key)).toEqual({
      status: 'queued',
      last_error: 'The mail server answered: 451 4.7.1 Greylisted, come back later',
      sent_at: null,
    });
    await passing('the mail', 10_000, isInvitation(key, 'sent'));
    expect(await invitation(key)).toMatchObject({ last_error: null });
    expect(world.cloud.clock.now() - firstAt).toBeLessThan(15 * MINUTE_MS);
    expect(server.received).toHaveLength(1);
  });

  it('is repeated with the same Message-ID when the connection drops after the message', async () => {
    const seen: string[] = [];
    server.onMessage = async ({ parsed }) => {
      seen.push(parsed.messageId ?? '');
      if (seen.length > 1) return;
      server.cut();
      await forever();
    };
    const key = await give('cut@guest.example');
    await passing('the repeat', 10_000, isInvitation(key, 'sent'));
    expect(seen).toHaveLength(2);
    expect(new Set(seen).size).toBe(1);
    expect(seen[0]).toMatch(/^<key-mail-\d+@harbour\.example>$/);
  });

  it('to one of several receivers may be refused, and the others have theirs', async () => {
    server.onReceiver = (address) => {
      if (address.startsWith('bob')) throw new Refusal(553, 'Mailbox name not allowed');
    };
    const receiver_emails = ['ana', 'bob', 'cleo'].map((name) => `${name}@guest.example`);
    const products = [String(world.barrier)];
    await world.post('/v2/operation-keys', { start_time: world.iso(0), products, receiver_emails });
    const logs = async () =>
      (await world.get<{ name: string; invitation: { status: string } }[]>('/v2/key-logs?sort=id:asc')).map(
        ({ name, invitation: { status } }) => `${name.split('@')[0]} ${status}`,
      );
    await passing('all three', 0, async () => (await logs()).every((each) => !each.endsWith('queued')));
    expect(await logs()).toEqual(['ana sent', 'bob failed', 'cleo sent']);
    expect(server.received.map(({ to }) => to.join()).toSorted()).toEqual(['ana@guest.example', 'cleo@guest.example']);
  });

  it('waits while the mail server is down, and no request waits for it', async () => {
    const { port } = server;
    await server.close();
    const keys = [await give('one@guest.example'), await give('two@guest.example')];
    await passing('an attempt', 0, async () => (await invitation(keys[0] as KeyLog)).last_error !== null);
    expect(await invitation(keys[0] as KeyLog)).toMatchObject({
      status: 'queued',
      last_error: 'No connection to the mail server (ECONNREFUSED)',
    });
    server = await startMailServer({ port });
    for (const key of keys) await passing('the mail', 30_000, isInvitation(key, 'sent'));
    expect(server.received).toHaveLength(2);
  });

  it('waits for a slow mail server, and no request does', async () => {
    let go: () => void = () => {};
    const slow = new Promise<void>((resolve) => (go = resolve));
    server.onMessage = () => slow;
    const first = await give('slow@guest.example');
    await waitUntil('the server to have it', () => server.connections === 1);
    // It is answered with the mail on its way, or waiting behind it.
    const others = [];
    for (let each = 0; each < 10; each++) others.push(await give(`behind${each}@guest.example`));
    expect(await invitation(first)).toMatchObject({ status: 'queued', last_error: null });
    go();
    for (const key of [first, ...others]) await passing('the mail', 0, isInvitation(key, 'sent'));
    expect(new Set(server.received.flatMap(({ to }) => to)).size).toBe(11);
    expect(server.received).toHaveLength(11);
  });

  it('is not sent when its key was blocked or deleted meanwhile, and is when it is sent again', async () => {
    server.onReceiver = () => Promise.reject(new Refusal(450, 'Later'));
    const [blocked, deleted] = [await give('blocked@guest.example'), await give('deleted@guest.example')];
    for (const key of [blocked, deleted])
      await passing('an attempt', 0, async () => (await invitation(key)).last_error !== null);
    await waitUntil('the end of both', async () => !(await isTrying(world.cloud)));
    await world.patch(`/v2/key-logs/${blocked.id}`, { status: 'blocked' });
    await world.remove(`/v2/key-logs/${deleted.id}`);
    const last_error = 'Its key was blocked or ended before it was sent';
    const mails = await world.get<{ id: number }[]>('/v2/mails');
    expect(mails).toMatchObject([
      { status: 'failed', last_error, next_attempt_at: null },
      { status: 'failed', last_error, next_attempt_at: null },
    ]);
    expect(await invitation(blocked)).toEqual({ status: 'failed', last_error, sent_at: null });
    server.onReceiver = () => {};
    for (const { id } of mails)
      expect(await world.refused('POST', `/v2/mails/${id}/retry`)).toEqual([422, '23 status']);
    await world.cloud.clock.advance(60 * MINUTE_MS);
    expect(server.received).toEqual([]);
    await world.patch(`/v2/key-logs/${blocked.id}`, { status: 'reactived' });
    await world.post('/v2/key-logs/resend', { ids: [blocked.id] });
    await passing('the mail', 0, isInvitation(blocked, 'sent'));
    expect(server.received.map(({ to }) => to)).toEqual([['blocked@guest.example']]);
  });

  it('goes without a key that was blocked meanwhile when it has several', async () => {
    server.onReceiver = () => Promise.reject(new Refusal(450, 'Later'));
    const product = { device_id: 'a4c138000003', zone_id: world.site.zone, name: 'Garage', product_type_id: 1 };
    const { id: garage } = await world.post<{ id: number }>('/v2/products', product);
    const products = [String(world.barrier), String(garage)];
    await world.post('/v2/operation-keys', {
      start_time: world.iso(0),
      products,
      receiver_emails: ['x@guest.example'],
    });
    const [log] = await world.get<KeyLog[]>(`/v2/key-logs?filter=product_id:eq:${world.barrier}`);
    await passing('an attempt', 0, async () => (await invitation(log as KeyLog)).last_error !== null);
    await waitUntil('its end', async () => !(await isTrying(world.cloud)));
    await world.patch(`/v2/key-logs/${log?.id}`, { status: 'blocked' });
    server.onReceiver = () => {};
    await passing('the mail', 10_000, isInvitation(log as KeyLog, 'sent'));
    const [mail] = server.received;
    expect(mail?.parsed.text).toContain('Garage');
    expect(mail?.parsed.text).not.toContain('Product a4c138000001');
  });

  it('is shown as sent when it was accepted while its key was being blocked', async () => {
    let go: () => void = () => {};
    const slow = new Promise<void>((resolve) => (go = resolve));
    server.onMessage = () => slow;
    const key = await give('slow@guest.example');
    await waitUntil('the attempt', () => isTrying(world.cloud));
    await world.patch(`/v2/key-logs/${key.id}`, { status: 'blocked' });
    expect(await invitation(key)).toMatchObject({ status: 'failed' });
    go();
    await passing('its outcome', 0, isInvitation(key, 'sent'));
    expect(await invitation(key)).toMatchObject({ last_error: null });
  });

  it('is not sent when an operator has dropped it, which its key log says', async () => {
    server.onReceiver = () => Promise.reject(new Refusal(450, 'Later'));
    const key = await give('dropped@guest.example');
    await passing('an attempt', 0, async () => (await invitation(key)).last_error !== null);
    await waitUntil('its end', async () => !(await isTrying(world.cloud)));
    const [mail] = await world.get<{ id: number }[]>('/v2/mails');
    await world.cloud.store.change((tx) => dropMail(tx, mail?.id ?? 0, world.cloud.clock.now()));
    const last_error = 'An operator of the service dropped it';
    expect(await invitation(key)).toEqual({ status: 'failed', last_error, sent_at: null });
    const { connections } = server;
    await world.cloud.clock.advance(60 * MINUTE_MS);
    expect(server.connections).toBe(connections);
  });
});
