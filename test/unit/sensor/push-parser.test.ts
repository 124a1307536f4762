import { afterEach, describe, expect, it } from 'vitest';
import { parsePush } from '../../../agent/sensor/http/push-parser.js';
import { pushMappingSchema } from '../../../shared/drivers/sensor-mapping.js';

const ZONE = process.env['TZ'];
afterEach(() => {
  if (ZONE === undefined) delete process.env['TZ'];
  else process.env['TZ'] = ZONE;
});

const measured = (timestamp: unknown) =>
  parsePush(
    { device_id: 'A1', occupied: true, timestamp },
    { mapping: pushMappingSchema.parse({}), event: undefined },
  )[0]?.measured_ms;

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

describe('what a network server posts', () => {
  const mapping = pushMappingSchema.parse({ sensor: 'id', state: 'occupied' });
  const said = (message: object, event?: string) =>
    parsePush({ id: 'A1', occupied: true, ...message }, { mapping, event }).map(({ isHeard, occupancy }) =>
      isHeard ? (occupancy ?? 'alive') : 'not heard',
    );

  it.each<[event: string, says: string]>([
    ['up', 'occupied'],
    ['join', 'alive'],
    ['status', 'alive'],
    ...['txack', 'ack', 'log', 'integration', 'location', 'constructor', ''].map((event): [string, string] => [
      event,
      'not heard',
    ]),
  ])('with ?event=%s is %s', (event, says) => {
    expect(said({}, event)).toEqual([says]);
  });

  it.each<[says: string, message: object]>([
    ['occupied', { fCnt: 7, fPort: 2, data: 'AQ==' }],
    ['alive', { fCnt: 7, fPort: 0, data: 'AQ==' }],
    ['alive', { fCnt: 7, data: 'AQ==' }],
    ['alive', { fCnt: 7, fPort: null, data: 'AQ==' }],
    ['alive', { fCnt: 7, fPort: 2, data: '' }],
    ['alive', { fCnt: 7, fPort: 2, data: null }],
    ['occupied', { end_device_ids: {}, uplink_message: { f_port: 2, frm_payload: 'AQ==' } }],
    ['occupied', { end_device_ids: {}, uplink_normalized: { f_port: 2, frm_payload: 'AQ==' } }],
    ['alive', { end_device_ids: {}, uplink_message: { frm_payload: 'AQ==' } }],
    ['alive', { end_device_ids: {}, uplink_message: { f_port: 2 } }],
    ['alive', { end_device_ids: {}, join_accept: {} }],
    ['not heard', { end_device_ids: {}, simulated: true, uplink_message: { f_port: 2, frm_payload: 'AQ==' } }],
    ['not heard', { end_device_ids: {}, simulated: true, join_accept: {} }],
    ['not heard', { end_device_ids: {}, downlink_sent: {} }],
    ['not heard', { end_device_ids: {}, uplink_message: null }],
  ])('is %s: %j', (says, message) => {
    expect(said(message)).toEqual([says]);
  });
});
