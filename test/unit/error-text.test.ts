import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { errorText } from '../../shared/error-text.js';

const coded = (message: string, code: string) => Object.assign(new Error(message), { code });

it.each([
  [new Error('it broke'), 'it broke'],
  ['a word', 'a word'],
  [{ code: 'SQLITE_FULL', message: 'of another thread' }, 'of another thread'],
  [undefined, 'undefined'],
  [new AggregateError([new Error('over IPv6'), new Error('over IPv4')]), 'over IPv6; over IPv4'],
  [new AggregateError([new Error('the same'), new Error('the same')]), 'the same'],
  [new AggregateError([new AggregateError([coded('', 'EHOSTUNREACH')])]), 'EHOSTUNREACH'],
  [Object.assign(new AggregateError([]), { code: 'ETIMEDOUT' }), 'ETIMEDOUT'],
  [new TypeError('fetch failed', { cause: new AggregateError([new Error('over IPv4')]) }), 'over IPv4'],
  [new TypeError('fetch failed'), 'fetch failed'],
  [new Error('', { cause: new Error('behind it') }), 'behind it'],
  [new Error('in our words', { cause: new Error('behind it') }), 'in our words'],
  [new RangeError(), 'RangeError'],
])('tells %s as a text that is never empty', (thrown, text) => {
  expect(errorText(thrown)).toBe(text);
});

it('ends where an error is its own cause', () => {
  const circle = new Error('');
  circle.cause = circle;
  expect(errorText(circle)).toBe('Error');
});

it('tells what Node throws where a name has two addresses', async () => {
  // Nothing listens at either address; the error of Node itself has no text.
  const lookup = (_name: string, _options: unknown, done: (error: null, found: object[]) => void) =>
    done(null, [
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ]);
  const error = await new Promise<Error>((resolve) => {
    connect({ host: 'two.example', port: 1, lookup: lookup as never, autoSelectFamily: true }).once('error', resolve);
  });
  expect([error.message, errorText(error)]).toEqual(['', expect.stringMatching(/127\.0\.0\.1:1.*; .*::1/)]);
});
