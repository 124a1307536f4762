import * as fc from '../../property.js';
import { describe, expect, it } from 'vitest';
import { hikvisionPush as agentDriver } from '../../../agent/lpr/hikvision/hikvision-push.js';
import { resolveDirection } from '../../../shared/access/resolve-direction.js';
import { CAMERA_DIRECTIONS, PLATE_SIDES, VEHICLE_TYPES } from '../../../shared/events/event-schemas.js';
import { entryCamera } from '../../world/entry-camera.js';
import { hikvisionCamera } from '../../../scripts/sim/cameras/hikvision-camera.js';
import { createVehiclePictures } from '../../../scripts/sim/cameras/vehicle-pictures.js';

const CAMERA = entryCamera({ name: 'Entry <camera>', address: 'http://127.0.0.1:9001' });

describe('what a simulated camera sends, as the agent reads it', () => {
  const draw = createVehiclePictures();
  const word = fc
    .string({ unit: fc.constantFrom(...'ABCŽßЖ渝09-&<>"\' '), minLength: 1, maxLength: 12 })
    .map((text) => text.trim() || 'A');

  it('is the vehicle that was asked for, whichever way the camera looks', async () => {
    const pictures = await draw('ZG1234AB', 'red');
    fc.assert(
      fc.property(
        fc.record({
          plate: word,
          direction: fc.option(fc.constantFrom('in' as const, 'out' as const, 'undefined' as const), {
            nil: undefined,
          }),
          confidence: fc.integer({ min: 0, max: 100 }).map((percent) => percent / 100),
          type: fc.constantFrom(...VEHICLE_TYPES),
          make: fc.constantFrom('Ford', 'Skoda', 'Mercedes'),
          country_code: fc.constantFrom('HR', 'DE', 'ME', 'SI'),
        }),
        fc.record({
          lpr_position: fc.constantFrom(...CAMERA_DIRECTIONS),
          plate_side: fc.constantFrom(...PLATE_SIDES),
          timezone: fc.constantFrom('UTC', 'Europe/Zagreb', 'Asia/Kolkata', 'America/St_Johns'),
        }),
        fc.record({ wallMs: fc.integer({ min: 0, max: 4e12 }), uuid: fc.uuid(), retransmission: fc.boolean() }),
        (read, placement, { wallMs, uuid, retransmission }) => {
          const camera = { ...CAMERA, ...placement };
          const push = hikvisionCamera.encode(camera, { uuid, wallMs, read, pictures }, retransmission);
          const parsed = agentDriver.parse({ ...push, camera });
          if (parsed.kind !== 'read') throw new Error(`not a read: ${JSON.stringify(parsed)}`);
          expect(parsed.read).toMatchObject({
            vendor_event_id: uuid,
            raw_plate: read.plate,
            confidence: read.confidence,
            retransmission,
            type: read.type,
            make: read.make,
            color: 'red',
            country_code: read.country_code,
            camera_time: { epoch_ms: wallMs },
          });
          const own = camera.lpr_position === 'in/out' ? 'undefined' : camera.lpr_position;
          expect(resolveDirection(parsed.read.movement, { ...camera, direction_source: 'reported' })).toBe(
            read.direction ?? own,
          );
        },
      ),
    );
  });

  it('carries both pictures, and where the plate is', async () => {
    const pictures = await draw('ZG1234AB', undefined);
    const event = { uuid: 'u', wallMs: 0, read: { plate: 'ZG1234AB' }, pictures };
    const parsed = agentDriver.parse({ ...hikvisionCamera.encode(CAMERA, event, false), camera: CAMERA });
    if (parsed.kind !== 'read') throw new Error('not a read');
    const { full, plate, plate_box } = parsed.read.pictures;
    expect(pictures.scene.equals(full!)).toBe(true);
    expect(pictures.plate.equals(plate!)).toBe(true);
    for (const side of ['x', 'y', 'width', 'height'] as const) {
      expect(plate_box![side]).toBeCloseTo(pictures.plateBox[side], 3);
    }
  });
});
