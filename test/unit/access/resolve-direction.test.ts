import { describe, expect, it } from 'vitest';
import { type Movement, type ReadDirection, resolveDirection } from '../../../shared/access/resolve-direction.js';

const FRONT_IN = { lpr_position: 'in', plate_side: 'front', direction_source: 'reported' } as const;

describe('resolveDirection', () => {
  // movement, position, side -> direction
  it.each<[Movement, 'in' | 'out' | 'in/out', 'front' | 'rear', ReadDirection]>([
    ['towards', 'in', 'front', 'in'],
    ['away', 'in', 'front', 'out'],
    ['towards', 'in', 'rear', 'out'],
    ['away', 'in', 'rear', 'in'],
    ['towards', 'out', 'front', 'out'],
    ['away', 'out', 'front', 'in'],
    ['towards', 'out', 'rear', 'in'],
    ['away', 'out', 'rear', 'out'],
    ['towards', 'in/out', 'front', 'in'],
    ['away', 'in/out', 'front', 'out'],
    ['towards', 'in/out', 'rear', 'out'],
    ['away', 'in/out', 'rear', 'in'],
    ['unknown', 'in', 'front', 'undefined'],
    ['unknown', 'in/out', 'rear', 'undefined'],
    ['absent', 'in', 'front', 'in'],
    ['absent', 'out', 'rear', 'out'],
    ['absent', 'in/out', 'front', 'undefined'],
  ])('%s at a camera %s that sees %s plates is %s', (movement, lpr_position, plate_side, direction) => {
    expect(resolveDirection(movement, { lpr_position, plate_side, direction_source: 'reported' })).toBe(direction);
  });

  it.each<Movement>(['towards', 'away', 'unknown', 'absent'])(
    '%s is the position where that is the source',
    (movement) => {
      const at = { ...FRONT_IN, direction_source: 'position' } as const;
      expect(resolveDirection(movement, at)).toBe('in');
      expect(resolveDirection(movement, { ...at, lpr_position: 'out' })).toBe('out');
      expect(resolveDirection(movement, { ...at, lpr_position: 'in/out' })).toBe('undefined');
    },
  );
});
