/** What every source of sensors promises. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SensorDriver, SensorReading, SensorSource } from '../../agent/sensor/sensor-source.js';
import type { SensorItem } from '../../shared/gateway-config.js';
import { waitUntil } from '../sim/world/wait-until.js';

export interface SensorHarness {
  driver: SensorDriver;
  /** With places 1 to 4, each with a sensor of its own. */
  item: SensorItem;
  /** What a place's sensor measures from now on; null: nothing. */
  set(parkingPlaceId: number, value: number | null): void;
  /** The link to all of them fails, or works again. */
  setLink(isUp: boolean): Promise<void>;
  remove(): Promise<void>;
}

export function sensorConformance(name: string, make: () => Promise<SensorHarness>): void {
  describe(`sensor source: ${name}`, () => {
    let harness: SensorHarness;
    let source: SensorSource | null;
    let readings: SensorReading[];
    let faults: (string | null)[];

    beforeEach(async () => {
      harness = await make();
      source = null;
      readings = [];
      faults = [];
    });
    afterEach(async () => {
      await source?.close();
      await harness.remove();
    });

    function start(): SensorSource {
      source = harness.driver(harness.item, {
        onReadings: (told) => readings.push(...told),
        onFault: (reason) => faults.push(reason),
      });
      return source;
    }
    const latest = (id: number) => readings.findLast(({ parking_place_id }) => parking_place_id === id)?.value;
    const untilLatest = (expected: Record<number, number>) =>
      waitUntil(`the readings ${JSON.stringify(expected)}`, () =>
        Object.entries(expected).every(([id, value]) => latest(Number(id)) === value),
      );
    const all = (value: number) => {
      for (const { id } of harness.item.places) harness.set(id, value);
    };

    it('tells what every sensor measures, and says nothing before it returned', async () => {
      all(0);
      harness.set(3, 1);
      start();
      expect([readings, faults]).toEqual([[], []]);
      await untilLatest({ 1: 0, 2: 0, 3: 1, 4: 0 });
      expect(faults.filter((reason) => reason !== null)).toEqual([]);
    });

    it('tells what changes', async () => {
      all(0);
      start();
      await untilLatest({ 2: 0 });
      harness.set(2, 1);
      await untilLatest({ 2: 1 });
      harness.set(2, 0);
      await untilLatest({ 2: 0 });
    });

    it('tells nothing of a sensor that measures nothing, and goes on with the others', async () => {
      all(0);
      harness.set(1, null);
      harness.set(3, null);
      start();
      await untilLatest({ 2: 0, 4: 0 });
      harness.set(4, 1);
      await untilLatest({ 4: 1 });
      expect([latest(1), latest(3)]).toEqual([undefined, undefined]);
      harness.set(3, 1);
      await untilLatest({ 3: 1 });
    });

    it('falls silent when a sensor does, and does not make up a value', async () => {
      all(1);
      start();
      await untilLatest({ 1: 1, 2: 1 });
      harness.set(1, null);
      harness.set(2, 0);
      await untilLatest({ 2: 0 });
      const told = readings.length;
      harness.set(2, 1);
      await untilLatest({ 2: 1 });
      expect(readings.slice(told).some(({ parking_place_id }) => parking_place_id === 1)).toBe(false);
    });

    it('tells that its link fails, and comes back by itself', async () => {
      all(0);
      start();
      await untilLatest({ 1: 0 });
      await harness.setLink(false);
      await waitUntil('the fault', () => typeof faults.at(-1) === 'string');
      harness.set(1, 1);
      await harness.setLink(true);
      await untilLatest({ 1: 1 });
      await waitUntil('the end of the fault', () => faults.at(-1) === null);
    });

    it('waits for a link that is not there yet', async () => {
      await harness.setLink(false);
      all(1);
      start();
      await waitUntil('the fault', () => typeof faults.at(-1) === 'string');
      expect(readings).toEqual([]);
      await harness.setLink(true);
      await untilLatest({ 1: 1, 4: 1 });
    });

    it('tells nothing after it was closed, and may be closed again', async () => {
      all(0);
      const closing = start();
      await untilLatest({ 1: 0 });
      await closing.close();
      const told = [readings.length, faults.length];
      all(1);
      await harness.setLink(false);
      await harness.setLink(true);
      await closing.close();
      expect([readings.length, faults.length]).toEqual(told);
    });

    it('is closed while its link is down', async () => {
      await harness.setLink(false);
      const closing = start();
      await waitUntil('the fault', () => typeof faults.at(-1) === 'string');
      await closing.close();
    });
  });
}
