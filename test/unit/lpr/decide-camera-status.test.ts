import { describe, expect, it } from 'vitest';
import { decideCameraStatus, UNKNOWN_CAMERA } from '../../../agent/lpr/presence/decide-camera-status.js';
import * as fc from '../../property.js';

describe('a camera', () => {
  it('is offline after three misses in a row, online when it is found, and unknown before either', () => {
    const presence = fc
      .array(fc.boolean())
      .map((rounds) => ({ rounds, end: rounds.reduce(decideCameraStatus, UNKNOWN_CAMERA) }));
    fc.assert(
      fc.property(presence, ({ rounds, end }) => {
        const lastFound = rounds.lastIndexOf(true);
        const missed = rounds.length - 1 - lastFound;
        expect(end.status).toBe(missed >= 3 ? 'offline' : lastFound === -1 ? null : 'online');
      }),
    );
  });
});
