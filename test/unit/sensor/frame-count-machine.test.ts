import * as fc from '../../property.js';
import { describe, expect, it } from 'vitest';
import { frameOf } from '../../../agent/sensor/frame-count-machine.js';
import { parsePush } from '../../../agent/sensor/http/push-parser.js';
import { CHIRPSTACK } from '../../../agent/sensor/lora/chirpstack-uplink-parser.js';
import { TTN } from '../../../agent/sensor/lora/ttn-uplink-parser.js';
import { applyReading, newPlaceState, type PlaceState } from '../../../agent/sensor/occupancy-machine.js';
import type { Occupancy, SensorReading } from '../../../agent/sensor/sensor-source.js';
import { pushMappingSchema } from '../../../shared/drivers/sensor-mapping.js';

const NOW = Date.UTC(2026, 5, 1, 12);
const MINUTE = 60_000;

type Said = [
  minute: number,
  count: number | null,
  occupancy: Occupancy | null,
  more?: { session?: string; own_ms?: number },
];

/** What the place is after each frame. */
function states(...said: Said[]): (Occupancy | null)[] {
  let state: PlaceState = newPlaceState(null);
  return said.map(([minute, count, occupancy, { session = 'a', own_ms = null } = {}]) => {
    const reading: Pick<SensorReading, 'occupancy' | 'measured_ms' | 'frame'> = {
      occupancy,
      measured_ms: own_ms,
      frame: count === null ? null : { count, session },
    };
    state = applyReading(state, reading, { wall_ms: NOW + minute * MINUTE, mono_ms: minute * MINUTE });
    return state.occupancy;
  });
}

describe('a LoRa frame', () => {
  it('changes nothing when it is older than the one before, whatever its time', () => {
    expect(
      states(
        [0, 10, 'free'],
        [1, 11, 'occupied'],
        [6, 10, 'free', { own_ms: NOW }],
        [7, 10, 'free', { own_ms: NOW + 7 * MINUTE }],
        [8, 10, 'free'],
        [9, 11, 'free'],
        [10, 13, 'free'],
        [11, 12, 'occupied'],
      ),
    ).toEqual(['free', 'occupied', 'occupied', 'occupied', 'occupied', 'occupied', 'free', 'free']);
  });

  it('is a new one when its device counts from the beginning again', () => {
    // Rebooted, first frame heard, first frame lost but an hour has passed, joined anew, joined with another address, 16 bits at their end.
    expect(states([0, 13, 'occupied'], [1, 0, 'free'], [2, 1, 'occupied'])).toEqual(['occupied', 'free', 'occupied']);
    expect(states([0, 13, 'occupied'], [62, 1, 'free'])).toEqual(['occupied', 'free']);
    expect(states([0, 13, 'occupied'], [1, null, null], [2, 1, 'free'])).toEqual(['occupied', 'occupied', 'free']);
    expect(states([0, 13, 'occupied'], [1, 2, 'free', { session: 'b' }])).toEqual(['occupied', 'free']);
    expect(states([0, 65_535, 'occupied'], [1, 1, 'free'], [2, 65_535, 'occupied'])).toEqual([
      'occupied',
      'free',
      'free',
    ]);
  });

  it('always counts when it comes in its order, and never when it is a copy of the last sixteen', () => {
    const counts = fc.uniqueArray(fc.nat({ max: 30_000 }), { minLength: 2, maxLength: 16 });
    fc.assert(
      fc.property(counts, fc.nat(), (all, pick) => {
        const sorted = all.toSorted((a, b) => a - b);
        const inOrder = sorted.map((count, at): Said => [at, count, at % 2 === 0 ? 'free' : 'occupied']);
        expect(states(...inOrder)).toEqual(inOrder.map(([, , occupancy]) => occupancy));
        const last = inOrder.at(-1)?.[2] ?? null;
        const copy = sorted[pick % sorted.length] ?? 0;
        expect(states(...inOrder, [20, copy, last === 'free' ? 'occupied' : 'free']).at(-1)).toBe(last);
      }),
    );
  });
});

describe('the count of a frame', () => {
  const device = { devEui: '0102030405060708', applicationId: '1' };
  const up = { deviceInfo: device, fPort: 1, data: 'AQ==' };
  const ttn = { end_device_ids: { dev_eui: '0102030405060708' } };

  it('is read at every network server, over MQTT and HTTP', () => {
    expect(CHIRPSTACK.parse({ ...up, fCnt: 7, devAddr: '01' }, 'up')?.frame).toEqual({ count: 7, session: '01' });
    expect(CHIRPSTACK.parse({ ...up }, 'up')?.frame).toBeNull();
    expect(CHIRPSTACK.parse({ deviceInfo: device }, 'join')?.frame).toBeNull();
    expect(CHIRPSTACK.parse({ deviceInfo: device }, 'status')?.frame).toBeUndefined();
    const uplink_message = { f_port: 1, frm_payload: 'AQ==', f_cnt: 7, session_key_id: 'k' };
    expect(TTN.parse({ ...ttn, uplink_message }, 'up')?.frame).toEqual({ count: 7, session: 'k' });
    const { f_cnt: _none, ...first } = uplink_message;
    expect(TTN.parse({ ...ttn, uplink_message: first }, 'up')?.frame).toBeNull();

    const mapping = pushMappingSchema.parse({ sensor: 'id', state: 'occupied' });
    const pushed = (message: object, event?: string) =>
      parsePush({ id: 'A1', occupied: true, ...message }, { mapping, event })[0]?.frame;
    expect(pushed({ ...up, fCnt: 7 })).toEqual({ count: 7, session: '' });
    expect(pushed({ ...ttn, uplink_message })).toEqual({ count: 7, session: 'k' });
    expect(pushed({}, 'join')).toBeNull();
    expect(pushed({})).toBeUndefined();
  });

  it('is none where it is no number that counts', () => {
    for (const fCnt of [-1, 1.5, '7', null, {}]) expect(frameOf({ fCnt })).toBeUndefined();
    for (const message of [null, 7, [], 'x']) expect(frameOf(message)).toBeUndefined();
  });
});
