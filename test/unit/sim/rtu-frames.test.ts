import { describe, expect, it } from 'vitest';
import { rtuFrame, parseRtuRequests } from '../../../scripts/sim/sensors/rtu-frames.js';

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');
/** Ten holding registers from 0 of unit 1, with the CRC that text books print. */
const READ = hex('01 03 00 00 00 0a c5 cd');
const OTHER = rtuFrame(17, hex('04 00 08 00 01'));
const found = (bytes: Buffer) => parseRtuRequests(bytes).requests.map(({ unit, pdu }) => [unit, pdu.toString('hex')]);

describe('requests on a serial line', () => {
  it('are frames with a CRC, its low byte first', () => {
    expect(rtuFrame(1, hex('03 00 00 00 0a'))).toEqual(READ);
    expect(found(READ)).toEqual([[1, '030000000a']]);
    expect(found(Buffer.concat([READ, OTHER]))).toEqual([
      [1, '030000000a'],
      [17, '0400080001'],
    ]);
  });

  it('may come byte by byte', () => {
    let rest: Buffer = Buffer.alloc(0);
    const units = [...READ, ...OTHER].flatMap((byte) => {
      const parsed = parseRtuRequests(Buffer.concat([rest, Buffer.of(byte)]));
      ({ rest } = parsed);
      return parsed.requests.map(({ unit }) => unit);
    });
    expect([units, rest]).toEqual([[1, 17], Buffer.alloc(0)]);
  });

  it('are found after bytes that are none: bad input', () => {
    const damaged = Buffer.from(READ);
    damaged[3] = 1;
    const writing = rtuFrame(1, hex('10 00 00 00 02 04 00 01 00 02'));
    expect(found(Buffer.concat([hex('00 ff'), damaged, writing, READ.subarray(0, 5), OTHER]))).toEqual([
      [17, '0400080001'],
    ]);
  });

  it('leave less than a frame behind, whatever comes: bounds', () => {
    const { requests, rest } = parseRtuRequests(Buffer.alloc(10_000, 0xaa));
    expect([requests, rest.length]).toEqual([[], 7]);
  });
});
