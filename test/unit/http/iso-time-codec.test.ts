import * as fc from '../../property.js';
import { expect, it } from 'vitest';
import { isoTime } from '../../../cloud/rest/field/iso-time-codec.js';

it('shows every time as a Date does', () => {
  const ofOneDay = fc.date({ min: new Date('2026-03-01'), max: new Date('2026-03-02'), noInvalidDate: true });
  fc.assert(
    fc.property(fc.oneof(fc.date({ noInvalidDate: true }), ofOneDay), (time) => {
      expect(isoTime(time.getTime())).toBe(time.toISOString());
    }),
    { numRuns: 1_000 },
  );
});

it('refuses what is no time', () => {
  expect(() => isoTime(Number.NaN)).toThrow(RangeError);
  expect(() => isoTime(9e15)).toThrow(RangeError);
});
