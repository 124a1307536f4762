import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MAIL_LIMITS, type MailLimits } from '../../../cloud/site/mail/mail-dispatcher.js';
import { mailStates, queueMails } from '../../../cloud/site/mail/mail-queue-queries.js';
import { dropMail, retryMail } from '../../../cloud/site/mail/mail-queries.js';
import type { MailSender, OutgoingMail, SendingAnswer } from '../../../cloud/site/mail/mail-sender.js';
import { accountRow } from '../../conformance/account-row.js';
import { waitUntil } from '../../../scripts/sim/wait-until.js';
import { KEY_CONTENT, type MailWorld, startMailWorld } from './mail-world.js';
import { DAY_MS, HOUR_MS } from '../../../shared/durations.js';

const BUSY: SendingAnswer = {
  end: 'refused',
  isFinal: false,
  reason: 'The mail server answered: 451 Come back later',
  words: null,
};
const DOWN: SendingAnswer = { end: 'unreached', reason: 'No connection to the mail server (ECONNREFUSED)' };

let world: MailWorld;
/** What was handed over, in its order. */
let sent: OutgoingMail[];
beforeEach(async () => {
  world = await startMailWorld();
  sent = [];
});
afterEach(() => world.close());

/** Answers each mail. */
const answering = (answer: (mail: OutgoingMail) => SendingAnswer | Promise<SendingAnswer>): MailSender => ({
  async send(mail) {
    sent.push(mail);
    return answer(mail);
  },
});
const ACCEPTED: SendingAnswer = { end: 'accepted' };
/** Never answers, until it is broken off. */
const hanging: MailSender = {
  send: (mail, signal) =>
    new Promise((resolve) => {
      sent.push(mail);
      signal.addEventListener('abort', () => resolve(DOWN));
    }),
};
/** Of a process that hangs, and makes no further attempts. */
const ONE_PLACE = { limits: { ...MAIL_LIMITS, together: 1 } };
const accepting = answering(() => ACCEPTED);
/** The fake clock does not know how long a database needs: no lease ends while an attempt is still being stored. */
const PATIENT: MailLimits = { ...MAIL_LIMITS, leaseMs: 24 * 3_600_000 };

/** Lets time pass until it is so. */
const passing = (what: string, stepMs: number, condition: () => Promise<boolean> | boolean): Promise<boolean> =>
  waitUntil(what, async () => {
    await world.advance(stepMs);
    return condition();
  });
/** The fake clock does not know how long a database needs: what has begun is over before more time passes than a lease lasts. */
const nothingUnderWay = () =>
  waitUntil('no attempt to be under way', async () => {
    const leased = world.store.reader.selectFrom('mails').select('id').where('lease_ends_at', 'is not', null);
    return (await leased.execute()).length === 0;
  });
const isStatus = (id: number, status: string) => async () => (await world.mail(id)).status === status;

describe('the queue of mails', () => {
  it('sends a mail after the commit that queued it', async () => {
    world.dispatch(accepting);
    const id = await world.queue('ana@example.com');
    await passing('it to be sent', 0, isStatus(id, 'sent'));
    expect(sent.map(({ to }) => to)).toEqual(['ana@example.com']);
    const states = await mailStates(world.store.reader, [id, 999]);
    expect([...states]).toEqual([[id, { status: 'sent', attempts: 1, last_error: null, sent_at: world.clock.now() }]]);
  });

  it('queues nothing when the transaction is rolled back', async () => {
    world.dispatch(accepting);
    const work = world.store.change(async (tx) => {
      const mail = { kind: 'key', to: 'a@example.com', locale: null, content: KEY_CONTENT, lot_id: null } as const;
      await queueMails(tx, [{ ...mail, account_id: world.account_id }], world.clock.now());
      throw new Error('no');
    });
    await expect(work).rejects.toThrow('no');
    await world.advance(1_000);
    expect(sent).toEqual([]);
  });

  it('is sent by one of several processes', async () => {
    for (let process = 0; process < 3; process++) world.dispatch(accepting);
    const ids: number[] = [];
    for (let each = 0; each < 20; each++) ids.push(await world.queue(`guest-${each}@example.com`));
    await passing('all to be sent', 0, async () =>
      [...(await mailStates(world.store.reader, ids)).values()].every(({ status }) => status === 'sent'),
    );
    expect(new Set(sent.map(({ to }) => to)).size).toBe(20);
    expect(sent).toHaveLength(20);
  });

  it('sends a mail again, with the same Message-ID, whose process died during the attempt', async () => {
    world.dispatch(hanging, ONE_PLACE);
    const id = await world.queue('ana@example.com');
    await waitUntil('the attempt to begin', () => sent.length === 1);
    world.dispatch(accepting);
    await world.advance(MAIL_LIMITS.leaseMs - 1);
    expect(sent).toHaveLength(1);
    await passing('the lease to end', 1, isStatus(id, 'sent'));
    expect(sent[1]?.message_id).toBe(sent[0]?.message_id);
    expect(await world.mail(id)).toMatchObject({ attempts: 2 });
  });

  it('is not kept waiting by the only process of a database, whose predecessor died', async () => {
    world.dispatch(hanging, ONE_PLACE);
    const id = await world.queue('ana@example.com');
    await waitUntil('the attempt to begin', () => sent.length === 1);
    world.dispatch(accepting, { isAlone: true });
    await passing('it to be sent', 0, isStatus(id, 'sent'));
    expect(sent[1]?.message_id).toBe(sent[0]?.message_id);
  });

  it('is of no use to who comes back after its lease', async () => {
    let answer: (answer: SendingAnswer) => void = () => {};
    world.dispatch(
      answering(() => new Promise((resolve) => (answer = resolve))),
      ONE_PLACE,
    );
    const id = await world.queue('ana@example.com');
    await waitUntil('the attempt to begin', () => sent.length === 1);
    world.dispatch(accepting);
    await passing('the other process to send it', MAIL_LIMITS.leaseMs, isStatus(id, 'sent'));
    answer(BUSY);
    await world.advance(1_000);
    expect(await world.mail(id)).toMatchObject({ status: 'sent', last_error: null });
  });

  it('tries ever less often for two days, then gives up with the last reason', async () => {
    const times: number[] = [];
    world.dispatch(answering(() => (times.push(world.clock.now()), BUSY)));
    const id = await world.queue('ana@example.com');
    for (let mail = await world.mail(id); mail.status === 'queued'; ) {
      await passing('an attempt', 0, async () => {
        mail = await world.mail(id);
        return mail.attempts === times.length && times.length > 0 && mail.lease_ends_at === null;
      });
      if (mail.status === 'queued') await world.advance(mail.next_attempt_at - world.clock.now());
    }
    const waits = times.slice(1).map((at, index) => at - (times[index] ?? 0));
    expect(waits[0]).toBe(10_000);
    expect(Math.max(...waits)).toBe(HOUR_MS);
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBe(2 * DAY_MS);
    expect(times.length).toBeLessThan(100);
    expect(await world.mail(id)).toMatchObject({
      attempts: times.length,
      last_error: BUSY.end === 'refused' && BUSY.reason,
    });
    expect(new Set(sent.map(({ message_id }) => message_id)).size).toBe(1);
    expect(world.log.lines.some(({ message }) => message === 'mail given up')).toBe(true);
  });

  it('never tries again what was refused for good', async () => {
    const reason = 'The mail server answered: 550 No such user';
    world.dispatch(answering(() => ({ end: 'refused', isFinal: true, reason, words: null })));
    const id = await world.queue('nobody@example.com');
    await passing('it to fail', 0, isStatus(id, 'failed'));
    await world.advance(3 * DAY_MS);
    expect(sent).toHaveLength(1);
    expect(await world.mail(id)).toMatchObject({ attempts: 1, last_error: reason });
  });

  it('asks a server that is down with one mail at a time, and sends all when it is back', async () => {
    let isDown = true;
    world.dispatch(
      answering(() => (isDown ? DOWN : ACCEPTED)),
      { random: () => 0.99 },
    );
    const ids: number[] = [];
    for (let each = 0; each < 50; each++) ids.push(await world.queue(`guest-${each}@example.com`));
    await world.advance(10 * 60_000);
    // All places at first, then one after ever longer pauses.
    expect(sent.length).toBeLessThan(25);
    isDown = false;
    await passing('all to be sent', 60_000, async () =>
      [...(await mailStates(world.store.reader, ids)).values()].every(({ status }) => status === 'sent'),
    );
  });

  it('is not lost when the database refuses a turn', async () => {
    let isBroken = true;
    const { store } = world;
    const broken = {
      ...store,
      change: (work: never) => (isBroken ? Promise.reject(new Error('full')) : store.change(work)),
    };
    world.dispatch(accepting, { store: broken as typeof store, random: () => 0.5, limits: PATIENT });
    const id = await world.queue('ana@example.com');
    await world.advance(30_000);
    expect(sent).toEqual([]);
    isBroken = false;
    await passing('the database to be asked again', 60_000, isStatus(id, 'sent'));
    expect(sent).toHaveLength(1);
  });

  it('keeps what came of attempts that end while the service stops', async () => {
    let answer: (answer: SendingAnswer) => void = () => {};
    const dispatcher = world.dispatch(answering(() => new Promise((resolve) => (answer = resolve))));
    const id = await world.queue('ana@example.com');
    await waitUntil('the attempt to begin', () => sent.length === 1);
    const closed = dispatcher.close();
    answer(ACCEPTED);
    await closed;
    expect(await world.mail(id)).toMatchObject({ status: 'sent' });
  });

  it('breaks off an attempt that outlasts the stop, and makes it again at the next start', async () => {
    const dispatcher = world.dispatch(hanging);
    const id = await world.queue('ana@example.com');
    await waitUntil('the attempt to begin', () => sent.length === 1);
    await world.stop(dispatcher);
    world.dispatch(accepting);
    await passing('it to be sent', 0, isStatus(id, 'sent'));
    expect(sent[1]?.message_id).toBe(sent[0]?.message_id);
  });

  it('lets no account hold up another', async () => {
    const { id: other } = await world.store.change((tx) =>
      tx.insertInto('accounts').values(accountRow('Rival')).returning('id').executeTakeFirstOrThrow(),
    );
    for (let each = 0; each < 100; each++) await world.queue(`flood-${each}@example.com`);
    await world.queue('one@rival.example', { account_id: other });
    world.dispatch(accepting);
    await passing('the rival to be sent to', 0, () => sent.some(({ to }) => to === 'one@rival.example'));
    expect(sent.findIndex(({ to }) => to === 'one@rival.example')).toBeLessThan(2 * MAIL_LIMITS.together);
  });

  it('holds the rates of an account and of a receiver, and loses nothing by them', async () => {
    const rates = { perAccountAndMin: 10, perReceiverAndHour: 3 };
    for (let each = 0; each < 15; each++) await world.queue(`guest-${each}@example.com`);
    world.dispatch(accepting, { limits: { ...PATIENT, rates } });
    // No time passes: a slow database must not be in the second minute by then.
    await passing('the first minute', 0, () => sent.length === 10);
    await world.advance(20_000);
    expect(sent).toHaveLength(10);
    await passing('the second minute', 10_000, () => sent.length === 15);
    await nothingUnderWay();
    await world.advance(60_000);
    for (let each = 0; each < 5; each++) await world.queue('ana@example.com');
    await passing('three mails to one', 0, () => sent.length === 18);
    await nothingUnderWay();
    await world.advance(60_000 * 30);
    expect(sent).toHaveLength(18);
    await passing('the next hour', 60_000, async () => {
      await nothingUnderWay();
      return sent.length === 20;
    });
  });

  it('holds the rates of mails that come all at once, too', async () => {
    const rates = { perAccountAndMin: 10, perReceiverAndHour: 3 };
    for (let each = 0; each < 5; each++) await world.queue('ana@example.com');
    for (let each = 0; each < 15; each++) await world.queue(`guest-${each}@example.com`);
    world.dispatch(accepting, { limits: { ...PATIENT, together: 100, rates } });
    await passing('the first minute', 0, () => sent.length >= 10);
    await nothingUnderWay();
    expect(sent).toHaveLength(10);
    await passing('all but two', 10_000, () => sent.length >= 18);
    await nothingUnderWay();
    expect(sent.filter(({ to }) => to === 'ana@example.com')).toHaveLength(3);
    expect(sent).toHaveLength(18);
  });

  it('fails from the beginning what is too much for an account', async () => {
    const mail = { kind: 'key', to: 'a@example.com', locale: null, content: KEY_CONTENT, lot_id: null } as const;
    const { account_id } = world;
    const ids = await world.store.change((tx) =>
      queueMails(
        tx,
        Array.from({ length: 10_001 }, () => ({ ...mail, account_id })),
        world.clock.now(),
      ),
    );
    expect(new Set(ids).size).toBe(10_001);
    expect(await world.mail(ids[9_999] ?? 0)).toMatchObject({ status: 'queued' });
    expect(await world.mail(ids[10_000] ?? 0)).toMatchObject({
      status: 'failed',
      last_error: '10000 mails of the account wait already: try it again later',
    });
  });

  it('tries a failed mail for two more days when somebody asks for it, and none that was dropped', async () => {
    let answer: SendingAnswer = { end: 'refused', isFinal: true, reason: 'no', words: null };
    world.dispatch(answering(() => answer));
    const id = await world.queue('ana@example.com');
    await passing('it to fail', 0, isStatus(id, 'failed'));
    answer = BUSY;
    await world.store.change((tx) => retryMail(tx, id, world.clock.now()));
    await passing('another attempt', 0, () => sent.length === 2);
    await waitUntil('its outcome', async () => (await world.mail(id)).lease_ends_at === null);
    await world.store.change((tx) => dropMail(tx, id, world.clock.now()));
    await world.advance(3 * DAY_MS);
    expect(sent).toHaveLength(2);
    expect(await world.mail(id)).toMatchObject({
      status: 'failed',
      last_error: 'An operator of the service dropped it',
    });
  });

  it('forgets mails a month after their end', async () => {
    world.dispatch(accepting);
    const id = await world.queue('ana@example.com');
    await passing('it to be sent', 0, isStatus(id, 'sent'));
    await world.advance(29 * DAY_MS);
    await world.mail(id);
    await passing('it to be forgotten', DAY_MS, async () => (await mailStates(world.store.reader, [id])).size === 0);
  });
});

describe('a mail server that accepts no mail of this service', () => {
  const guests = Array.from({ length: 12 }, (_, at) => `guest-${at}@example.com`);
  const queueAll = async () => {
    const ids: number[] = [];
    for (const guest of guests) ids.push(await world.queue(guest));
    return ids;
  };
  const statesOf = async (ids: readonly number[]) =>
    [...(await mailStates(world.store.reader, ids)).values()].map(({ status }) => status);
  const all = (ids: readonly number[], status: string) => async () =>
    (await statesOf(ids)).every((each) => each === status);
  const BARRED: SendingAnswer = { end: 'barred', reason: 'The mail server answered: 550 5.4.5 Daily limit exceeded' };
  const REFUSED: SendingAnswer = { end: 'refused', isFinal: true, reason: '554 No', words: 'DATA 554  No' };
  const errors = () => world.log.lines.filter(({ level }) => level === 'error');

  it('is asked once a pause, and every guest gets the mail when it accepts them again', async () => {
    let accepts = 2;
    const dispatcher = world.dispatch(answering(() => (accepts-- > 0 ? ACCEPTED : BARRED)));
    const ids = await queueAll();
    await passing('it to be barred', 0, () => dispatcher.barredSince() !== null);
    await nothingUnderWay();
    const tries = sent.length;
    await world.advance(3_000_000);
    await nothingUnderWay();
    // 1, 2, 4, 8 minutes, then each quarter of an hour.
    expect(sent.length - tries).toBeLessThan(12);
    expect((await statesOf(ids)).filter((status) => status === 'failed')).toEqual([]);
    expect(errors()).toMatchObject([{ message: expect.stringContaining('accepts no mails of this service') }]);
    accepts = Number.POSITIVE_INFINITY;
    await passing('all to be sent', 60_000, all(ids, 'sent'));
    expect(new Set(sent.map(({ to }) => to))).toEqual(new Set(guests));
    expect(dispatcher.barredSince()).toBeNull();
  });

  it('is recognised by the same words to two mails in a row, and the first of them is tried again', async () => {
    let accepts = false;
    world.dispatch(answering(() => (accepts ? ACCEPTED : REFUSED)));
    const ids = await queueAll();
    await passing(
      'all to wait',
      60_000,
      async () => sent.length > 2 && (await statesOf(ids)).every((s) => s === 'queued'),
    );
    accepts = true;
    await passing('all to be sent', 60_000, all(ids, 'sent'));
    expect(new Set(sent.map(({ to }) => to))).toEqual(new Set(guests));
  });

  it('is another thing than one that refuses one mail, or two for what is theirs', async () => {
    const answers = new Map<string, SendingAnswer>([
      ['a@example.com', REFUSED],
      ['c@example.com', REFUSED],
      ['d@example.com', { ...REFUSED, words: null }],
      ['e@example.com', { ...REFUSED, words: null }],
      ['f@example.com', { ...REFUSED, words: 'DATA 552  Too large' }],
    ]);
    world.dispatch(
      answering(({ to }) => answers.get(to) ?? ACCEPTED),
      ONE_PLACE,
    );
    const ids: number[] = [];
    for (const name of 'abcdef') {
      const id = await world.queue(`${name}@example.com`);
      ids.push(id);
      await passing(`an end of ${name}`, 0, async () => (await world.mail(id)).status !== 'queued');
    }
    expect(await statesOf(ids)).toEqual(['failed', 'sent', 'failed', 'failed', 'failed', 'failed']);
    expect(errors()).toEqual([]);
  });
});
