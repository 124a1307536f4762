/** Composes the message of a mail as it travels (RFC 5322): headers, text and HTML. */
import MailComposer from 'nodemailer/lib/mail-composer';
import { LOGO_CID } from './mail-blocks.js';
import type { MailFrom, OutgoingMail } from './mail-sender.js';

/** @returns the bytes of the message, which are the same for a repeat */
export function composeMessage(mail: OutgoingMail, from: MailFrom): Promise<Buffer> {
  const { message_id, to, subject, text, html, logo, date, headers } = mail;
  const composer = new MailComposer({
    from,
    // An object is used as one address; a text would be parsed as a list.
    to: { name: '', address: to },
    // A person's text must not be read as encoded words, which begin with `=?`: a joiner without width separates the two.
    subject: subject.replaceAll('=?', '=\u2060?'),
    text,
    html,
    ...(logo === null
      ? {}
      : {
          attachments: [{ cid: LOGO_CID, filename: 'logo.png', content: logo, contentDisposition: 'inline' as const }],
        }),
    messageId: message_id,
    date: new Date(date),
    // The headers are not encoded, because no mail program would read an encoded long address as a link.
    headers: Object.entries(headers).map(([key, value]) => ({ key, value: { prepared: true, value } })),
    baseBoundary: message_id.replaceAll(/[^\w-]/g, ''),
    newline: 'windows',
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return composer.compile().build();
}
