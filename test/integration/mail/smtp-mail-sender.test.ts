import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { OutgoingMail, SendingAnswer } from '../../../cloud/site/mail/mail-sender.js';
import { createSmtpMailSender } from '../../../cloud/site/mail/smtp-mail-sender.js';
import { systemClock } from '../../../shared/system-clock.js';
import { FakeClock } from '../../world/fake-clock.js';
import { forever, type MailServer, Refusal, startMailServer } from '../../world/mail-server.js';
import { tlsText } from '../../world/tls-fixtures.js';
import { waitUntil } from '../../../scripts/sim/wait-until.js';

const FROM = { name: '', address: 'parking@harbour.example' };
const MAIL: OutgoingMail = {
  message_id: '<0001@harbour.example>',
  to: 'ana@example.com',
  subject: 'Your key',
  text: 'Dobrodošli',
  html: '<p>Dobrodošli</p>',
  date: Date.UTC(2026, 5, 30),
  logo: null,
  headers: {},
};
const SERVER_TLS = { key: tlsText('server.key'), cert: tlsText('server.pem') };
const TRUSTED = tlsText('authority.pem');
const LOGIN = { user: 'parking@harbour', password: 'p@ss:w/rd' };

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function listen(options?: Parameters<typeof startMailServer>[0]): Promise<MailServer> {
  const server = await startMailServer(options);
  ends.push(server.close);
  return server;
}

function send(
  at: { url: string; ca?: string | null; clock?: FakeClock },
  changed: Partial<OutgoingMail> = {},
  signal = new AbortController().signal,
): Promise<SendingAnswer> {
  const place = { url: at.url, ca: at.ca ?? null };
  return createSmtpMailSender({ place, from: FROM, clock: at.clock ?? systemClock }).send(
    { ...MAIL, ...changed },
    signal,
  );
}
const url = ({ port }: MailServer, scheme = 'smtp', login = '') => `${scheme}://${login}127.0.0.1:${port}`;
const withLogin = `${encodeURIComponent(LOGIN.user)}:${encodeURIComponent(LOGIN.password)}@`;

describe('a mail server', () => {
  it('gets the mail whole', async () => {
    const server = await listen();
    expect(await send({ url: url(server) })).toEqual({ end: 'accepted' });
    expect(server.received).toMatchObject([{ from: FROM.address, to: ['ana@example.com'], isTls: false }]);
    expect(server.received[0]?.parsed).toMatchObject({ messageId: MAIL.message_id, subject: MAIL.subject });
    expect(server.received[0]?.parsed.text?.trim()).toBe('Dobrodošli');
  });

  it('is spoken to over TLS when it offers it, and when the address says so', async () => {
    const server = await listen(SERVER_TLS);
    expect(await send({ url: url(server), ca: TRUSTED })).toEqual({ end: 'accepted' });
    const secure = await listen({ ...SERVER_TLS, secure: true });
    expect(await send({ url: url(secure, 'smtps'), ca: TRUSTED })).toEqual({ end: 'accepted' });
    expect([...server.received, ...secure.received].map(({ isTls }) => isTls)).toEqual([true, true]);
  });

  it.each([
    ['smtp', 'that nobody vouches for', null],
    ['smtps', 'that nobody vouches for', null],
    ['smtp', 'of another authority', 'rogue.pem'],
  ])('gets nothing by %s with a certificate %s', async (scheme, _of, ca) => {
    const server = await listen({ ...SERVER_TLS, secure: scheme === 'smtps' });
    const answer = await send({ url: url(server, scheme), ca: ca === null ? null : tlsText(ca) });
    expect(answer).toMatchObject({
      end: 'unreached',
      reason: expect.stringMatching(/^The certificate of the mail server is not trusted/),
    });
    expect(server.received).toEqual([]);
  });

  it('is told user and password, and refuses wrong ones for the time being', async () => {
    const server = await listen({ ...SERVER_TLS, login: LOGIN });
    expect(await send({ url: url(server, 'smtp', withLogin), ca: TRUSTED })).toEqual({ end: 'accepted' });
    expect(server.received[0]?.user).toBe(LOGIN.user);
    expect(await send({ url: url(server, 'smtp', 'parking:wrong@'), ca: TRUSTED })).toMatchObject({
      end: 'unreached',
      reason: expect.stringMatching(
        /^The mail server does not accept user and password \(the mail server answered: 535/,
      ),
    });
    expect(await send({ url: url(server), ca: TRUSTED })).toMatchObject({ end: 'unreached', reason: /530/ });
  });

  it.each([
    [450, false],
    [451, false],
    [550, true],
    [552, true],
    [553, true],
  ])('may answer %i to a receiver', async (code, isFinal) => {
    const server = await listen();
    server.onReceiver = () => Promise.reject(new Refusal(code, 'Not this one'));
    expect(await send({ url: url(server) })).toEqual({
      end: 'refused',
      isFinal,
      reason: `The mail server answered: ${code} Not this one`,
      words: isFinal ? `RCPT TO ${code}  Not this one` : null,
    });
  });

  it.each([
    ['onSender', 550, '5.4.5 Daily user sending limit exceeded'],
    ['onSender', 553, '5.7.1 Sender address rejected: not owned by user'],
    ['onSender', 501, 'no'],
    ['onReceiver', 550, '5.4.5 Daily limit'],
    ['onMessage', 554, '5.7.0 The limit on the number of allowed outgoing messages was exceeded'],
    ['onMessage', 552, '5.5.0 Sending quota exceeded'],
  ] as const)('may bar this service at %s by %i %s', async (when, code, words) => {
    const server = await listen();
    server[when] = () => Promise.reject(new Refusal(code, words));
    expect(await send({ url: url(server) })).toEqual({
      end: 'barred',
      reason: `The mail server answered: ${code} ${words}`,
    });
  });

  it('may be about to stop', async () => {
    const server = await listen();
    server.onReceiver = () => Promise.reject(new Refusal(421, 'Closing'));
    expect(await send({ url: url(server) })).toEqual({
      end: 'unreached',
      reason: 'The mail server answered: 421 Closing',
    });
  });

  it.each([
    [452, false],
    [554, true],
  ])('may answer %i to the message', async (code, isFinal) => {
    const server = await listen();
    server.onMessage = () => Promise.reject(new Refusal(code, 'Not so'));
    expect(await send({ url: url(server) })).toMatchObject({ end: 'refused', isFinal });
  });

  it('may refuse one receiver and accept others', async () => {
    const server = await listen();
    server.onReceiver = (address) => {
      if (address.startsWith('bob')) throw new Refusal(550, 'No such user');
    };
    const answers = await Promise.all(
      ['ana', 'bob', 'cleo'].map((to) => send({ url: url(server) }, { to: `${to}@example.com` })),
    );
    expect(answers.map(({ end }) => end)).toEqual(['accepted', 'refused', 'accepted']);
  });

  it('may drop the connection after the message', async () => {
    const server = await listen();
    server.onMessage = () => {
      server.cut();
      return forever();
    };
    expect(await send({ url: url(server) })).toMatchObject({
      end: 'unreached',
      reason: /^No connection to the mail server/,
    });
  });

  it('may be down', async () => {
    const server = await startMailServer();
    await server.close();
    expect(await send({ url: url(server) })).toEqual({
      end: 'unreached',
      reason: 'No connection to the mail server (ECONNREFUSED)',
    });
  });

  it('may have no address', async () => {
    expect(await send({ url: 'smtp://mail.invalid' })).toMatchObject({ end: 'unreached', reason: /name/ });
  });

  it('may speak no SMTP', async () => {
    const server = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    ends.push(() => new Promise((resolve) => server.close(() => resolve())));
    expect(await send({ url: `smtp://127.0.0.1:${port}` })).toMatchObject({ end: 'unreached' });
  });

  it('may take too long, and is left after a minute', async () => {
    const server = await listen();
    const clock = new FakeClock();
    let isAsked = false;
    server.onReceiver = () => {
      isAsked = true;
      return forever();
    };
    const answer = send({ url: url(server), clock });
    await waitUntil('the receiver to be named', () => isAsked);
    await clock.advance(60_000);
    expect(await answer).toMatchObject({ end: 'unreached', reason: /took too long/ });
  });

  it('is left when the service stops', async () => {
    const server = await listen();
    const stopping = new AbortController();
    server.onReceiver = () => {
      stopping.abort();
      return forever();
    };
    expect(await send({ url: url(server) }, {}, stopping.signal)).toMatchObject({ end: 'unreached' });
  });
});

describe('an address', () => {
  it.each([
    ['ana+parking@example.com', 'ana+parking@example.com'],
    ['"a,b"@example.com', '"a,b"@example.com'],
    ["o'hara@example.com", "o'hara@example.com"],
    // The library shows the name of the domain as people write it; it came as ASCII.
    ['ana@čakovec.hr', 'ana@čakovec.hr'],
    [`${'a'.repeat(64)}@${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.ex`, null],
  ])('%s is the one receiver', async (to, asSent) => {
    const server = await listen();
    expect(await send({ url: url(server) }, { to })).toEqual({ end: 'accepted' });
    expect(server.received.map((mail) => mail.to)).toEqual([[asSent ?? to]]);
  });

  it.each([
    'ana@example.com\r\nRCPT TO:<bob@example.com>',
    'ana@example.com>\r\nDATA',
    'ana@example.com,bob@example.com',
    'ana@example.com bob@example.com',
    'ana@[192.0.2.7]',
    'nobody',
    '',
  ])('%j reaches nobody', async (to) => {
    const server = await listen();
    const reason = 'The receiver is no e-mail address';
    expect(await send({ url: url(server) }, { to })).toEqual({
      end: 'refused',
      isFinal: true,
      reason,
      words: null,
    });
    expect([server.connections, server.received]).toEqual([0, []]);
  });
});
