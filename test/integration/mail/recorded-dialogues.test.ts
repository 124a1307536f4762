/** What a mail server hears, byte by byte, whatever address a guest gave and whatever people wrote into names: one receiver, and our headers. */
import * as fc from '../../property.js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { composeMessage } from '../../../cloud/site/mail/compose-message.js';
import type { AlertContent, KeyContent, MailContent } from '../../../cloud/site/mail/mail-content.js';
import { PLAIN_FACE } from '../../../cloud/site/mail/mail-face.js';
import type { OutgoingMail } from '../../../cloud/site/mail/mail-sender.js';
import { createSmtpMailSender } from '../../../cloud/site/mail/smtp-mail-sender.js';
import { createMailWriter } from '../../../cloud/site/mail/write-mail.js';
import { encodeJson } from '../../../shared/json-text-codec.js';
import { mailAddressSchema } from '../../../shared/mail-address.js';
import { systemClock } from '../../../shared/system-clock.js';
import { runs, runsTimeoutMs } from '../../depth.js';
import { type SmtpDialogue, type SmtpRecorder, startSmtpRecorder } from '../../world/smtp-recorder.js';
import { asciiOf, expectOneMail, receiversOf } from './expect-dialogue.js';
import { anyAddress, hostileText } from './mail-arbitraries.js';
import { KEY_CONTENT, LINKS } from './mail-world.js';

const FROM = { name: 'Harbour, "the" Parking', address: 'parking@harbour.example' };
/** The headers of every mail, in their order. */
const HEADERS = {
  key: [
    'Content-Language',
    'Auto-Submitted',
    'From',
    'To',
    'Subject',
    'Message-ID',
    'Date',
    'MIME-Version',
    'Content-Type',
  ],
  alert: [
    'Content-Language',
    'Auto-Submitted',
    'List-Unsubscribe',
    'List-Unsubscribe-Post',
    'From',
    'To',
    'Subject',
    'Message-ID',
    'Date',
    'MIME-Version',
    'Content-Type',
  ],
};
/** RFC 5321, 4.5.3.1.6, without the line's end. */
const LINE_BYTES_MAX = 998;

const keyContent: fc.Arbitrary<KeyContent> = fc
  .tuple(hostileText, fc.option(hostileText), hostileText, fc.array(hostileText, { minLength: 1, maxLength: 3 }))
  .map(([account_name, sender_name, place, names]) => ({
    ...KEY_CONTENT,
    account_name,
    sender_name,
    place,
    products: names.map((name) => ({ name, weblink: { id: 'weblink-0001', generation: 0 } })),
  }));
const alertContent: fc.Arbitrary<AlertContent> = fc
  .tuple(hostileText, hostileText, hostileText, hostileText, hostileText, fc.option(hostileText))
  .map(([account_name, alert_name, plate, lot_name, zone_name, camera_name]) => ({
    account_name,
    alert_name,
    plate,
    lot_name,
    zone_name,
    camera_name,
    receiver_id: 7,
    event_time: Date.UTC(2026, 6, 1, 8),
    timezone: 'Europe/Zagreb',
    direction: 'in',
    access_decision: 'denied',
    access_decision_reason: 'no_tariff',
    image_uid: 'f1e2',
  }));
const anyMail = fc
  .tuple(
    anyAddress,
    fc.oneof(
      keyContent.map((content) => ({ kind: 'key' as const, content })),
      alertContent.map((content) => ({ kind: 'alert' as const, content })),
    ),
    fc.constantFrom('en', 'de', 'hr', 'hu'),
  )
  .map(([to, { kind, content }, locale]) => ({ to, kind, mail: written(to, { kind, content, locale }) }));

function written(to: string, of: { kind: 'key' | 'alert'; content: MailContent; locale: string }): OutgoingMail {
  return createMailWriter(LINKS)({
    id: 1,
    account_id: 1,
    kind: of.kind,
    receiver_email: to,
    locale: of.locale,
    content: encodeJson(of.content),
    attempts: 1,
    created_at: Date.UTC(2026, 5, 30, 9),
    message_id: '<0001@harbour.example>',
    tries_began_at: 0,
    face: PLAIN_FACE,
  });
}

let recorder: SmtpRecorder;
beforeAll(async () => {
  recorder = await startSmtpRecorder();
});
afterAll(() => recorder.close());
afterEach(() => recorder.clear());

async function dialoguesOf(mail: OutgoingMail): Promise<{ end: string; dialogues: SmtpDialogue[] }> {
  const place = { url: `smtp://127.0.0.1:${recorder.port}`, ca: null };
  recorder.clear();
  const { end } = await createSmtpMailSender({ place, from: FROM, clock: systemClock }).send(
    mail,
    new AbortController().signal,
  );
  await recorder.ended();
  return { end, dialogues: [...recorder.dialogues] };
}

/** The header lines of a message, each unfolded, as a reader finds them for whom any line end ends a line. */
function headerLines(message: Buffer): string[] {
  const lines = message.toString('utf8').split(/\r\n|\r|\n/);
  return lines
    .slice(0, lines.indexOf(''))
    .join('\n')
    .replaceAll(/\n(?=[ \t])/g, '')
    .split('\n');
}

describe('a mail to any address, with any text in it', () => {
  it(
    'is one dialogue with one receiver, and its headers are those of every mail',
    async () => {
      const counts = { accepted: 0, refused: 0 };
      await fc.assert(
        fc.asyncProperty(anyMail, async ({ to, kind, mail }) => {
          const given = mailAddressSchema.safeParse(to);
          const outgoing = { ...mail, to: given.data ?? to };
          const { end, dialogues } = await dialoguesOf(outgoing);
          counts[given.success ? 'accepted' : 'refused'] += 1;
          // What REST refuses reaches no server, should it come into the queue by another way.
          expect([end, dialogues.length]).toEqual(given.success ? ['accepted', 1] : ['refused', 0]);
          for (const dialogue of dialogues) {
            expectOneMail(dialogue);
            expect(receiversOf(dialogue)).toEqual([asciiOf(outgoing.to)]);
            const [message = Buffer.of()] = dialogue.messages;
            const headers = headerLines(message);
            expect(headers.map((line) => line.split(':', 1)[0])).toEqual(HEADERS[kind]);
            const receiver = headers.find((line) => line.startsWith('To:')) ?? '';
            expect(asciiOf(receiver.replace(/^To: ?<?/, '').replace(/>$/, ''))).toBe(asciiOf(outgoing.to));
            const text = message.toString('latin1');
            expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n\0]/);
            expect(Math.max(...text.split('\r\n').map((line) => line.length))).toBeLessThanOrEqual(LINE_BYTES_MAX);
            // No line of it was taken for its end.
            const whole = await composeMessage(outgoing, FROM);
            expect(text.replaceAll(/^\./gm, '').trimEnd()).toBe(whole.toString('latin1').trimEnd());
          }
        }),
        { numRuns: runs(400) },
      );
      process.stdout.write(`recorded dialogues: ${JSON.stringify(counts)}\n`);
    },
    runsTimeoutMs(60_000),
  );
});
