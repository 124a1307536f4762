import { afterEach, describe, expect, it } from 'vitest';
import { createDatabaseClock } from '../../../cloud/kernel/peers/database-clock.js';
import type { Logger } from '../../../shared/logger.js';
import { FakeClock } from '../../world/fake-clock.js';

const MINUTES_5 = 300_000;
const clock = new FakeClock();
const warnings: string[] = [];
const logger: Logger = {
  debug: () => {},
  info: () => {},
  warn: (_, message) => void warnings.push(message),
  error: () => {},
};
let stop = () => {};
afterEach(() => stop());

describe('the clock of several processes', () => {
  it("is the machine's own until it follows a database, and then that of the database", async () => {
    const shared = createDatabaseClock({ clock, logger });
    expect(shared.now()).toBe(clock.now());
    let ahead_ms = MINUTES_5;
    stop = await shared.follow({ now: async () => clock.now() + ahead_ms });
    expect(shared.now()).toBe(clock.now() + MINUTES_5);
    expect(shared.monotonic()).toBe(clock.monotonic());
    expect(warnings).toEqual(["this machine's clock differs from that of the database, which is followed"]);
    ahead_ms = 0;
    await clock.advance(60_000);
    expect(shared.now()).toBe(clock.now());
  });

  it('does not go back for what the way to the database makes uncertain, nor stop when it cannot be asked', async () => {
    const shared = createDatabaseClock({ clock, logger });
    let answer = async () => clock.now() - 20;
    stop = await shared.follow({ now: () => answer() });
    expect(shared.now()).toBe(clock.now());
    answer = () => Promise.reject(new Error('gone'));
    await clock.advance(60_000);
    expect(shared.now()).toBe(clock.now());
  });
});
