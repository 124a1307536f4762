import { describe, expect, it } from 'vitest';
import { hikvisionZone } from '../../../../agent/lpr/hikvision/hikvision-zone-codec.js';

const AT = Date.UTC(2026, 0, 15);

describe('a time zone as a rule', () => {
  it.each([
    ['Europe/Zagreb', 'CST-1:00:00DST01:00:00,M3.5.0/02:00:00,M10.5.0/03:00:00'],
    ['Europe/London', 'CST+0:00:00DST01:00:00,M3.5.0/01:00:00,M10.5.0/02:00:00'],
    ['America/New_York', 'CST+5:00:00DST01:00:00,M3.2.0/02:00:00,M11.1.0/02:00:00'],
    ['Australia/Sydney', 'CST-10:00:00DST01:00:00,M10.1.0/02:00:00,M4.1.0/03:00:00'],
    ['Asia/Kolkata', 'CST-5:30:00'],
    ['Asia/Shanghai', 'CST-8:00:00'],
    ['UTC', 'CST+0:00:00'],
  ])('%s', (zone, rule) => {
    expect(hikvisionZone(zone, AT)).toBe(rule);
  });

  it('is none where the days of a year are not those of the next', () => {
    // Ramadan interrupts what is summer time all year.
    expect(hikvisionZone('Africa/Casablanca', Date.UTC(2022, 0, 1))).toBeNull();
    expect(hikvisionZone('America/Caracas', Date.UTC(2016, 0, 1))).toBeNull();
  });
});
