/** `parking-cloud mail list`, `mail retry`, `mail drop`: what is printed, what becomes of the mails, and the audit log's words. */
import type { CommandIo } from '../../../cloud/doors/cli/apply.js';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type MailChoice,
  type MailListOptions,
  runMailDrop,
  runMailList,
  runMailRetry,
} from '../../../cloud/doors/cli/mail.js';
import { mailsByIds } from '../../../cloud/site/mail/mail-queries.js';
import { queueMails } from '../../../cloud/site/mail/mail-queue-queries.js';
import { KEY_CONTENT } from '../../integration/mail/mail-world.js';
import { type ApplyWorld, createApplyWorld } from '../site/apply-world.js';
import { SITE_TEXT } from '../site/site-text.js';
import { recordIo } from '../../world/record-io.js';

let world: ApplyWorld;
/** One that waits, one that failed, one that was sent. */
let waiting: number;
let failed: number;
let sent: number;

/** The last entry of the audit log before the test. */
let audited: number;

beforeAll(async () => {
  world = await createApplyWorld();
  await world.apply(SITE_TEXT);
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.store.change((tx) => tx.deleteFrom('mails').execute());
  const last = await world.store.reader.selectFrom('audit_log').select('id').orderBy('id', 'desc').executeTakeFirst();
  audited = last?.id ?? 0;
  [waiting, failed, sent] = await queue('ana@example.com', 'bob@example.com', 'cleo@example.com');
  const now = world.clock.now();
  const end = (id: number, set: object) =>
    world.store.change((tx) =>
      tx
        .updateTable('mails')
        .set({ ended_at: now, ...set })
        .where('id', '=', id)
        .execute(),
    );
  const last_error = 'The mail server answered: 550 No such\r\nuser\u001b[31m';
  await end(failed, { status: 'failed', attempts: 3, last_error });
  await end(sent, { status: 'sent', attempts: 1 });
});

function queue(...receivers: string[]): Promise<[number, number, number]> {
  const mail = { kind: 'key', locale: null, content: KEY_CONTENT, account_id: 1, lot_id: null } as const;
  return world.store.change(async (tx) => {
    const ids = await queueMails(
      tx,
      receivers.map((to) => ({ ...mail, to })),
      world.clock.now(),
    );
    return ids as [number, number, number];
  });
}

async function run<T>(work: (deps: ApplyWorld, io: CommandIo) => Promise<T>) {
  const { io, out, err } = recordIo();
  const code = await work(world, io);
  return { code, out, err };
}
const list = (options: Partial<MailListOptions> = {}) =>
  run((deps, io) => runMailList({ json: false, ...options }, deps, io));
const retry = (choice: Partial<MailChoice>) =>
  run((deps, io) => runMailRetry({ ids: [], all: false, ...choice }, deps, io));
const drop = (choice: Partial<MailChoice>) =>
  run((deps, io) => runMailDrop({ ids: [], all: false, ...choice }, deps, io));
const statusOf = async (id: number) => (await mailsByIds(world.store.reader, [id]))[0]?.status;
const auditOf = async () =>
  (await world.store.reader.selectFrom('audit_log').selectAll().where('id', '>', audited).orderBy('id').execute()).map(
    ({ account_id, actor_type, action, target }) => [account_id, actor_type, action, target],
  );

describe('mail list', () => {
  it('shows what waits and what failed, the newest first, each in one line', async () => {
    const { code, out, err } = await list();
    expect([code, err]).toEqual([0, []]);
    expect(out[0]).toMatch(
      /^id {2,}account {2,}kind {2,}status {2,}attempts {2,}queued at {2,}receiver {2,}last error$/,
    );
    expect(out.slice(1).map((line) => line.split(/ {2,}/))).toEqual([
      [String(failed), '1', 'key', 'failed', '3', expect.stringMatching(/Z$/), 'bob@example.com', expect.any(String)],
      [String(waiting), '1', 'key', 'queued', '0', expect.stringMatching(/Z$/), 'ana@example.com'],
    ]);
    expect(out[1]).toContain('The mail server answered: 550 No such user?[31m');
    // What a mail server answers does not reach the terminal's controls.
    expect(out.join('\n')).not.toMatch(/[^\P{Cc}\n]/u);
  });

  it('shows one status, also for programs', async () => {
    expect((await list({ status: 'sent' })).out).toHaveLength(2);
    const { out } = await list({ status: 'queued', json: true });
    expect(out).toHaveLength(1);
    expect(JSON.parse(out[0] ?? '')).toEqual([
      {
        account_id: 1,
        id: waiting,
        kind: 'key',
        receiver_email: 'ana@example.com',
        status: 'queued',
        attempts: 0,
        last_error: null,
        next_attempt_at: expect.stringMatching(/Z$/),
        sent_at: null,
        created_at: expect.stringMatching(/Z$/),
      },
    ]);
    expect(await list({ status: 'lost' })).toEqual({
      code: 2,
      out: [],
      err: ['--status: lost is none; allowed: queued, sent, failed'],
    });
  });

  it('says when there is none', async () => {
    await drop({ all: true });
    expect((await list({ status: 'queued' })).out).toEqual([expect.stringMatching(/^id +account/), '(none)']);
    expect((await list({ status: 'queued', json: true })).out).toEqual(['[]']);
  });

  it('shows a thousand at most, and says that there are more', async () => {
    await queue(...Array.from({ length: 1_001 }, (_, at) => `guest${at}@example.com`));
    const { out, err } = await list();
    expect(out).toHaveLength(1_001);
    expect(err).toEqual(['There are more: these are the newest 1000.']);
  });
});

describe('mail retry', () => {
  it('has what was not sent tried again now, for another two days', async () => {
    await world.clock.advance(60_000);
    const { code, out, err } = await retry({ ids: [String(failed), String(waiting)] });
    expect([code, out, err]).toEqual([0, [`mail ${failed}  is tried again`, `mail ${waiting}  is tried again`], []]);
    const [mail] = await mailsByIds(world.store.reader, [failed]);
    const now = world.clock.now();
    expect(mail).toMatchObject({ status: 'queued', next_attempt_at: now, tries_began_at: null, ended_at: null });
    expect(await auditOf()).toEqual([
      [1, 'operator', 'mail.retry', `mail ${failed}`],
      [1, 'operator', 'mail.retry', `mail ${waiting}`],
    ]);
  });

  it('leaves what was sent, and says so', async () => {
    const { code, out, err } = await retry({ ids: [String(sent), '999', String(failed)] });
    expect(code).toBe(2);
    expect(out).toEqual([`mail ${failed}  is tried again`]);
    expect(err).toEqual([
      `mail ${sent} is not there, was sent already, or brings no key that opens anything`,
      'mail 999 is not there, was sent already, or brings no key that opens anything',
    ]);
    expect(await statusOf(sent)).toBe('sent');
  });

  it('leaves those that an operator dropped when it is of all; they are tried again by their id alone', async () => {
    await drop({ ids: [String(waiting)] });
    expect((await retry({ all: true })).out).toEqual([`mail ${failed}  is tried again`]);
    expect(await statusOf(waiting)).toBe('failed');
    expect((await retry({ ids: [String(waiting)] })).code).toBe(0);
    // From then on it waits as any other.
    expect((await retry({ all: true })).out).toHaveLength(2);
  });

  it('takes all at once', async () => {
    expect((await retry({ all: true })).out).toHaveLength(2);
    expect([await statusOf(waiting), await statusOf(failed), await statusOf(sent)]).toEqual([
      'queued',
      'queued',
      'sent',
    ]);
  });
});

describe('mail drop', () => {
  it('ends the attempts at what waits', async () => {
    expect(await drop({ ids: [String(waiting)] })).toEqual({ code: 0, out: [`mail ${waiting}  is not sent`], err: [] });
    const [mail] = await mailsByIds(world.store.reader, [waiting]);
    expect(mail).toMatchObject({ status: 'failed', last_error: 'An operator of the service dropped it' });
    expect(await auditOf()).toEqual([[1, 'operator', 'mail.drop', `mail ${waiting}`]]);
    expect(await drop({ ids: [String(waiting)] })).toEqual({
      code: 2,
      out: [],
      err: [`mail ${waiting} does not wait`],
    });
  });

  it('leaves what has ended, and takes all that waits', async () => {
    expect((await drop({ ids: [String(sent), String(failed)] })).code).toBe(2);
    expect((await drop({ all: true })).out).toEqual([`mail ${waiting}  is not sent`]);
    expect((await drop({ all: true })).out).toEqual([]);
    expect(await statusOf(sent)).toBe('sent');
  });
});

describe.each([
  ['mail retry', retry],
  ['mail drop', drop],
] as const)('%s', (_name, command) => {
  it.each([
    [{}, 'name the ids of mails, or --all'],
    [{ ids: ['1'], all: true }, 'name the ids of mails, or --all'],
    [{ ids: ['1', 'x'] }, 'x is no id of a mail: parking-cloud mail list shows them'],
    [{ ids: ['-1'] }, '-1 is no id of a mail: parking-cloud mail list shows them'],
    [{ ids: ['1.5'] }, '1.5 is no id of a mail: parking-cloud mail list shows them'],
    [{ ids: ['9'.repeat(16)] }, `${'9'.repeat(16)} is no id of a mail: parking-cloud mail list shows them`],
  ])('refuses %j, and does nothing', async (choice, problem) => {
    expect(await command(choice)).toEqual({ code: 2, out: [], err: [problem] });
    expect(await auditOf()).toEqual([]);
    expect(await statusOf(waiting)).toBe('queued');
  });
});
