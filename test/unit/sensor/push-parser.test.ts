import { afterEach, describe, expect, it } from 'vitest';
import { parsePush } from '../../../agent/sensor/http/push-parser.js';
import { pushMappingSchema } from '../../../shared/drivers/sensor-mapping.js';

const ZONE = process.env['TZ'];
afterEach(() => {
  if (ZONE === undefined) delete process.env['TZ'];
  else process.env['TZ'] = ZONE;
});

const measured = (timestamp: unknown) =>
  parsePush({ device_id: 'A1', occupied: true, timestamp }, pushMappingSchema.parse({}))[0]?.measured_ms;

describe('the time of a push', () => {
  it.each([
    ['2026-06-01T10:00:00', '2026-06-01T10:00:00Z'],
    ['2026-06-01 10:00:00.250', '2026-06-01T10:00:00.250Z'],
    ['2026-06-01T10:00', '2026-06-01T10:00:00Z'],
    ['2026-06-01T10:00:00+02:00', '2026-06-01T08:00:00Z'],
    ['2026-06-01T10:00:00Z', '2026-06-01T10:00:00Z'],
    [1_780_308_000, '2026-06-01T10:00:00Z'],
    [1_780_308_000_000, '2026-06-01T10:00:00Z'],
  ])('%s is that moment, whatever zone this machine is in', (timestamp, at) => {
    process.env['TZ'] = 'America/New_York';
    expect(measured(timestamp)).toBe(Date.parse(at));
  });

  it.each(['soon', null, -5, {}])('%j is none', (timestamp) => {
    expect(measured(timestamp)).toBeNull();
  });
});
