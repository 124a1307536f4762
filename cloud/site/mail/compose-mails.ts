/** Composes the sending of mails. */
import * as nodeCrypto from 'node:crypto';
import { domainToASCII } from 'node:url';
import type { Registry } from 'prom-client';
import type { Clock } from '../../../shared/clock.js';
import type { Logger } from '../../../shared/logger.js';
import type { CloudStore } from '../../kernel/entry.js';
import { createMailDispatcher, MAIL_LIMITS, type MailDispatcher } from './mail-dispatcher.js';
import { createMailMeasurement } from './mail-metrics.js';
import type { MailSender } from './mail-sender.js';
import { createMailWriter, type MailLinks } from './write-mail.js';

export function composeMails(deps: {
  store: CloudStore;
  mailSender: MailSender;
  /** The address that mails come from. */
  from: string;
  links: MailLinks;
  clock: Clock;
  random: () => number;
  logger: Logger;
  registry: Registry;
}): MailDispatcher {
  const { store, mailSender, from, links, registry } = deps;
  const domain = domainToASCII(from.replace(/^.*@/, ''));
  return createMailDispatcher({
    ...deps,
    sender: mailSender,
    write: createMailWriter(links),
    generateMessageId: () => `<${nodeCrypto.randomUUID()}@${domain === '' ? 'localhost' : domain}>`,
    limits: MAIL_LIMITS,
    isAlone: store.peers === null,
    measurement: createMailMeasurement(registry),
  });
}
