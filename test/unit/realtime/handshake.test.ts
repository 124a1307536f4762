import { describe, expect, it } from 'vitest';
import { parseCursor } from '../../../cloud/doors/realtime/cursor.js';
import { readHandshake } from '../../../cloud/doors/realtime/handshake.js';

describe('handshake', () => {
  it.each([
    ['nothing', {}, null],
    ['a header', { authorization: 'Bearer h' }, 'h'],
    ['the scheme in another case', { authorization: 'bearer h' }, 'h'],
    ['another scheme, then the subprotocol', { authorization: 'Basic h', subprotocols: 'bearer, s' }, 's'],
    [
      'header before subprotocol before query',
      { authorization: 'Bearer h', subprotocols: 'bearer, s', query: 'token=q' },
      'h',
    ],
    ['subprotocol before query', { subprotocols: 'bearer,s', query: 'token=q' }, 's'],
    ['a pair among others', { subprotocols: 'chat, bearer, s, other' }, 's'],
    ['bearer without a token', { subprotocols: 'bearer', query: 'token=q' }, ''],
    ['other subprotocols only', { subprotocols: 'chat', query: 'token=q' }, 'q'],
    ['an empty query token', { query: 'token=' }, ''],
  ])('%s', (_name, given: { authorization?: string; subprotocols?: string; query?: string }, token) => {
    const handshake = readHandshake({
      query: new URLSearchParams(given.query ?? ''),
      authorization: given.authorization,
      subprotocols: given.subprotocols,
    });
    expect(handshake).toEqual({ token, lastEventId: null });
  });

  it.each([
    ['1', 1],
    ['9007199254740991', 9007199254740991],
    ['9007199254740992', null],
    ['01', null],
    ['0', 0],
    ['-1', null],
    ['1.5', null],
    ['1e3', null],
    [' 1', null],
    ['', null],
  ])('cursor %j is %j', (text, cursor) => {
    expect(parseCursor(text)).toBe(cursor);
  });
});
