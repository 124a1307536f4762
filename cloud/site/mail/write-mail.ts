/** Writes a queued mail's text in the receiver's language. Its links are derived only now, because they are stored nowhere. */
import { accentsOf } from '../../../shared/accent.js';
import { decodeJson } from '../../../shared/json-text-codec.js';
import { type Language, languageOf } from '../../../shared/languages.js';
import { localTime } from '../words/local-time.js';
import type { MailWords } from '../words/words.js';
import { htmlText, type MailBlock, oneLineOf, PLAIN_ACCENTS, plainText } from './mail-blocks.js';
import type { AlertContent, KeyContent, MailContent, MailKind, ResetContent } from './mail-content.js';
import type { OutgoingMail } from './mail-sender.js';
import { MAIL_WORDS } from './mail-words.js';
import type { DueMail } from './mail-turn-queries.js';

/** The addresses to which mails lead. */
export interface MailLinks {
  weblink(link: { id: string; generation: number }): string;
  /** @returns the link, and until when it works (wall milliseconds) */
  image(uid: string): { url: string; until: number };
  /** Where the receiver of an alert ends its mails. */
  unsubscribe(receiver_id: number): string;
  /** Where a person sets a new password. */
  reset(link: { user_id: number; expires_at: number; fingerprint: string }): string;
}

const SUBJECT_CHARS_MAX = 200;

interface Written {
  subject: string;
  heading: string;
  blocks: MailBlock[];
  headers?: Record<string, string>;
}

export function createMailWriter(links: MailLinks): (mail: DueMail) => OutgoingMail {
  return (mail) => {
    const language = languageOf(mail.locale === null ? [] : [mail.locale]);
    const words = MAIL_WORDS[language];
    const content = decodeJson(mail.content);
    const written = writtenOf(mail.kind, content, { words, links });
    return asOutgoing(mail, { language, words, written });
  };
}

function writtenOf(kind: MailKind, content: MailContent, by: { words: MailWords; links: MailLinks }): Written {
  // The row has the content of its kind.
  switch (kind) {
    case 'key':
      return keyMail(content as KeyContent, by);
    case 'alert':
      return alertMail(content as AlertContent, by);
    case 'reset':
      return resetMail(content as ResetContent, by);
  }
}

function asOutgoing(
  mail: DueMail,
  { language, words, written }: { language: Language; words: MailWords; written: Written },
): OutgoingMail {
  const { colour, logo, name, contact } = mail.face;
  const whom = [contact.name, contact.email, contact.phone].map(oneLineOf).filter((part) => part !== '');
  const { subject, heading, blocks, headers } = written;
  const text = {
    language,
    heading,
    blocks: whom.length === 0 ? blocks : [...blocks, { kind: 'note', text: words.contact(whom.join(', ')) } as const],
    look: { logo: logo === null ? null : oneLineOf(name), ...(colour === null ? PLAIN_ACCENTS : accentsOf(colour)) },
  };
  return {
    message_id: mail.message_id,
    to: mail.receiver_email,
    subject: shortened(oneLineOf(subject)),
    text: plainText(text),
    html: htmlText(text),
    logo,
    date: mail.created_at,
    headers: { 'Content-Language': language, 'Auto-Submitted': 'auto-generated', ...headers },
  };
}

/** Shortens a text by whole characters, so that no emoji or surrogate pair is cut in two. */
function shortened(text: string): string {
  const characters = [...text];
  return characters.length <= SUBJECT_CHARS_MAX ? text : `${characters.slice(0, SUBJECT_CHARS_MAX - 1).join('')}…`;
}

function keyMail(content: KeyContent, { words, links }: { words: MailWords; links: MailLinks }): Written {
  const { start_time, end_time, timezone } = content;
  const account = oneLineOf(content.account_name);
  const sender = content.sender_name === null ? null : oneLineOf(content.sender_name);
  const place = oneLineOf(content.place);
  const products = content.products.map(({ name }) => oneLineOf(name));
  const timeOf = (ms: number) => localTime(ms, { locale: words.locale, timezone });
  const { key } = words;
  return {
    subject: key.subject({ account, products }),
    heading: key.heading(products),
    blocks: [
      { kind: 'paragraph', text: key.given({ account, sender }) },
      ...content.products.map(({ name, weblink }): MailBlock => {
        return { kind: 'button', label: key.goTo(oneLineOf(name)), url: links.weblink(weblink) };
      }),
      ...(place === '' ? [] : [{ kind: 'paragraph', text: key.place(place) } as const]),
      {
        kind: 'paragraph',
        text: key.window({ from: timeOf(start_time), to: end_time === null ? null : timeOf(end_time) }),
      },
      { kind: 'paragraph', text: key.howTo },
      { kind: 'paragraph', text: key.keepPrivate },
      { kind: 'note', text: key.why(account) },
    ],
  };
}

function alertMail(content: AlertContent, { words, links }: { words: MailWords; links: MailLinks }): Written {
  const { event_time, timezone, camera_name, direction, access_decision, access_decision_reason } = content;
  const { alert } = words;
  const plate = oneLineOf(content.plate);
  const account = oneLineOf(content.account_name);
  const name = oneLineOf(content.alert_name);
  const timeOf = (ms: number) => localTime(ms, { locale: words.locale, timezone });
  const decision = alert.decisions[access_decision ?? 'none'];
  const reason = access_decision_reason === null ? '' : ` (${alert.reasons[access_decision_reason]})`;
  const picture = content.image_uid === null ? null : links.image(content.image_uid);
  const unsubscribe = links.unsubscribe(content.receiver_id);
  return {
    subject: alert.subject({ plate, alert: name }),
    heading: alert.heading(plate),
    blocks: [
      { kind: 'paragraph', text: alert.given({ alert: name, account }) },
      {
        kind: 'table',
        rows: [
          [alert.labels.plate, plate],
          [alert.labels.time, timeOf(event_time)],
          [alert.labels.place, `${oneLineOf(content.zone_name)}, ${oneLineOf(content.lot_name)}`],
          [alert.labels.camera, camera_name === null ? alert.enteredByHand : oneLineOf(camera_name)],
          [alert.labels.direction, alert.directions[direction]],
          [alert.labels.decision, decision + reason],
        ],
      },
      ...(picture === null
        ? []
        : ([
            { kind: 'button', label: alert.picture, url: picture.url },
            { kind: 'note', text: alert.pictureUntil(timeOf(picture.until)) },
          ] as const)),
      { kind: 'note', text: alert.why(account) },
      { kind: 'noteLink', label: alert.unsubscribe, url: unsubscribe },
    ],
    headers: {
      'List-Unsubscribe': `<${unsubscribe}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
  };
}

function resetMail(
  content: ResetContent,
  { words: { reset }, links }: { words: MailWords; links: MailLinks },
): Written {
  const account = oneLineOf(content.account_name);
  return {
    subject: reset.subject(account),
    heading: reset.heading,
    blocks: [
      { kind: 'paragraph', text: reset.asked({ account, user: oneLineOf(content.user_name) }) },
      { kind: 'button', label: reset.button, url: links.reset(content) },
      { kind: 'paragraph', text: reset.once },
      { kind: 'note', text: reset.notYou },
    ],
  };
}
