import { describe, expect, it } from 'vitest';
import { parseRaucReason } from '../../../agent/update/rauc-output-parser.js';

const ADDRESS = 'http://cloud.example/v2/releases/1/bundle';
const KEY = '?gateway=0d3c&key=6Xc2DKNk';
const FAILED = `Installing \`${ADDRESS}${KEY}\` failed`;
const WHY = `LastError: Failed to check bundle ${ADDRESS}${KEY}: signature verification failed`;
const PROGRESS = ['installing', '  0% Installing', ' 20% Checking bundle', 'Idle', 'rauc-Message: 17:50: Reading'];

describe('the reason of a failure of RAUC', () => {
  it.each([
    ['its last line comes last', [...PROGRESS, WHY, FAILED]],
    ['its outputs arrive the other way round', [FAILED, ...PROGRESS, WHY]],
    ['its progress comes last', [WHY, FAILED, ...PROGRESS]],
  ])('is its last error where %s, without the key of the address', (_case, lines) => {
    expect(parseRaucReason(lines.join('\n'))).toBe(`Failed to check bundle ${ADDRESS}: signature verification failed`);
  });

  it.each([
    [[...PROGRESS, 'could not connect to D-Bus', FAILED], 'could not connect to D-Bus'],
    [[...PROGRESS, FAILED], null],
    [['LastError:', ''], 'LastError:'],
    [[], null],
  ])('is what else it said, or nothing', (lines, reason) => {
    expect(parseRaucReason(lines.join('\n'))).toBe(reason);
  });
});
