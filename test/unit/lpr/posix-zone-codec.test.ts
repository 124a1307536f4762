import { describe, expect, it } from 'vitest';
import { hikvisionZone, posixZone } from '../../../agent/lpr/formats/posix-zone-codec.js';

const AT = Date.UTC(2026, 0, 15);

describe('a time zone as a rule', () => {
  it.each([
    ['Europe/Zagreb', 'STD-1DST-2,M3.5.0/2,M10.5.0/3', 'CST-1:00:00DST01:00:00,M3.5.0/02:00:00,M10.5.0/03:00:00'],
    ['Europe/London', 'STD0DST-1,M3.5.0/1,M10.5.0/2', 'CST+0:00:00DST01:00:00,M3.5.0/01:00:00,M10.5.0/02:00:00'],
    ['America/New_York', 'STD5DST4,M3.2.0/2,M11.1.0/2', 'CST+5:00:00DST01:00:00,M3.2.0/02:00:00,M11.1.0/02:00:00'],
    ['Australia/Sydney', 'STD-10DST-11,M10.1.0/2,M4.1.0/3', 'CST-10:00:00DST01:00:00,M10.1.0/02:00:00,M4.1.0/03:00:00'],
    ['Asia/Kolkata', 'STD-5:30', 'CST-5:30:00'],
    ['Asia/Shanghai', 'STD-8', 'CST-8:00:00'],
    ['UTC', 'STD0', 'CST+0:00:00'],
  ])('%s', (zone, posix, hikvision) => {
    expect([posixZone(zone, AT), hikvisionZone(zone, AT)]).toEqual([posix, hikvision]);
  });

  it('is none where the days of a year are not those of the next', () => {
    // Ramadan interrupts what is summer time all year.
    expect(posixZone('Africa/Casablanca', Date.UTC(2022, 0, 1))).toBeNull();
    expect(posixZone('America/Caracas', Date.UTC(2016, 0, 1))).toBeNull();
  });
});
