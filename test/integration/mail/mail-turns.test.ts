/** Which mails a turn takes, beside the rule in plain words: each account's first due one, then each one's second, within the rates. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leaseDueMails } from '../../../cloud/site/mail/mail-turn-queries.js';
import type { MailContent } from '../../../cloud/site/mail/mail-content.js';
import { insertNumbered } from '../../../cloud/kernel/store/rows-of-statement.js';
import { encodeJson } from '../../../shared/json-text-codec.js';
import { accountRow } from '../../conformance/account-row.js';
import { runs, runsTimeoutMs } from '../../depth.js';
import * as fc from '../../property.js';
import { KEY_CONTENT, type MailWorld, startMailWorld } from './mail-world.js';

const RATES = { perAccountAndMin: 4, perReceiverAndHour: 2 };
const RECEIVERS = ['a@example.com', 'b@example.com', 'c@example.com', 'd@example.com'];

let world: MailWorld;
let accounts: number[];
beforeAll(async () => {
  world = await startMailWorld();
  const further = await world.store.change(async (tx) => {
    const rows = [accountRow('Marina'), accountRow('Old town')];
    return tx.insertInto('accounts').values(rows).returning('id').execute();
  });
  accounts = [world.account_id, ...further.map(({ id }) => id)];
});
afterAll(() => world.close());

interface Waiting {
  account: number;
  to: string;
  /** Milliseconds from now. */
  due: number;
  /** When the lease ends, from now; null: there is none. */
  lease: number | null;
  /** When the last attempt began, from now; null: there was none. */
  tried: number | null;
  hasEnded: boolean;
}

const waiting: fc.Arbitrary<Waiting> = fc.record({
  account: fc.nat({ max: 2 }),
  to: fc.constantFrom(...RECEIVERS),
  due: fc.integer({ min: -5, max: 1 }),
  lease: fc.constantFrom(null, null, -1, 0, 1),
  tried: fc.constantFrom(null, null, null, -1, -60_000, -59_999, -3_600_000),
  hasEnded: fc.boolean(),
});

/** @returns their ids, in their order */
async function insert(mails: readonly Waiting[], now: number): Promise<number[]> {
  const rows = mails.map(({ account, to, due, lease, tried, hasEnded }) => ({
    account_id: accounts[account] ?? 0,
    lot_id: null,
    kind: 'key' as const,
    receiver_email: to,
    locale: null,
    content: encodeJson<MailContent>(KEY_CONTENT),
    message_id: null,
    status: hasEnded ? ('failed' as const) : ('queued' as const),
    attempts: 0,
    last_error: null,
    tries_began_at: null,
    next_attempt_at: now + due,
    lease_ends_at: lease === null ? null : now + lease,
    tried_at: tried === null ? null : now + tried,
    ended_at: hasEnded ? now : null,
    created_at: now,
    updated_at: now,
  }));
  return world.store.change(async (tx) => {
    await tx.deleteFrom('mails').execute();
    return insertNumbered(tx, 'mails', rows);
  });
}

/** @returns the positions of the mails that are taken */
function expected(mails: readonly Waiting[], limit: number): number[] {
  const triedSince = (ms: number, of: (mail: Waiting) => boolean) =>
    mails.filter((mail) => mail.tried !== null && mail.tried > -ms && of(mail)).length;
  const ofAccount = (account: number) => triedSince(60_000, (mail) => mail.account === account);
  const ofReceiver = (to: string) => triedSince(3_600_000, (mail) => mail.to === to);
  const due = mails
    .map((mail, at) => ({ ...mail, at }))
    .filter(({ hasEnded, due: when, lease }) => !hasEnded && when <= 0 && (lease === null || lease <= 0))
    .filter(
      ({ account, to }) => ofAccount(account) < RATES.perAccountAndMin && ofReceiver(to) < RATES.perReceiverAndHour,
    )
    .toSorted((one, other) => one.due - other.due || one.at - other.at);
  const turnOf = (mail: (typeof due)[number]) => due.filter(({ account }) => account === mail.account).indexOf(mail);
  const leased: typeof due = [];
  for (const mail of due.toSorted((one, other) => turnOf(one) - turnOf(other)).slice(0, limit)) {
    const more = (of: (mail: Waiting) => boolean) => leased.filter(of).length;
    const isHeld =
      ofAccount(mail.account) + more(({ account }) => account === mail.account) >= RATES.perAccountAndMin ||
      ofReceiver(mail.to) + more(({ to }) => to === mail.to) >= RATES.perReceiverAndHour;
    if (!isHeld) leased.push(mail);
  }
  return leased.map(({ at }) => at);
}

describe('a turn', () => {
  it(
    'takes of each account as many as of the others, within the rates',
    async () => {
      const now = world.clock.now();
      await fc.assert(
        fc.asyncProperty(
          fc.array(waiting, { minLength: 1, maxLength: 14 }),
          fc.integer({ min: 1, max: 6 }),
          async (mails, limit) => {
            const ids = await insert(mails, now);
            const options = { now, leaseEndsAt: now + 1, limit, rates: RATES, generateMessageId: () => '<m@x>' };
            const leased = await world.store.change((tx) => leaseDueMails(tx, options));
            expect(leased.map(({ id }) => ids.indexOf(id))).toEqual(expected(mails, limit));
          },
        ),
        { numRuns: runs(40, 10) },
      );
    },
    runsTimeoutMs(60_000, 10),
  );
});
