import { describe, expect, it } from 'vitest';
import { maskedPlate } from '../../../cloud/console/wording/masked-plate.js';

describe('a masked plate', () => {
  it.each([
    ['ZG1234AB', 'ZG•••AB'],
    ['zg 1234-ab', 'ZG•••AB'],
    ['M AB 123', 'MA•••23'],
    ['ZG123A', 'ZG•••3A'],
    ['ZG 12', 'Z•••'],
    ['7', '7•••'],
    ['Š京1234', 'Š京•••34'],
    ['𐐀𐐁1234', '𐐀𐐁•••34'],
    ['', ''],
    ['--', '--'],
  ])('%j is %j', (plate, masked) => {
    expect(maskedPlate(plate)).toBe(masked);
  });

  it('is the same for all plates with the same ends, however long they are', () => {
    expect(maskedPlate('ZG1234AB')).toBe(maskedPlate('ZG99AB'));
  });
});
