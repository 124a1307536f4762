/** What every sensor driver promises. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Occupancy, SensorReading, SensorDriver, SensorSource } from '../../agent/sensor/sensor-source.js';
import { sensorNameProblem, sensorSettingProblems } from '../../shared/drivers/sensor-drivers.js';
import type { SensorItem } from '../../shared/gateway-config.js';
import type { NoteResults } from './conformance-table.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';

export interface SensorHarness {
  driver: SensorDriver;
  /** Has places 1 to 4, each with its own sensor. */
  item: SensorItem;
  /** Sets what a place's sensor says from now on; null: nothing. */
  set(parkingPlaceId: number, occupancy: Occupancy | null): void;
  /** Makes the link to all sensors fail, or work again; left out: the driver has none, it is called. */
  setLink?(isUp: boolean): Promise<void>;
  remove(): Promise<void>;
}

export function sensorConformance(name: string, createHarness: () => Promise<SensorHarness>, note: NoteResults): void {
  describe(`sensor driver: ${name}`, () => {
    note(name);
    let harness: SensorHarness;
    let source: SensorSource | null;
    let readings: SensorReading[];
    let faults: (string | null)[];

    beforeEach(async () => {
      harness = await createHarness();
      source = null;
      readings = [];
      faults = [];
    });
    afterEach(async () => {
      await source?.close();
      await harness.remove();
    });

    function start(): SensorSource {
      source = harness.driver.open(harness.item, {
        onReadings: (heard) => readings.push(...heard),
        onFault: (reason) => faults.push(reason),
        occupancyOf: (id) => latest(id) ?? null,
      });
      return source;
    }
    const latest = (id: number) => readings.findLast(({ parking_place_id }) => parking_place_id === id)?.occupancy;
    const untilLatest = (expected: Record<number, Occupancy>) =>
      waitUntil(`the readings ${JSON.stringify(expected)}`, () =>
        Object.entries(expected).every(([id, occupancy]) => latest(Number(id)) === occupancy),
      );
    const all = (occupancy: Occupancy) => {
      for (const { id } of harness.item.places) harness.set(id, occupancy);
    };

    it('passes on what every sensor says, and nothing before it returned', async () => {
      all('free');
      harness.set(3, 'occupied');
      start();
      expect([readings, faults]).toEqual([[], []]);
      await untilLatest({ 1: 'free', 2: 'free', 3: 'occupied', 4: 'free' });
      expect(faults.filter((reason) => reason !== null)).toEqual([]);
    });

    it('is in the list of drivers, whose rules its settings keep', () => {
      const { driver, item } = harness;
      expect(sensorSettingProblems(driver.name, item)).toEqual([]);
      for (const { sensor } of item.places) {
        expect(
          sensorNameProblem(sensor, {
            driver: driver.name,
            register: item.register,
            mapping: item.mapping,
          }),
        ).toBeUndefined();
      }
    });

    it('says of a reading when it was made, or that it was made just now', async () => {
      all('occupied');
      const beganMs = Date.now();
      start();
      await untilLatest({ 1: 'occupied' });
      for (const { measured_ms } of readings) {
        if (measured_ms === null) continue;
        expect(measured_ms).toBeGreaterThanOrEqual(beganMs - 60_000);
        expect(measured_ms).toBeLessThanOrEqual(Date.now() + 60_000);
      }
    });

    it('passes on what changes', async () => {
      all('free');
      start();
      await untilLatest({ 2: 'free' });
      harness.set(2, 'occupied');
      await untilLatest({ 2: 'occupied' });
      harness.set(2, 'free');
      await untilLatest({ 2: 'free' });
    });

    it('says nothing of a silent sensor, and goes on with the others', async () => {
      all('free');
      harness.set(1, null);
      harness.set(3, null);
      start();
      await untilLatest({ 2: 'free', 4: 'free' });
      harness.set(4, 'occupied');
      await untilLatest({ 4: 'occupied' });
      expect([latest(1), latest(3)]).toEqual([undefined, undefined]);
      harness.set(3, 'occupied');
      await untilLatest({ 3: 'occupied' });
    });

    it('falls silent when a sensor does, and invents no state', async () => {
      all('occupied');
      start();
      await untilLatest({ 1: 'occupied', 2: 'occupied' });
      harness.set(1, null);
      harness.set(2, 'free');
      await untilLatest({ 2: 'free' });
      const before = readings.length;
      harness.set(2, 'occupied');
      await untilLatest({ 2: 'occupied' });
      expect(readings.slice(before).some(({ parking_place_id }) => parking_place_id === 1)).toBe(false);
    });

    it('reports that its link fails, and comes back by itself', async ({ skip }) => {
      const setLink = harness.setLink ?? skip('it has no link of its own');
      all('free');
      start();
      await untilLatest({ 1: 'free' });
      await setLink(false);
      await waitUntil('the fault', () => typeof faults.at(-1) === 'string');
      harness.set(1, 'occupied');
      await setLink(true);
      await untilLatest({ 1: 'occupied' });
      await waitUntil('the end of the fault', () => faults.at(-1) === null);
    });

    it('waits for a link that is not there yet', async ({ skip }) => {
      const setLink = harness.setLink ?? skip('it has no link of its own');
      await setLink(false);
      all('occupied');
      start();
      await waitUntil('the fault', () => typeof faults.at(-1) === 'string');
      expect(readings).toEqual([]);
      await setLink(true);
      await untilLatest({ 1: 'occupied', 4: 'occupied' });
    });

    it('says nothing after it was closed, and may be closed again', async () => {
      all('free');
      const closing = start();
      await untilLatest({ 1: 'free' });
      await closing.close();
      const before = [readings.length, faults.length];
      all('occupied');
      await harness.setLink?.(false);
      await harness.setLink?.(true);
      await closing.close();
      expect([readings.length, faults.length]).toEqual(before);
    });

    it('is closed while its link is down', async ({ skip }) => {
      const setLink = harness.setLink ?? skip('it has no link of its own');
      await setLink(false);
      const closing = start();
      await waitUntil('the fault', () => typeof faults.at(-1) === 'string');
      await closing.close();
    });
  });
}
