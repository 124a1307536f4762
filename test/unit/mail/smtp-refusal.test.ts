import { describe, expect, it } from 'vitest';
import { commonWords, isOfTheSender } from '../../../cloud/site/mail/smtp-refusal.js';

const of = (command: string, response: string) => ({ command, response });

describe('a final answer of a mail server', () => {
  it.each([
    ['MAIL FROM', '550 5.4.5 Daily user sending limit exceeded'],
    ['MAIL FROM', '553 5.7.1 Sender address rejected: not owned by user'],
    ['MAIL FROM', '501 5.1.7 Bad sender address syntax'],
    ['MAIL FROM', '550 Denied'],
    ['RCPT TO', '550 5.4.5 Recipient limit of the day'],
    ['DATA', '554 5.7.0 The limit on the number of allowed outgoing messages was exceeded. Try again later.'],
    ['DATA', '550 5.7.1 Your daily QUOTA is used up'],
    ['DATA', '552 quota exceeded'],
  ])('is about the sender: %s %s', (command, response) => {
    expect(isOfTheSender(of(command, response))).toBe(true);
  });

  it.each([
    ['RCPT TO', '550 5.1.1 No such user'],
    ['RCPT TO', '552 5.2.2 The account that you tried to reach is over quota'],
    ['RCPT TO', '552 Mailbox over quota'],
    ['DATA', '552 5.3.4 Message too big'],
    ['DATA', '554 5.6.0 Malformed'],
    ['DATA', '550 5.70.1 Not x.7.0'],
  ])('is about the letter: %s %s', (command, response) => {
    expect(isOfTheSender(of(command, response))).toBe(false);
  });

  it.each([
    ['554 5.7.1 Rejected as spam, id 4YF1x22', '554 5.7.1 Rejected as spam, id 9QZ0a17'],
    ['550 <ana@example.com>: blocked', '550 <bob@example.org>: blocked'],
    ['550 ana@example.com is blocked (queue 12)', '550 bob@example.org is blocked (queue 9813)'],
  ])('to two letters has the same words: %s', (one, other) => {
    expect(commonWords(of('DATA', one))).toBe(commonWords(of('DATA', other)));
  });

  it('has other words where it says something else, or elsewhere', () => {
    const said = [
      of('DATA', '554 5.7.1 Spam'),
      of('DATA', '554 5.6.0 Spam'),
      of('DATA', '550 5.7.1 Spam'),
      of('RCPT TO', '554 5.7.1 Spam'),
      of('DATA', '554 5.7.1 Virus'),
    ].map(commonWords);
    expect(new Set(said).size).toBe(said.length);
  });

  it.each(['550 5.1.1 <a@b.example> User unknown', '552 5.2.2 Over quota', '550 Mailbox unavailable'])(
    'about a receiver says nothing of other letters: %s',
    (response) => {
      expect(commonWords(of('RCPT TO', response))).toBeNull();
    },
  );
});
