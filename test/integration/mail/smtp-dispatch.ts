/** The mails of a cloud over HTTP, sent to a mail server on this machine. */
import { createMailDispatcher, MAIL_LIMITS, type MailDispatcher } from '../../../cloud/site/mail/mail-dispatcher.js';
import { createSmtpMailSender } from '../../../cloud/site/mail/smtp-mail-sender.js';
import { createMailWriter } from '../../../cloud/site/mail/write-mail.js';
import { systemClock } from '../../../shared/system-clock.js';
import { createTestLog } from '../../world/test-log.js';
import type { CloudWorld } from '../http/http-world.js';
import { LINKS } from './mail-world.js';

let messages = 0;

export function dispatchTo(port: number, { store, clock }: CloudWorld): MailDispatcher {
  return createMailDispatcher({
    store,
    sender: createSmtpMailSender({
      place: { url: `smtp://127.0.0.1:${port}`, ca: null },
      from: { name: '', address: 'parking@harbour.example' },
      clock: systemClock,
    }),
    write: createMailWriter(LINKS),
    generateMessageId: () => `<key-mail-${++messages}@harbour.example>`,
    clock,
    random: () => 0,
    logger: createTestLog().logger,
    limits: MAIL_LIMITS,
    isAlone: false,
    measure() {},
  });
}

/** Stops it, while the cloud's time passes. */
export async function stopped(dispatcher: MailDispatcher, { clock }: CloudWorld): Promise<void> {
  const closed = dispatcher.close();
  for (let waits = true; waits; )
    waits = await Promise.race([closed.then(() => false), clock.advance(1_000).then(() => true)]);
}

/** Whether a mail is being handed over: that takes real time, during which the clock stands still. */
export async function isTrying({ store: { reader } }: CloudWorld): Promise<boolean> {
  const mail = await reader.selectFrom('mails').select('id').where('lease_ends_at', 'is not', null).executeTakeFirst();
  return mail !== undefined;
}
