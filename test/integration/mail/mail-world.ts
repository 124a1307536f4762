/** A queue of mails with its dispatcher on a fake clock, and what its tests ask of it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KeyContent } from '../../../cloud/site/mail/mail-content.js';
import { createMailDispatcher, MAIL_LIMITS, type MailDispatcher } from '../../../cloud/site/mail/mail-dispatcher.js';
import { mailsByIds } from '../../../cloud/site/mail/mail-queries.js';
import { type Mail, type NewMail, queueMail } from '../../../cloud/site/mail/mail-queue-queries.js';
import type { MailSender } from '../../../cloud/site/mail/mail-sender.js';
import { createMailWriter, type MailLinks } from '../../../cloud/site/mail/write-mail.js';
import type { CloudStore } from '../../../cloud/kernel/store/cloud-store.js';
import { accountRow } from '../../conformance/account-row.js';
import { createTestLog } from '../../world/test-log.js';
import { FakeClock, settle } from '../../world/fake-clock.js';
import { openMigratedStore } from '../../world/migrated-store.js';

/** Links as a service at this address makes them. */
export const LINKS: MailLinks = {
  weblink: ({ id, generation }) => `https://parking.example/weblinks/${id}#token-${generation}`,
  image: (uid) => ({
    url: `https://parking.example/v2/images/${uid}?expires=1&signature=s`,
    until: Date.UTC(2026, 6, 8, 10),
  }),
  reset: ({ user_id, expires_at }) => `https://parking.example/reset#${user_id}.${expires_at}.proof`,
  unsubscribe: (receiver_id) => `https://parking.example/mails/unsubscribe/${receiver_id}.signature`,
};

export const KEY_CONTENT: KeyContent = {
  account_name: 'Harbour',
  sender_name: 'Olga',
  place: 'North, Quay 1',
  start_time: Date.UTC(2026, 6, 1, 8),
  end_time: Date.UTC(2026, 6, 2, 20, 30),
  timezone: 'Europe/Zagreb',
  products: [{ name: 'Entry barrier', weblink: { id: 'weblink-0001', generation: 0 } }],
};

export interface MailWorld {
  readonly clock: FakeClock;
  /** Lets time pass, and the database do what was due by then. */
  advance(byMs: number): Promise<void>;
  readonly store: CloudStore;
  readonly log: ReturnType<typeof createTestLog>;
  readonly account_id: number;
  /** Queues a key mail of the account. */
  queue(to: string, changed?: Partial<NewMail & { kind: 'key' }>): Promise<number>;
  mail(id: number): Promise<Mail>;
  /** Starts a dispatcher, as another process would. */
  dispatch(sender: MailSender, options?: Partial<Parameters<typeof createMailDispatcher>[0]>): MailDispatcher;
  /** Stops a dispatcher; an attempt that hangs is broken off after a moment. */
  stop(dispatcher: MailDispatcher): Promise<void>;
  close(): Promise<void>;
}

export async function startMailWorld(): Promise<MailWorld> {
  const directory = await mkdtemp(join(tmpdir(), 'mails-'));
  const clock = new FakeClock();
  const log = createTestLog();
  const store = await openMigratedStore({ url: `sqlite:${join(directory, 'cloud.db')}`, clock, logger: log.logger });
  const { id: account_id } = await store.change((tx) =>
    tx.insertInto('accounts').values(accountRow('Harbour')).returning('id').executeTakeFirstOrThrow(),
  );
  const dispatchers: MailDispatcher[] = [];
  let messages = 0;
  const stop = async (dispatcher: MailDispatcher): Promise<void> => {
    const closed = dispatcher.close();
    for (let waits = true; waits; )
      waits = await Promise.race([closed.then(() => false), clock.advance(1_000).then(() => true)]);
  };
  return {
    clock,
    async advance(byMs) {
      await clock.advance(byMs);
      // A turn, the attempts that it began, the turn that stores what came of them: changes are done in their order.
      for (let round = 0; round < 4; round++) {
        await store.change(async () => {});
        await settle();
      }
    },
    store,
    log,
    account_id,
    queue: (to, changed = {}) =>
      store.change((tx) =>
        queueMail(
          tx,
          { kind: 'key', to, locale: null, content: KEY_CONTENT, account_id, lot_id: null, ...changed },
          clock.now(),
        ),
      ),
    async mail(id) {
      const [row] = await mailsByIds(store.reader, [id]);
      if (row === undefined) throw new Error(`there is no mail ${id}`);
      return row;
    },
    dispatch(sender, options = {}) {
      const dispatcher = createMailDispatcher({
        store,
        sender,
        write: createMailWriter(LINKS),
        generateMessageId: () => `<message-${++messages}@parking.example>`,
        clock,
        random: () => 0,
        logger: log.logger,
        limits: MAIL_LIMITS,
        isAlone: false,
        measure() {},
        ...options,
      });
      dispatchers.push(dispatcher);
      return dispatcher;
    },
    stop,
    async close() {
      for (const dispatcher of dispatchers) await stop(dispatcher);
      await store.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
