/** Driver: mails over SMTP, to the mail server of SMTP_URL, each on a connection of its own. */
import { isIP } from 'node:net';
import { createTransport, type NodemailerError } from 'nodemailer';
import type { Clock } from '../../../shared/clock.js';
import { isMailAddress } from '../../../shared/mail-address.js';
import { composeMessage } from './compose-message.js';
import { commonWords, isOfTheSender } from './smtp-refusal.js';
import type { MailFrom, MailSender, OutgoingMail, SendingAnswer } from './mail-sender.js';

/** The limit of a whole attempt. It is shorter than the lease of a mail. */
const TIMEOUT_MS = 60_000;
/** The limit of each wait for the server. */
const WAITS_MS = { dnsTimeout: 10_000, connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 };
/** Answers about the service's own sign-in (RFC 4954) and not about the mail. */
const SIGN_IN_CODES = new Set([530, 534, 535, 538]);
/** A mail that the server, or SMTP itself, cannot carry. There is no answer, and a repeat would fail too. */
const UNSENDABLE = new Set(['EENVELOPE', 'EMESSAGE']);
const OF_THE_MAIL = new Set(['MAIL FROM', 'RCPT TO', 'DATA']);
/** Codes of Node.js for certificates that cannot be trusted. */
const UNTRUSTED = /CERT|ISSUER|SIGNATURE/;
const REASONS: Readonly<Record<string, string>> = {
  EDNS: 'The name of the mail server cannot be resolved',
  ETIMEDOUT: 'The mail server does not answer in time',
  EAUTH: 'The mail server does not accept user and password',
  ETLS: 'No secure connection to the mail server',
  EABORT: 'Handing the mail over took too long, or the service stopped',
};

const NO_ADDRESS_REASON = 'The receiver is no e-mail address';
const UNTRUSTED_REASON = 'The certificate of the mail server is not trusted';

export interface SmtpPlace {
  /** SMTP_URL: `smtp://` begins TLS when the server offers it (STARTTLS), `smtps://` speaks it from the beginning. */
  url: string;
  /** PEM: the only authorities of the server's certificate; null: those that this machine trusts. */
  ca: string | null;
}

export function createSmtpMailSender(options: { place: SmtpPlace; from: MailFrom; clock: Clock }): MailSender {
  const { place, from, clock } = options;
  const transport = createTransport({ ...serverOf(place), ...WAITS_MS });

  const handOver = async (mail: OutgoingMail, signal: AbortSignal): Promise<SendingAnswer> => {
    const raw = await composeMessage(mail, from);
    const envelope = { from: from.address, to: { name: '', address: mail.to } };
    await transport.sendMail({ envelope, raw, signal });
    return { end: 'accepted' };
  };

  return {
    async send(mail, signal) {
      // REST accepts no other addresses. One that reached the queue by another way is not sent to a server, which could misread it.
      if (!isMailAddress(mail.to)) return { end: 'refused', isFinal: true, reason: NO_ADDRESS_REASON, words: null };
      const limit = new AbortController();
      const timer = clock.setTimer(TIMEOUT_MS, () => limit.abort());
      try {
        return await handOver(mail, AbortSignal.any([signal, limit.signal]));
      } catch (error) {
        return answerOf(error as NodemailerError);
      } finally {
        timer.cancel();
      }
    },
  };
}

/** A password leaves this machine over TLS only. */
function serverOf({ url, ca }: SmtpPlace) {
  const { protocol, hostname, port, username, password } = new URL(url);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const auth =
    username === '' ? {} : { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } };
  return {
    host,
    secure: protocol === 'smtps:',
    requireTLS: protocol === 'smtp:' && password !== '' && !isLoopback(host),
    ...(port === '' ? {} : { port: Number(port) }),
    ...auth,
    tls: { minVersion: 'TLSv1.2' as const, ...(ca === null ? {} : { ca }) },
  };
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));

function answerOf(error: NodemailerError): SendingAnswer {
  const { code = '', command = '', response = '', responseCode } = error;
  const reason = reasonOf(error);
  if (responseCode === undefined)
    return UNSENDABLE.has(code) ? { end: 'refused', isFinal: true, reason, words: null } : { end: 'unreached', reason };
  if (!OF_THE_MAIL.has(command) || SIGN_IN_CODES.has(responseCode)) return { end: 'unreached', reason };
  if (error.permanent !== true) return { end: 'refused', isFinal: false, reason, words: null };
  const refusal = { command, response };
  if (isOfTheSender(refusal)) return { end: 'barred', reason };
  return { end: 'refused', isFinal: true, reason, words: commonWords(refusal) };
}

function reasonOf({ code = '', message, response, originalCode }: NodemailerError): string {
  const answered = response === undefined ? null : `the mail server answered: ${response.replaceAll(/\s+/g, ' ')}`;
  const known = UNTRUSTED.test(originalCode ?? '') ? UNTRUSTED_REASON : REASONS[code];
  if (known !== undefined) return `${known} (${answered ?? originalCode ?? message})`;
  if (answered !== null) return `T${answered.slice(1)}`;
  if (UNSENDABLE.has(code)) return `The mail cannot be sent (${message})`;
  return `No connection to the mail server (${originalCode ?? message})`;
}
