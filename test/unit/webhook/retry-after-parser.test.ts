import { expect, it } from 'vitest';
import { parseRetryAfter } from '../../../cloud/doors/webhook/retry-after-parser.js';

const NOW = Date.UTC(2026, 10, 27, 12);

it.each([
  [429, '120', 120_000],
  [503, ' 7 ', 7_000],
  [429, 'Fri, 27 Nov 2026 12:02:00 GMT', 120_000],
  [503, 'Friday, 27-Nov-26 12:02:00 GMT', 120_000],
  [429, '86400', 3_600_000],
  [429, 'Sat, 28 Nov 2026 12:00:00 GMT', 3_600_000],
  [429, '9'.repeat(400), 3_600_000],
  [429, '0', null],
  [429, 'Fri, 27 Nov 2026 11:00:00 GMT', null],
  [429, '-5', null],
  [429, '1.5', null],
  [429, 'soon', null],
  [429, '', null],
  [429, undefined, null],
  [500, '120', null],
  [301, '120', null],
])('%s with "%s" asks for %s ms', (status, header, ms) => {
  expect(parseRetryAfter(status, header, NOW)).toBe(ms);
});
