/** Addresses of every legal and illegal kind, made at random: what REST accepts reaches exactly that receiver, and nothing else reaches anybody. */
import * as fc from '../../property.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { composeMessage } from '../../../cloud/site/mail/compose-message.js';
import { createSmtpMailSender } from '../../../cloud/site/mail/smtp-mail-sender.js';
import type { OutgoingMail } from '../../../cloud/site/mail/mail-sender.js';
import { isMailAddress, mailAddressSchema } from '../../../shared/mail-address.js';
import { systemClock } from '../../../shared/system-clock.js';
import { runs, runsTimeoutMs } from '../../depth.js';
import { brokenAddress, carriedAddress, international, legalAddress, poisonedAddress } from './mail-arbitraries.js';
import { type MailServer, startMailServer } from '../../world/mail-server.js';

const FROM = { name: 'Harbour, "the" Parking', address: 'parking@harbour.example' };
const MAIL: Omit<OutgoingMail, 'to'> = {
  message_id: '<generated@harbour.example>',
  subject: 'Your key',
  text: 'Welcome',
  html: '<p>Welcome</p>',
  date: Date.UTC(2026, 5, 30),
  logo: null,
  headers: {},
};

let server: MailServer;
beforeAll(async () => {
  server = await startMailServer();
});
afterAll(() => server.close());

const send = (to: string) => {
  const place = { url: `smtp://127.0.0.1:${server.port}`, ca: null };
  const sender = createSmtpMailSender({ place, from: FROM, clock: systemClock });
  return sender.send({ ...MAIL, to }, new AbortController().signal);
};
const headersOf = (message: string) => message.slice(0, message.indexOf('\r\n\r\n'));
const asciiOf = (address: string) => {
  const at = address.lastIndexOf('@');
  return `${address.slice(0, at)}@${new URL(`http://${address.slice(at + 1)}`).hostname}`;
};

describe('generated addresses', () => {
  it('are accepted when they are legal, and have one form', () => {
    fc.assert(
      fc.property(legalAddress, (address) => {
        const parsed = mailAddressSchema.safeParse(address);
        expect([address, parsed.success]).toEqual([address, true]);
        expect(mailAddressSchema.parse(parsed.data)).toBe(parsed.data);
      }),
      { numRuns: runs(1_000) },
    );
  });

  it(
    'reach that receiver alone when they are legal',
    async () => {
      await fc.assert(
        fc.asyncProperty(carriedAddress, async (address) => {
          const to = mailAddressSchema.parse(address);
          server.received.length = 0;
          expect(await send(to)).toEqual({ end: 'accepted' });
          const [mail, ...others] = server.received;
          expect(others).toEqual([]);
          expect(mail?.to.map(asciiOf)).toEqual([asciiOf(to)]);
          const headers = headersOf(mail?.raw ?? '');
          expect(headers.match(/^(to|cc|bcc):/gim)).toHaveLength(1);
        }),
        { numRuns: runs(15, 40) },
      );
    },
    runsTimeoutMs(60_000, 10),
  );

  it('are refused when they are illegal', () => {
    fc.assert(
      fc.property(fc.oneof(poisonedAddress, brokenAddress), (address) => {
        // A zero-width character inside quotes is still none that is seen.
        expect([address, mailAddressSchema.safeParse(address).success]).toEqual([address, false]);
      }),
      { numRuns: runs(2_000) },
    );
  });

  it('put no line into a message, nor anybody into its envelope, whatever characters they have', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(poisonedAddress, fc.string({ unit: fc.anyCharacter })), async (to) => {
        // REST refuses them; should one reach the queue by another way, its mail still is for nobody else.
        const message = (await composeMessage({ ...MAIL, to }, FROM)).toString('utf8');
        const unfolded = headersOf(message).replaceAll(/\r\n[ \t]/g, ' ');
        expect(unfolded.split('\r\n').filter((line) => /^(bcc|cc|rcpt)/i.test(line))).toEqual([]);
      }),
      { numRuns: runs(300) },
    );
  });

  it('have 64 and 254 bytes at most, however many characters these are', () => {
    fc.assert(
      fc.property(
        international,
        fc.integer({ min: 1, max: 80 }),
        fc.integer({ min: 1, max: 260 }),
        (text, inLocal, inDomain) => {
          const name = text.repeat(80).slice(0, inLocal);
          const at = `${'abcdefgh.'.repeat(40).slice(0, inDomain).replace(/\.$/, 'x')}.example`;
          const address = `${name}@${at}`;
          const fits = Buffer.byteLength(name) <= 64 && Buffer.byteLength(address) <= 254 && at.length <= 253;
          expect([address, isMailAddress(address)]).toEqual([address, fits]);
        },
      ),
      { numRuns: runs(500) },
    );
  });
});
