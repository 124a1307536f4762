import { describe, expect, it } from 'vitest';
import { isAnswerTo, questionOf } from '../../../agent/sensor/modbus/decide-answer.js';
import * as fc from '../../property.js';
import { answerTo, refusalOf } from '../../../scripts/sim/sensors/modbus-answer.js';
import { rtuFrame } from '../../../scripts/sim/sensors/rtu-frames.js';

const asked = fc.record({
  unit: fc.integer({ min: 1, max: 255 }),
  code: fc.constantFrom(1, 2, 3, 4),
  start: fc.nat(60_000),
  count: fc.integer({ min: 1, max: 125 }),
});
type Asked = typeof asked extends fc.Arbitrary<infer Value> ? Value : never;

function question({ unit, code, start, count }: Asked): Buffer {
  const pdu = Buffer.of(code, 0, 0, 0, 0);
  pdu.writeUInt16BE(start, 1);
  pdu.writeUInt16BE(count, 3);
  return rtuFrame(unit, pdu);
}
const answer = (of: Asked) =>
  rtuFrame(
    of.unit,
    answerTo(of, () => 1),
  );

describe('the answer to a question', () => {
  it('is of its unit and function and as long as it has to be, or an exception', () => {
    fc.assert(
      fc.property(asked, (of) => {
        const what = questionOf(question(of));
        expect(isAnswerTo(what, answer(of))).toBe(true);
        expect(isAnswerTo(what, rtuFrame(of.unit, refusalOf(of.code, 2)))).toBe(true);
      }),
    );
  });

  it('is not that to any other question that would have another answer', () => {
    fc.assert(
      fc.property(asked, asked, (of, other) => {
        const isAlike = of.unit === other.unit && of.code === other.code && answer(of).length === answer(other).length;
        expect(isAnswerTo(questionOf(question(of)), answer(other))).toBe(isAlike);
      }),
    );
  });

  it('is no other bytes', () => {
    fc.assert(
      fc.property(asked, fc.uint8Array({ maxLength: 300 }), (of, bytes) => {
        const [unit, code, length] = bytes;
        const isAlike = unit === of.unit && ((code ?? 0) & 0x7f) === of.code && (length ?? 0) >= 0;
        if (!isAlike) expect(isAnswerTo(questionOf(question(of)), Buffer.from(bytes))).toBe(false);
      }),
    );
  });
});
