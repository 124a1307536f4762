/** Composes the message of a mail as it travels (RFC 5322): headers, text and HTML. */
import MailComposer from 'nodemailer/lib/mail-composer';
import type { MailFrom, OutgoingMail } from './mail-sender.js';

/** @returns the bytes of the message, and the same ones for a repeat */
export function composeMessage(mail: OutgoingMail, from: MailFrom): Promise<Buffer> {
  const { message_id, to, subject, text, html, date, headers } = mail;
  const composer = new MailComposer({
    from,
    // As an object it is the address that it is, and is not parsed as a list.
    to: { name: '', address: to },
    // What a person wrote must not be read as words that are encoded: the joiner between has no width.
    subject: subject.replaceAll('=?', '=\u2060?'),
    text,
    html,
    messageId: message_id,
    date: new Date(date),
    // Long addresses in a header are not encoded, which no client would read as a link.
    headers: Object.entries(headers).map(([key, value]) => ({ key, value: { prepared: true, value } })),
    baseBoundary: message_id.replaceAll(/[^\w-]/g, ''),
    newline: 'windows',
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return composer.compile().build();
}
