/** What sensors and services push over HTTP, and what of it is refused. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SensorReading, SensorSource } from '../../../agent/sensor/sensor-source.js';
import { createPushBench, type PushBench } from '../../devices/push-bench.js';

let bench: PushBench;
let source: SensorSource;
let readings: SensorReading[];
let faults: (string | null)[];

beforeEach(() => {
  bench = createPushBench();
  open();
});
afterEach(async () => {
  await source.close();
  await bench.remove();
});

function open(changed: object = {}): void {
  readings = [];
  faults = [];
  source = bench.driver.open(
    { ...bench.item, ...changed },
    {
      onReadings: (heard) => readings.push(...heard),
      onFault: (reason) => faults.push(reason),
      occupancyOf: () => null,
    },
  );
}

describe('a push', () => {
  it('in the words of Nwave needs no mapping', async () => {
    const timestamp = '2026-01-15T12:00:00.000Z';
    const message = { message_trace_id: 'a', device_id: 'DEV-2', occupied: 'occupied', timestamp };
    expect(await bench.post(JSON.stringify(message))).toBe(200);
    expect(readings).toEqual([
      { parking_place_id: 2, occupancy: 'occupied', measured_ms: Date.parse(timestamp), raw: 'occupied' },
    ]);
  });

  it.each(['64-7F-DA-00-00-00-A0-01', '647FDA000000A001', 'a4:c1:38:00:00:01', 'A4C138000001'])(
    'names its sensor with separators or without: %s',
    async (device_id) => {
      await source.close();
      const sensors = ['64:7f:da:00:00:00:a0:01', 'A4-C1-38-00-00-01'];
      open({ places: bench.item.places.slice(0, 2).map((place, index) => ({ ...place, sensor: sensors[index] })) });
      expect(await bench.post(JSON.stringify({ device_id, occupied: 'free' }))).toBe(200);
      expect(readings.map(({ parking_place_id }) => parking_place_id)).toEqual([device_id.startsWith('6') ? 1 : 2]);
    },
  );

  it('is read as the mapping says', async () => {
    await source.close();
    const mapping = { list: 'data.items', sensor: 'bay.id', state: 's', occupied: [1, 'busy'], free: [0], time: 't' };
    open({ mapping });
    const items = [
      { bay: { id: 'dev-1' }, s: 1, t: 1_768_478_400 },
      { bay: { id: 'dev-2' }, s: 0, t: 1_768_478_400_500 },
      { bay: { id: 'dev-3' }, s: 'error', t: 'soon' },
      { bay: { id: 'dev-9' }, s: 1 },
      { s: 1 },
    ];
    expect(await bench.post(JSON.stringify({ data: { items } }))).toBe(200);
    expect(readings.map(({ raw: _raw, ...reading }) => reading)).toEqual([
      { parking_place_id: 1, occupancy: 'occupied', measured_ms: 1_768_478_400_000 },
      { parking_place_id: 2, occupancy: 'free', measured_ms: 1_768_478_400_500 },
      { parking_place_id: 3, occupancy: null, measured_ms: null },
    ]);
  });

  it.each<[name: string, body: string, path: string | undefined, status: number]>([
    ['with another key', '{}', '/sensors/Service/other', 404],
    ['for another parking gateway', '{}', '/sensors/Other/push-key', 404],
    ['that is no JSON', 'occupied', undefined, 400],
    ['that names no sensor', '{"occupied": "free"}', undefined, 400],
    ['that is nothing', 'null', undefined, 400],
    ['that is too long', `"${'x'.repeat(300_000)}"`, undefined, 413],
  ])('%s is refused', async (_, body, path, status) => {
    expect(await bench.post(body, path)).toBe(status);
    expect(readings).toEqual([]);
  });

  it('is taken and left alone when nobody knows its sensor', async () => {
    expect(await bench.post('{"device_id": "dev-9", "occupied": "occupied"}')).toBe(200);
    expect(readings).toEqual([]);
  });

  it('is answered when no device is behind its event, and nobody is heard', async () => {
    const body = '{"device_id": "dev-1", "occupied": "occupied"}';
    for (const event of ['txack', 'log', 'integration']) {
      expect(await bench.post(body, `/sensors/Service/push-key?event=${event}`)).toBe(200);
      expect(await bench.post('{}', `/sensors/Service/push-key?event=${event}`)).toBe(200);
    }
    expect(readings).toEqual([]);
    expect(await bench.post(body, '/sensors/Service/push-key?event=join')).toBe(200);
    expect(await bench.post(body, '/sensors/Service/push-key?event=up')).toBe(200);
    expect(readings.map(({ occupancy }) => occupancy)).toEqual([null, 'occupied']);
  });

  it('is not taken without a key of its own, nor after the end', async () => {
    await source.close();
    open({ application: null });
    await expect.poll(() => faults.at(-1)).toMatch(/^application must be the key of its pushes/);
    expect(await bench.post('{}', '/sensors/Service/')).toBe(404);
    await source.close();
    open();
    await source.close();
    expect(await bench.post('{"device_id": "dev-1", "occupied": "free"}')).toBe(404);
  });
});
