import { describe, expect, it } from 'vitest';
import { applyReading, newPlaceState, type PlaceState } from '../../agent/sensor/occupancy-machine.js';
import { parsePush } from '../../agent/sensor/http/push-parser.js';
import { judgeRead, UNKNOWN_CLOCK } from '../../agent/lpr/presence/camera-clock-machine.js';
import { decideEventTime } from '../../agent/lpr/reads/decide-event-time.js';
import { decideEventTime as placeEvent } from '../../cloud/traffic/ingest/load/decide-event-time.js';
import { type Contact, decideDeviceTime, lastContactMs, noteContact } from '../../shared/decide-device-time.js';
import { pushMappingSchema } from '../../shared/drivers/sensor-mapping.js';
import * as fc from '../property.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = Date.UTC(2026, 10, 27, 12);

const wrongTimes = fc.oneof(
  fc.integer({ min: -1e13, max: 1e13 }),
  fc.constantFrom(0, 451_000, 287_000, Date.UTC(2000, 0, 1), NOW - 366 * DAY, NOW + DAY, Number.NaN),
  fc.integer({ min: -3 * DAY, max: DAY }).map((off) => NOW + off),
);

describe('the time that a device tells', () => {
  it.each([
    ['1970', 451_000, null, NOW - HOUR, 'arrival', NOW],
    ['2000', Date.UTC(2000, 0, 1), null, NOW - HOUR, 'arrival', NOW],
    ['seconds since power came', 287_000, null, null, 'arrival', NOW],
    ['two days ago, though it was heard an hour ago', NOW - 2 * DAY, null, NOW - HOUR, 'arrival', NOW],
    ['two days ago, when it was heard last', NOW - 2 * DAY, null, NOW - 2 * DAY, 'device', NOW - 2 * DAY],
    ['a day ago', NOW - DAY, null, NOW - HOUR, 'device', NOW - DAY],
    ['in a minute', NOW + 60_000, null, NOW - HOUR, 'device', NOW + 60_000],
    ['in two minutes', NOW + 120_000, null, NOW - HOUR, 'arrival', NOW],
    ['none', null, null, null, 'arrival', NOW],
    ['1970, by a clock that is known to be in 1970', 451_000, NOW - 600_000, NOW - HOUR, 'device', NOW - 149_000],
  ] as const)('when it says %s', (_, device_ms, behind_ms, contact_ms, time_source, at_ms) => {
    const behind = behind_ms === null ? {} : { behind_ms };
    expect(decideDeviceTime({ device_ms, arrived_ms: NOW, contact_ms, ...behind })).toEqual({ at_ms, time_source });
  });
});

describe('the last contact with a device', () => {
  const at = (contact: Contact | null, mono_ms: number, running_ms = 0) =>
    lastContactMs(contact, { wall_ms: NOW + mono_ms, mono_ms, running_ms });

  it('stays that before a silence while the device sends what it kept', () => {
    let contact = noteContact(null, 0);
    contact = noteContact(contact, 3 * DAY);
    contact = noteContact(contact, 3 * DAY + 60_000);
    expect(at(contact, 3 * DAY + 60_000)).toBe(NOW);
    expect(at(contact, 4 * DAY)).toBe(NOW + 3 * DAY + 60_000);
  });

  it('was no later than the gateway ran before its start', () => {
    expect(at(null, 0)).toBeNull();
    expect(at(noteContact(null, 0), 5, NOW - 5 * DAY)).toBe(NOW - 5 * DAY);
  });
});

function eventMs(camera_ms: number, retransmission: boolean): number {
  const arrival = { wall_ms: NOW, mono_ms: HOUR, is_clock_known: true };
  const mark = retransmission ? 'retransmission' : null;
  const { judged } = judgeRead(UNKNOWN_CLOCK, { camera_ms, mark }, arrival);
  return decideEventTime({ judged, received_ms: NOW, retransmission, clock_ok: true, contact_ms: NOW - HOUR }).event_ms;
}

/** What each entrance makes of a time that is told now, an hour after the device was heard last. */
const ENTRANCES: Record<string, (stated_ms: number) => number> = {
  'a live read': (camera_ms) => eventMs(camera_ms, false),
  'a retransmission': (camera_ms) => eventMs(camera_ms, true),
  'a measurement': (measured_ms) => {
    const heard: PlaceState = { ...newPlaceState('free'), heard_mono_ms: 0 };
    return applyReading(heard, { occupancy: 'occupied', measured_ms }, { wall_ms: NOW, mono_ms: HOUR / 2 }).changed_ms;
  },
  'a push of a bare number': (stated_ms) => {
    const body = { device_id: 'A1', occupied: true, timestamp: Math.round(stated_ms / 1_000) };
    const [said] = parsePush(body, { mapping: pushMappingSchema.parse({}), event: undefined });
    const state = applyReading(
      { ...newPlaceState('free'), heard_mono_ms: 0 },
      { occupancy: said?.occupancy ?? null, measured_ms: said?.measured_ms ?? null },
      { wall_ms: NOW, mono_ms: HOUR / 2 },
    );
    return state.changed_ms;
  },
  'a record of a gateway that judged nothing': (event_ms) =>
    placeEvent({
      event_ms,
      clock_ok: true,
      mono_ms: 0,
      boot_began_ms: null,
      present_boot_began_ms: null,
      cloud_ms: NOW,
      made_ms: NOW,
    }).at_ms,
};

describe('nothing begins more than a day before the last contact', () => {
  it.each(Object.entries(ENTRANCES))('by %s', (_, entrance) => {
    fc.assert(
      fc.property(wrongTimes, (stated_ms) => {
        const began_ms = entrance(stated_ms);
        expect(began_ms).toBeGreaterThanOrEqual(NOW - HOUR - DAY);
        expect(began_ms).toBeLessThanOrEqual(NOW + 5 * 60_000);
      }),
    );
  });
});
