import { type ParsedMail, simpleParser } from 'mailparser';
import { describe, expect, it } from 'vitest';
import { composeMessage } from '../../../cloud/site/mail/compose-message.js';
import type { AlertContent, KeyContent } from '../../../cloud/site/mail/mail-content.js';
import { accentsOf } from '../../../shared/accent.js';
import { PLAIN_FACE } from '../../../cloud/site/mail/mail-face.js';
import type { DueMail } from '../../../cloud/site/mail/mail-turn-queries.js';
import { createMailWriter } from '../../../cloud/site/mail/write-mail.js';
import { LANGUAGES } from '../../../shared/languages.js';
import { localTime } from '../../../cloud/site/words/local-time.js';
import { encodeJson } from '../../../shared/json-text-codec.js';
import { KEY_CONTENT, LINKS } from './mail-world.js';

const FROM = { name: 'Harbour Parking', address: 'parking@harbour.example' };
const ALERT_CONTENT: AlertContent = {
  account_name: 'Harbour',
  alert_name: 'Stolen',
  receiver_id: 7,
  plate: 'ST0LEN1',
  event_time: Date.UTC(2026, 6, 1, 8),
  timezone: 'Europe/Zagreb',
  lot_name: 'North',
  zone_name: 'Level 0',
  camera_name: 'Entry camera',
  direction: 'in',
  access_decision: 'denied',
  access_decision_reason: 'no_tariff',
  image_uid: 'f1e2',
};

/** Versions of Node.js differ in the commas of times. */
const inEnglish = (ms: number) => localTime(ms, { locale: 'en-GB', timezone: 'Europe/Zagreb' });

/** Writes a mail, and reads it as a mail program does. */
async function written(
  content: { key: KeyContent } | { alert: AlertContent },
  changed: Partial<DueMail> = {},
): Promise<{ raw: string; parsed: ParsedMail; headers: string }> {
  const due: DueMail = {
    id: 1,
    account_id: 1,
    kind: 'key' in content ? 'key' : 'alert',
    receiver_email: 'ana@example.com',
    locale: null,
    content: encodeJson('key' in content ? content.key : content.alert),
    attempts: 1,
    created_at: Date.UTC(2026, 5, 30, 9),
    message_id: '<0001@harbour.example>',
    tries_began_at: 0,
    face: PLAIN_FACE,
    ...changed,
  };
  const raw = await composeMessage(createMailWriter(LINKS)(due), FROM);
  const text = raw.toString('utf8');
  return { raw: text, parsed: await simpleParser(raw), headers: text.slice(0, text.indexOf('\r\n\r\n')) };
}

const addressesIn = (html: string | false | undefined): string[] =>
  [...(html || '').matchAll(/(?:href|src)="([^"]*)"/g)].map(([, address = '']) => address.replaceAll('&amp;', '&'));

describe('the mail of a key', () => {
  it('says who gives it, what it opens, when, and where', async () => {
    const { parsed } = await written({ key: KEY_CONTENT });
    expect(parsed.from?.text).toBe('"Harbour Parking" <parking@harbour.example>');
    expect(parsed.subject).toBe('Your key to Entry barrier (Harbour)');
    expect(parsed.messageId).toBe('<0001@harbour.example>');
    expect(parsed.date).toEqual(new Date(Date.UTC(2026, 5, 30, 9)));
    expect(parsed.headers.get('auto-submitted')).toBe('auto-generated');
    expect(parsed.text).toBe(`Your key to Entry barrier

Olga of Harbour has given you a key.

Go to Entry barrier:
https://parking.example/weblinks/weblink-0001#token-0

Where: North, Quay 1

Valid from ${inEnglish(KEY_CONTENT.start_time)} until ${inEnglish(KEY_CONTENT.end_time ?? 0)}.

The link leads to a page with a button. Nothing moves before you press it.

Whoever has the link can use it: do not pass it on.

You get this mail because Harbour entered your address for a key. If you expect none, there is nothing to do.
`);
    expect(addressesIn(parsed.html)).toEqual(['https://parking.example/weblinks/weblink-0001#token-0']);
  });

  it.each([
    ['de-AT', 'Ihr Schlüssel zu Entry barrier (Harbour)', 'Gültig von Mittwoch, 1. Juli 2026 um 10:00 MESZ bis'],
    ['hr', 'Vaš ključ: Entry barrier (Harbour)', 'Vrijedi od srijeda, 1. srpnja 2026. u 10:00 CEST do'],
    ['hu-HU', 'Az Ön kulcsa: Entry barrier (Harbour)', 'Érvényes ettől: 2026. július 1., szerda 10:00 CEST, eddig:'],
    ['fr', 'Your key to Entry barrier (Harbour)', 'Valid from'],
  ])('is in the language of %s', async (locale, subject, part) => {
    const { parsed } = await written({ key: KEY_CONTENT }, { locale });
    expect(parsed.subject).toBe(subject);
    expect(parsed.text).toContain(part);
  });

  it('names no place for products that are in no lot', async () => {
    expect((await written({ key: { ...KEY_CONTENT, place: '' } })).parsed.text).not.toContain('Where:');
  });

  it('has a link for each product, and no end when there is none', async () => {
    const products = ['Entry', 'Exit'].map((name, generation) => ({ name, weblink: { id: name, generation } }));
    const { parsed } = await written({ key: { ...KEY_CONTENT, products, sender_name: null, end_time: null } });
    expect(parsed.subject).toBe('Your keys from Harbour');
    expect(parsed.text).toContain('Harbour has given you a key.');
    expect(parsed.text).toContain('without an end');
    expect(addressesIn(parsed.html)).toEqual([
      'https://parking.example/weblinks/Entry#token-0',
      'https://parking.example/weblinks/Exit#token-1',
    ]);
  });
});

describe('the mail of an alert', () => {
  it('says what was seen, and where its mails end', async () => {
    const { parsed, headers } = await written({ alert: ALERT_CONTENT });
    expect(parsed.subject).toBe('ST0LEN1 was seen (Stolen)');
    expect(parsed.text).toContain(`Licence plate: ST0LEN1
Time: ${inEnglish(ALERT_CONTENT.event_time)}
Place: Level 0, North
Camera: Entry camera
Direction: driving in
Decision: not let through (not permitted here)`);
    expect(parsed.text).toContain('https://parking.example/v2/images/f1e2?expires=1&signature=s');
    expect(parsed.text).toContain(`The picture can be seen until ${inEnglish(LINKS.image('').until)}.`);
    expect(headers).toContain('List-Unsubscribe: <https://parking.example/mails/unsubscribe/7.signature>\r\n');
    expect(headers).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n');
    expect(addressesIn(parsed.html)).toEqual([
      'https://parking.example/v2/images/f1e2?expires=1&signature=s',
      'https://parking.example/mails/unsubscribe/7.signature',
    ]);
  });

  it('says so when there is no picture, no camera and no decision', async () => {
    const { parsed } = await written({
      alert: {
        ...ALERT_CONTENT,
        image_uid: null,
        camera_name: null,
        direction: 'undefined',
        access_decision: null,
        access_decision_reason: null,
      },
    });
    expect(parsed.text).toContain('Camera: none: a person entered the plate\nDirection: not known\nDecision: none\n');
    expect(parsed.text).not.toContain('/v2/images/');
  });
});

describe('every mail', () => {
  const kinds = { key: { key: KEY_CONTENT }, alert: { alert: ALERT_CONTENT } } as const;
  const cases = LANGUAGES.flatMap((locale) =>
    Object.keys(kinds).map((kind) => [locale, kind as keyof typeof kinds] as const),
  );

  it.each(cases)('loads nothing from anywhere, and keeps its lines short (%s, %s)', async (locale, kind) => {
    const { raw, parsed } = await written(kinds[kind], { locale });
    expect(parsed.html).toMatch(new RegExp(`<html lang="${locale}">`));
    expect(parsed.html).not.toMatch(/\bsrc=|url\(|@import|<script|<link|undefined|null/);
    expect(parsed.text).not.toMatch(/undefined|null|\[object/);
    expect(Math.max(...raw.split('\r\n').map((line) => line.length))).toBeLessThan(998);
    expect(raw.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
    expect(raw.length).toBeLessThan(20_000);
  });

  it('is the same when it is sent again', async () => {
    expect((await written({ key: KEY_CONTENT })).raw).toBe((await written({ key: KEY_CONTENT })).raw);
  });

  it.each([
    '\r\nBcc: victim@example.com\r\n\r\nBody',
    '\n\n<h1>x',
    '\u2028X: y',
    '\0',
    '<script>alert("1")</script>&amp;',
    '=?utf-8?Q?=0D=0ABcc:_v@example.com?=',
  ])('lets nobody add a header or an element: %j', async (evil) => {
    const products = [{ name: `Gate${evil}`, weblink: { id: 'weblink-0001', generation: 0 } }];
    const texts = { account_name: `A${evil}`, sender_name: `S${evil}`, products };
    const alert = {
      account_name: evil,
      alert_name: evil,
      plate: evil,
      zone_name: evil,
      lot_name: evil,
      camera_name: evil,
    };
    const usual = { key: await written({ key: KEY_CONTENT }), alert: await written({ alert: ALERT_CONTENT }) };
    for (const [kind, mail] of Object.entries({
      key: await written({ key: { ...KEY_CONTENT, ...texts } }),
      alert: await written({ alert: { ...ALERT_CONTENT, ...alert } }),
    })) {
      const names = ({ parsed }: { parsed: ParsedMail }) => parsed.headerLines.map(({ key }) => key);
      expect(names(mail)).toEqual(names(usual[kind as keyof typeof usual]));
      expect(mail.parsed.to).toMatchObject({ text: 'ana@example.com' });
      const elements = (html: string | false | undefined) => (html || '').match(/<[a-z1-9]+/g);
      expect(elements(mail.parsed.html)).toEqual(elements(usual[kind as keyof typeof usual].parsed.html));
    }
  });

  it('is as long as its names are, and no longer', async () => {
    const long = '😀'.repeat(200);
    const products = Array.from({ length: 50 }, () => ({ name: long, weblink: { id: 'w'.repeat(64), generation: 0 } }));
    const { raw, parsed } = await written({ key: { ...KEY_CONTENT, account_name: long, sender_name: long, products } });
    expect([...(parsed.subject ?? '')].length).toBe(200);
    expect(raw.length).toBeLessThan(500_000);
  });
});

describe('the face of the account', () => {
  const contact = { name: 'Ana', email: 'ana@harbour.example', phone: '+385 1 234' };

  it('is in its mails: the logo as a part of the mail, the colour, and whom to ask', async () => {
    const logo = Buffer.from('89504e470d0a1a0a', 'hex');
    const face = { name: 'Harbour', colour: '#0b6b5d', logo, contact };
    const { parsed, raw } = await written({ key: KEY_CONTENT }, { face });
    expect(parsed.text).toContain('Questions? Ask Ana, ana@harbour.example, +385 1 234.');
    expect(parsed.attachments).toMatchObject([{ cid: 'logo@account', contentType: 'image/png', related: true }]);
    expect(parsed.attachments[0]?.content.equals(logo)).toBe(true);
    expect(raw).toContain('cid:logo@account');
    const { light, dark } = accentsOf('#0b6b5d');
    expect(parsed.html).toContain(`background:${light.accent}`);
    expect(parsed.html).toContain(`background: ${dark.accent} !important`);
    const again = await written({ key: KEY_CONTENT }, { face });
    expect(again.raw).toBe(raw);
  });

  it('is text, and no HTML', async () => {
    const evil = '"><img src=x onerror=alert(1)>';
    const face = {
      name: evil,
      colour: null,
      logo: Buffer.from('x'),
      contact: { name: evil, email: '', phone: '\n\nBcc: x' },
    };
    const { parsed, headers } = await written({ key: KEY_CONTENT }, { face, locale: 'de' });
    expect(parsed.html).not.toContain('<img src=x');
    expect(parsed.text).toContain(`Fragen? Wenden Sie sich an ${evil}, Bcc: x.`);
    expect(headers).not.toMatch(/^Bcc/m);
  });
});
