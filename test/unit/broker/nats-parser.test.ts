import * as fc from '../../property.js';
import { describe, expect, it } from 'vitest';
import { createNatsParser, type NatsFrame } from '../../../cloud/equipment/broker/nats-parser.js';

const bytes = (text: string): Uint8Array => Buffer.from(text, 'utf8');
const shown = (frames: NatsFrame[]) =>
  frames.map((frame) =>
    'line' in frame ? frame.line : `${frame.subscription}: ${Buffer.from(frame.payload).toString('utf8')}`,
  );

const STREAM =
  'INFO {"a":1}\r\nPONG\r\nMSG a.b 1 5\r\nhello\r\nMSG a 12 _INBOX.x 0\r\n\r\nMSG a.c 3  4\r\n\r\nä\r\nPING\r\n';
const FRAMES = ['INFO {"a":1}', 'PONG', '1: hello', '12: ', '3: \r\nä', 'PING'];

describe('what a NATS server sends', () => {
  it('is cut into lines and messages, whatever the messages hold', () => {
    expect(shown(createNatsParser()(bytes(STREAM)))).toEqual(FRAMES);
  });

  it('is the same in pieces of any size', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 60 }), (sizes) => {
        const parse = createNatsParser();
        const frames: NatsFrame[] = [];
        const all = bytes(STREAM);
        let at = 0;
        for (let index = 0; at < all.length; index++) {
          const size = sizes[index % sizes.length] ?? 1;
          frames.push(...parse(all.subarray(at, at + size)));
          at += size;
        }
        expect(shown(frames)).toEqual(FRAMES);
      }),
    );
  });

  it('is refused when it is something else', () => {
    expect(() => createNatsParser()(bytes('MSG a b c d e f\r\n'))).toThrow(/cannot be read/);
    const parse = createNatsParser();
    expect(() => {
      for (let piece = 0; piece < 300; piece++) parse(new Uint8Array(1024).fill(65));
    }).toThrow(/another protocol/);
  });
});
