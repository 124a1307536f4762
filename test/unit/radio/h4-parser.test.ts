import * as fc from '../../property.js';
import { describe, expect, it } from 'vitest';
import { createH4Parser } from '../../../agent/product/hci/h4-parser.js';

const command = fc
  .tuple(fc.integer({ min: 0, max: 0xffff }), fc.uint8Array({ maxLength: 255 }))
  .map(([opcode, payload]) => Buffer.from([1, opcode & 0xff, opcode >> 8, payload.length, ...payload]));
const data = fc
  .tuple(fc.integer({ min: 0, max: 0xffff }), fc.uint8Array({ maxLength: 600 }))
  .map(([handle, payload]) =>
    Buffer.from([2, handle & 0xff, handle >> 8, payload.length & 0xff, payload.length >> 8, ...payload]),
  );
const event = fc
  .tuple(fc.integer({ min: 0, max: 0xff }), fc.uint8Array({ maxLength: 255 }))
  .map(([code, payload]) => Buffer.from([4, code, payload.length, ...payload]));

describe('H4 parser', () => {
  it('finds the same packets however the stream is cut', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(command, data, event), { maxLength: 20 }),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 200 }),
        (packets, cuts) => {
          const parser = createH4Parser();
          const stream = Buffer.concat(packets);
          const found: Buffer[] = [];
          let at = 0;
          for (let index = 0; at < stream.length; index++) {
            const size = cuts[index % cuts.length] ?? 1;
            found.push(...parser.push(stream.subarray(at, at + size)));
            at += size;
          }
          expect(found.map((packet) => packet.toString('hex'))).toEqual(
            packets.map((packet) => packet.toString('hex')),
          );
        },
      ),
    );
  });

  it('refuses a stream that is out of step', () => {
    expect(() => createH4Parser().push(Buffer.from([7, 0, 0]))).toThrow('packet type 7');
  });
});
