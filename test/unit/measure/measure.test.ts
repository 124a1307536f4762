/** How rooms measure: what waits, and what the database has to be asked for. */
import { Registry } from 'prom-client';
import { beforeEach, describe, expect, it } from 'vitest';
import { addDatabaseGauges } from '../../../cloud/kernel/measure/database-gauges.js';
import { addGauge } from '../../../cloud/kernel/measure/gauge.js';
import { measureWaiting } from '../../../cloud/kernel/measure/waiting.js';
import { type Logger, silentLogger } from '../../../shared/logger.js';
import { FakeClock } from '../../world/fake-clock.js';

describe('measurements', () => {
  let registry: Registry;
  let clock: FakeClock;
  const warnings: string[] = [];
  const logger: Logger = { ...silentLogger, warn: (_fields, message) => void warnings.push(message) };

  beforeEach(() => {
    registry = new Registry();
    clock = new FakeClock();
    warnings.length = 0;
  });

  const valuesOf = async () =>
    (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));

  it('show no value of what is not known, and its name all the same', async () => {
    let value: number | null = 3;
    addGauge(registry, { name: 'parking_leases', help: 'Leases of this process', read: () => value });
    expect(await valuesOf()).toEqual(['parking_leases 3']);
    value = null;
    expect(await valuesOf()).toEqual([]);
    expect(await registry.metrics()).toContain('# HELP parking_leases Leases of this process');
    value = 4;
    expect(await valuesOf()).toEqual(['parking_leases 4']);
  });

  it('show how much waits, and how long what came first', async () => {
    const waiting = measureWaiting({ registry, clock }, { name: 'parking_things_waiting', what: 'Things that wait' });
    const leaveFirst = waiting.enter();
    await clock.advance(1_500);
    const leaveSecond = waiting.enter();
    await clock.advance(500);
    expect(await valuesOf()).toEqual(['parking_things_waiting 2', 'parking_things_waiting_oldest_seconds 2']);
    leaveFirst();
    leaveFirst();
    expect(await valuesOf()).toEqual(['parking_things_waiting 1', 'parking_things_waiting_oldest_seconds 0.5']);
    leaveSecond();
    expect(await valuesOf()).toEqual(['parking_things_waiting 0', 'parking_things_waiting_oldest_seconds 0']);
  });

  describe('asked of the database', () => {
    let asked: number;
    let answer: () => Promise<{ count: number; oldest: number | null }>;
    beforeEach(() => {
      asked = 0;
      answer = async () => ({ count: asked, oldest: null });
      const ask = () => {
        asked += 1;
        return answer();
      };
      addDatabaseGauges({ registry, clock, logger }, ask, {
        count: { name: 'parking_rows', help: 'Rows' },
        oldest: { name: 'parking_rows_oldest_seconds', help: 'The oldest row' },
      });
    });

    it('come from one question, which is not asked again for 5 s, however many want to know', async () => {
      await Promise.all([valuesOf(), valuesOf()]);
      await clock.advance(4_999);
      expect(await valuesOf()).toEqual(['parking_rows 1']);
      await clock.advance(1);
      expect(await valuesOf()).toEqual(['parking_rows 2']);
      expect(asked).toBe(2);
    });

    it('have no value while it fails, and hold up no others', async () => {
      answer = () => Promise.reject(new Error('gone'));
      addGauge(registry, { name: 'parking_others', help: 'Others', read: () => 1 });
      expect(await valuesOf()).toEqual(['parking_others 1']);
      expect(warnings).toEqual(['the database could not be asked for measurements']);
    });

    it('have no value when it does not answer within 2 s', async () => {
      answer = () => new Promise(() => {});
      const values = valuesOf();
      await clock.advance(2_000);
      expect(await values).toEqual([]);
      expect(warnings).toHaveLength(1);
      expect(clock.pending).toBe(0);
    });
  });
});
