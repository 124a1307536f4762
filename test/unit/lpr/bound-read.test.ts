import * as fc from '../../property.js';
import { describe, expect, it } from 'vitest';
import { READ_TEXT_MAX } from '../../../agent/lpr/formats/camera-text-parser.js';
import { parseHikvisionEvent } from '../../../agent/lpr/hikvision/hikvision-parser.js';
import { plateReadRecordSchema } from '../../../shared/uplink.js';
import { runs } from '../../depth.js';
import { cameraFixture } from './camera-fixture.js';
import { plateWorld } from './plate-world.js';

const NAMES = ['make', 'color', 'model', 'country_code', 'vendor_event_id'] as const;

describe('the texts of a read', () => {
  it('are cut to what a record holds, whichever driver parsed them', async () => {
    const world = plateWorld();
    const long = 'x'.repeat(10_000);
    const texts = Object.fromEntries(NAMES.map((name) => [name, long]));
    await world.reads.handle('cam-in', world.read('ZG 1', texts));
    const { reading } = world.store.reads[0]!.record;
    for (const name of NAMES) expect([name, reading[name]?.length]).toEqual([name, READ_TEXT_MAX[name]]);
    expect(reading.raw_plate).toBe('ZG 1');
  });

  it('stay what they are when an honest camera wrote them, and are null when nothing is left', async () => {
    const world = plateWorld();
    await world.reads.handle('cam-in', world.read('ZG 1', { make: 'Škoda', color: 'dark red', model: '\u0000 ' }));
    expect(world.store.reads[0]!.record.reading).toMatchObject({ make: 'Škoda', color: 'dark red', model: null });
  });

  it('make a record that the cloud accepts, whatever the camera wrote', async () => {
    const elements = ['vehicleLogoRecog', 'color', 'vehileModel', 'country', 'UUID', 'licensePlate'];
    const strange = fc.oneof(
      fc.uint16Array({ maxLength: 400 }).map((units) => String.fromCharCode(...units)),
      fc.constantFrom('İ'.repeat(64), 'ß'.repeat(300), 'constructor', '__proto__', '&constructor;', '😀'.repeat(40)),
    );
    const xml = cameraFixture('hikvision', 'anpr-forward.xml');
    const world = plateWorld();
    await fc.assert(
      fc.asyncProperty(fc.array(strange, { minLength: 6, maxLength: 6 }), async (values) => {
        const written = elements.reduce(
          (text, element, index) =>
            text.replace(new RegExp(`<${element}>[^<]*`), () => `<${element}><![CDATA[${values[index]}]]>`),
          xml,
        );
        const event = parseHikvisionEvent(written, 'Europe/Zagreb');
        if (event.kind !== 'read') return;
        await world.reads.handle('cam-in', {
          ...event.read,
          pictures: { full: null, plate: null, plate_box: null },
        });
        for (const { record } of world.store.reads.splice(0)) {
          expect(plateReadRecordSchema.parse(JSON.parse(JSON.stringify(record)))).toEqual(record);
          for (const name of NAMES) expect(record.reading[name]?.length ?? 0).toBeLessThanOrEqual(READ_TEXT_MAX[name]);
        }
      }),
      { numRuns: runs(50) },
    );
  });

  it.each([
    ['direction', 'movement', 'unknown'],
    ['vehicleType', 'type', null],
    ['color', 'color', 'constructor'],
  ] as const)('know nothing that every object has: %s', (element, field, expected) => {
    const xml = cameraFixture('hikvision', 'anpr-forward.xml').replace(
      new RegExp(`<${element}>[^<]*`),
      `<${element}>constructor`,
    );
    expect(parseHikvisionEvent(xml, 'Europe/Zagreb')).toMatchObject({ kind: 'read', read: { [field]: expected } });
  });
});
