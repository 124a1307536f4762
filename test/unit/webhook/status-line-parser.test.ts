import * as fc from '../../property.js';
import { describe, expect, it } from 'vitest';
import { parseStatusLine } from '../../../cloud/doors/webhook/status-line-parser.js';

describe('the status of an answer', () => {
  it.each([
    ['HTTP/1.1 200 OK\r\n', 200],
    ['HTTP/1.1 410 Gone\nContent-Length: 0\n\n', 410],
    ['HTTP/1.0 204 \r\n\r\n', 204],
    ['HTTP/2 202\r\n', 202],
    ['\r\n\nHTTP/1.1 500 Größe\r\n', 500],
    ['HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 100 Continue\n\nHTTP/1.1 200 OK\n', 200],
    ['HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 410 Gone\r\n', 200],
  ])('is read from %j as %i', (text, status) => {
    expect(parseStatusLine(text)).toBe(status);
  });

  it.each([
    '',
    'HTTP/1.1 200 OK',
    'HTTP/1.1 20',
    'HTTP/1.1 2000 OK\r\n',
    'HTTP/1.1 200OK\r\n',
    'HTTP/1.1 099 OK\r\n',
    'HTTP/1.1 103 Early Hints\r\nHTTP/1.1 200 OK\r\n',
    'HTTP/1.1 101 Switching Protocols\r\n\r\nhello',
    'SSH-2.0-OpenSSH\r\nHTTP/1.1 200 OK\r\n',
    '<html>HTTP/1.1 200 OK\r\n',
    'HTTP/1.1 200 OK\rContent-Length: 0\r\r',
  ])('is not in %j', (text) => {
    expect(parseStatusLine(text)).toBeNull();
  });

  it('is known as soon as its line has ended, and what follows changes nothing', () => {
    fc.assert(
      fc.property(fc.integer({ min: 200, max: 999 }), fc.string(), (status, rest) => {
        expect(parseStatusLine(`HTTP/1.1 ${status} x\r\n${rest}`)).toBe(status);
      }),
    );
  });
});
