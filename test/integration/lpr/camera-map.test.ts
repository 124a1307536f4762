/** A vendor nobody has heard of: its push is put aside, a mapping is proposed from it, and with that it is read. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCameraDrivers } from '../../../agent/lpr/camera-drivers.js';
import { mapLastQuarantined, renderMapped } from '../../../agent/lpr/map/map-quarantined.js';
import { createQuarantine, type Quarantine } from '../../../agent/lpr/push/quarantine.js';
import { cameraSettingProblems } from '../../../shared/drivers/camera-drivers.js';
import { silentLogger } from '../../../shared/logger.js';
import { systemClock } from '../../../shared/system-clock.js';
import { jpegLike } from '../../unit/lpr/multipart-builder.js';
import { camera } from '../../unit/lpr/plate-world.js';
import { cameraDriverDeps } from '../../world/camera-driver-deps.js';

const PICTURE = jpegLike('a picture');
const AT = Date.UTC(2026, 0, 15, 12);
const OF = { deviceId: 'cam', timezone: 'Europe/Zagreb' };
const PUSH = {
  camera_device_id: 'cam',
  driver: 'mapping',
  reason: 'no mapping',
  content_type: '',
  timezone: OF.timezone,
};

describe('a camera of a vendor nobody has heard of', () => {
  let folder: string;
  let quarantine: Quarantine;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'quarantine-'));
    quarantine = createQuarantine({ directory: folder, clock: systemClock, logger: silentLogger });
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const reader = createCameraDrivers(cameraDriverDeps(systemClock)).get('mapping')?.push;
  if (reader === undefined || reader === null) throw new Error('there is no driver mapping');
  const parse = (body: Buffer, contentType: string, mapping: Record<string, unknown> | null) =>
    reader.parse({ body, contentType, camera: camera('cam', { driver: 'mapping', timezone: OF.timezone, mapping }) });

  it.each([
    [
      'flat JSON, local time with the day first',
      'application/json',
      JSON.stringify({
        station: 'N1',
        capture_time: '15/01/2026 13:00:00',
        plate_number: 'ZG4821AB',
        plate_color: 'white',
        confidence: '93',
        direction: 'approach',
        vehicle_color: 'blue',
        snapshot: PICTURE.toString('base64'),
      }),
      {
        raw_plate: 'ZG4821AB',
        confidence: 0.93,
        movement: 'towards',
        camera_time: { epoch_ms: AT, offset_min: null },
        color: 'blue',
      },
    ],
    [
      'JSON with a list of vehicles, milliseconds and a score of one',
      'application/json; charset=utf-8',
      JSON.stringify({
        event: { uuid: 'e-1', timestamp: AT },
        vehicles: [{ lpr: { text: 'ZG4821AB', score: 0.93 }, make: 'Skoda', country: 'HRV' }],
      }),
      {
        raw_plate: 'ZG4821AB',
        confidence: 0.93,
        camera_time: { epoch_ms: AT, offset_min: 0 },
        country_code: 'HR',
        vendor_event_id: 'e-1',
      },
    ],
    [
      'XML with a namespace',
      'application/xml',
      `<a:Passage xmlns:a="urn:x"><a:When>2026-01-15T13:00:00+01:00</a:When><a:Vehicle><a:LicensePlate>ZG4821AB</a:LicensePlate><a:Reliability>93</a:Reliability></a:Vehicle></a:Passage>`,
      { raw_plate: 'ZG4821AB', confidence: 0.93, camera_time: { epoch_ms: AT, offset_min: 60 } },
    ],
  ])('%s is put aside, proposed, and read', async (_, contentType, text, read) => {
    const body = Buffer.from(text);
    const first = parse(body, contentType, null);
    expect(first).toMatchObject({ kind: 'malformed', reason: expect.stringContaining('parking-agent cameras map') });
    const reason = first.kind === 'malformed' ? first.reason : '';
    await quarantine.add({ ...PUSH, reason, content_type: contentType, body });
    const mapped = await mapLastQuarantined(folder, OF);
    expect(mapped.reads).toEqual([expect.objectContaining(read)]);
    expect(renderMapped(mapped)).toContain('ZG4821AB');
    const mapping = mapped.mapping as Record<string, unknown>;
    expect(cameraSettingProblems('mapping', { mapping })).toEqual([]);
    expect(parse(body, contentType, mapping)).toEqual({ kind: 'read', read: expect.objectContaining(read) as unknown });
  });

  it('is proposed from what was kept of a push that is larger', async () => {
    const pictures = Buffer.alloc(300_000, 0x41).toString('latin1');
    const body = Buffer.from(JSON.stringify({ plate: 'ZG4821AB', time: '2026-01-15T12:00:00Z', image: pictures }));
    await quarantine.add({ ...PUSH, body });
    const { mapping } = await mapLastQuarantined(folder, OF);
    expect(mapping).toMatchObject({ plate: 'plate', time: { at: 'time', format: 'iso' } });
  });

  it("is read in the camera's own zone, unless somebody names another", async () => {
    const body = Buffer.from(JSON.stringify({ plate: 'ZG4821AB', time: '2026-01-15 13:00:00' }));
    const timeBy = async (of: { timezone?: string }) =>
      (await mapLastQuarantined(folder, { deviceId: 'cam', ...of })).reads[0]?.camera_time?.epoch_ms;
    await quarantine.add({ ...PUSH, body });
    expect([await timeBy({}), await timeBy({ timezone: 'UTC' })]).toEqual([AT, AT + 3_600_000]);
  });

  it('says what to do when there is nothing to propose from', async () => {
    await expect(mapLastQuarantined(folder, OF)).rejects.toThrow('POST /lpr/mapping/cam/KEY');
    await quarantine.add({ ...PUSH, body: Buffer.from('{"a":1}') });
    await expect(mapLastQuarantined(folder, OF)).rejects.toThrow('looks like a plate');
  });
});
