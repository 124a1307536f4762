import { describe, expect, it } from 'vitest';
import { createBoundedLog } from '../../../shared/bounded-log.js';
import { createTestLog } from '../../world/test-log.js';
import { FakeClock } from '../../world/fake-clock.js';

function start() {
  const clock = new FakeClock();
  const { lines, logger } = createTestLog();
  return { clock, lines, log: createBoundedLog({ logger, clock }) };
}

describe('lines that an outsider causes', () => {
  it('are ten of a kind from one address in a minute, then one that counts the rest', async () => {
    const { clock, lines, log } = start();
    for (let attempt = 1; attempt <= 1_000; attempt++) log.from('192.0.2.7').warn({ attempt }, 'wrong password');
    expect(lines.map(({ fields }) => fields.attempt)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    await clock.advance(60_000);
    expect(lines.slice(10)).toEqual([
      {
        level: 'warn',
        fields: { who: '192.0.2.7', left_out: 990 },
        message: 'wrong password (more of these were left out)',
      },
    ]);
    log.from('192.0.2.7').warn({ attempt: 1_001 }, 'wrong password');
    expect(lines).toHaveLength(12);
  });

  it('are counted apart for each kind and each address, so that others are still heard', () => {
    const { lines, log } = start();
    for (let attempt = 0; attempt < 100; attempt++) log.from('192.0.2.7').warn({}, 'wrong password');
    log.from('192.0.2.8').warn({}, 'wrong password');
    log.from('192.0.2.7').error({}, 'malformed');
    expect(lines.slice(10).map(({ level, message }) => [level, message])).toEqual([
      ['warn', 'wrong password'],
      ['error', 'malformed'],
    ]);
  });

  it('from ever more addresses are bounded too, and leave no timer behind', async () => {
    const { clock, lines, log } = start();
    for (let round = 0; round < 3; round++) {
      lines.length = 0;
      for (let address = 0; address < 20_000; address++) log.from(`address ${address}`).warn({}, 'wrong password');
      // One for each of 1,000 addresses, and ten for all others together.
      expect(lines).toHaveLength(1_010);
      await clock.advance(60_000);
      expect(lines.slice(1_010).map(({ fields }) => fields)).toEqual([{ who: 'others', left_out: 18_990 }]);
      expect(clock.pending).toBe(0);
    }
  });

  it('cost no timer when nothing was left out of them', () => {
    const { clock, log } = start();
    log.from(undefined).info({}, 'came');
    expect(clock.pending).toBe(0);
  });
});
