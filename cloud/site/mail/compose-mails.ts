/** Composes the sending of mails, and their measurements. */
import * as nodeCrypto from 'node:crypto';
import { domainToASCII } from 'node:url';
import type { Registry } from 'prom-client';
import type { Clock } from '../../../shared/clock.js';
import type { Logger } from '../../../shared/logger.js';
import { addDatabaseGauges, addGauge, addWaitingGauges, type DatabaseGaugeDeps } from '../../kernel/measure/entry.js';
import type { CloudStore } from '../../kernel/store/entry.js';
import { createAttemptMeasurement, waitingDeliveries } from '../../kernel/delivery/entry.js';
import { createMailDispatcher, MAIL_LIMITS, type MailDispatcher } from './mail-dispatcher.js';
import { countFailedMails } from './mail-queries.js';
import type { MailSender } from './mail-sender.js';
import { createMailWriter, type MailLinks } from './write-mail.js';

/** @param made.from the address that mails come from */
export function composeMails(
  deps: { store: CloudStore; mailSender: MailSender; clock: Clock; logger: Logger; registry: Registry },
  { from, links, random }: { from: string; links: MailLinks; random: () => number },
): MailDispatcher {
  const { store, mailSender: sender, clock, logger, registry } = deps;
  const domain = domainToASCII(from.replace(/^.*@/, ''));
  const dispatcher = createMailDispatcher({
    store,
    clock,
    logger,
    random,
    sender,
    write: createMailWriter(links),
    generateMessageId: () => `<${nodeCrypto.randomUUID()}@${domain === '' ? 'localhost' : domain}>`,
    limits: MAIL_LIMITS,
    isAlone: store.peers === null,
    measure: createAttemptMeasurement(registry, {
      name: 'parking_mail_attempt_seconds',
      help: 'How long the mail server needed to accept a mail or not; refused: for good, given_up: it was the last attempt',
    }),
  });
  addGauge(registry, {
    name: 'parking_mails_barred_seconds',
    help: 'How long the mail server has accepted no mail of this service, for its sender or quota; 0: it does',
    read: () => ageSeconds(dispatcher.barredSince(), clock),
  });
  return dispatcher;
}

const ageSeconds = (since: number | null, clock: Clock): number =>
  since === null ? 0 : Math.max(0, clock.now() - since) / 1_000;

/** Measures the mails that wait, and those that failed lately. */
export function measureMails(
  store: Pick<CloudStore, 'reader'>,
  deps: DatabaseGaugeDeps & { clock: { now(): number } },
): void {
  addWaitingGauges(deps, () => waitingDeliveries(store.reader, 'mails'), {
    name: 'parking_mails_waiting',
    what: 'Mails that were neither sent nor given up',
  });
  addDatabaseGauges(deps, async () => ({ failed: await countFailedMails(store.reader) }), {
    failed: { name: 'parking_mails_failed', help: 'Mails of the last 30 days that were given up or refused for good' },
  });
}
