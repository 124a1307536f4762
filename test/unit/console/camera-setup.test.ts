import { describe, expect, it } from 'vitest';
import { type Position, positionAfter } from '../../../cloud/console/wording/camera-position.js';
import { suggestedCamera } from '../../../cloud/console/wording/camera-suggestion.js';
import { type Movement, resolveDirection } from '../../../shared/access/resolve-direction.js';
import { cameraDeviceIdSchema } from '../../../shared/ids.js';

describe('a camera whose vehicle drove', () => {
  const POSITIONS: readonly Position[] = ['in', 'out', 'in/out'];
  const cases = POSITIONS.flatMap((position) =>
    (['towards', 'away', 'absent'] as const satisfies readonly Movement[]).flatMap((movement) =>
      (['front', 'rear'] as const).flatMap((plate_side) =>
        (['in', 'out'] as const).map((drove) => ({ position, movement, plate_side, drove })),
      ),
    ),
  );

  it.each(cases)(
    '%o reads it right once it has the position that follows',
    ({ position, movement, plate_side, drove }) => {
      const read = (lpr_position: Position) =>
        resolveDirection(movement, { lpr_position, plate_side, direction_source: 'reported' });
      expect(read(positionAfter(position, read(position), drove) ?? position)).toBe(drove);
    },
  );

  it('keeps a position that is right', () => {
    expect(positionAfter('in', 'in', 'in')).toBeNull();
    expect(positionAfter('in/out', 'out', 'out')).toBeNull();
    expect(positionAfter('in', 'undefined', 'in')).toBeNull();
  });
});

describe('a camera that was found', () => {
  const found = { address: 'http://192.168.1.21:8080', vendor: 'Acme', model: 'X 1', serial: '', driver: null };
  const typed = { name: '', driver: 'hikvision' };

  it('fills in what is known of it, and leaves what was typed', () => {
    expect(suggestedCamera({ ...found, serial: 'DS/77 (A)', driver: 'axis' }, typed)).toEqual({
      name: 'Acme X 1',
      device_id: 'DS-77-A',
      driver: 'axis',
      address: 'http://192.168.1.21:8080',
    });
    expect(suggestedCamera(found, { name: 'Mine', driver: 'dahua' })).toMatchObject({ name: 'Mine', driver: 'dahua' });
    expect(suggestedCamera({ ...found, vendor: '', model: '' }, typed).name).toBe(found.address);
  });

  it.each(['', 'x'.repeat(200), 'ÄÖ 12 / 34', 'ÄÖ', '--77--'])(
    'has an identifier that is accepted, with the serial number %j',
    (serial) => {
      const { device_id } = suggestedCamera({ ...found, serial }, typed);
      expect(cameraDeviceIdSchema.safeParse(device_id).success).toBe(true);
    },
  );
});
