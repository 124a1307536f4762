/** The clock that all cloud processes of a database share: times that one writes, another one compares. */
import { type Clock, every } from '../../../shared/clock.js';
import type { Logger } from '../../../shared/logger.js';
import type { Peers } from '../store/peers.js';

const MEASURED_EVERY_MS = 30_000;
/** What the way to the database and back makes uncertain. */
const UNCERTAIN_MS = 50;
const REMARKABLE_MS = 1_000;

export interface DatabaseClock extends Clock {
  /** Follows the database's clock from now on. @returns how to stop */
  follow(peers: Pick<Peers, 'now'>): Promise<() => void>;
}

/** Shows the machine's own time until it follows a database. Durations are always the machine's. */
export function createDatabaseClock({ clock, logger }: { clock: Clock; logger: Logger }): DatabaseClock {
  let offset_ms = 0;

  async function measure(peers: Pick<Peers, 'now'>): Promise<void> {
    const asked = clock.monotonic();
    const shown = await peers.now();
    const way_ms = clock.monotonic() - asked;
    const found = shown - (clock.now() - way_ms / 2);
    // A small difference is that of the way, and time should not go back for it.
    if (Math.abs(found - offset_ms) < UNCERTAIN_MS + way_ms) return;
    offset_ms = Math.round(found);
    if (Math.abs(offset_ms) < REMARKABLE_MS) return;
    logger.warn({ offset_ms }, "this machine's clock differs from that of the database, which is followed");
  }

  return {
    now: () => clock.now() + offset_ms,
    monotonic: () => clock.monotonic(),
    setTimer: (delayMs, fire) => clock.setTimer(delayMs, fire),
    async follow(peers) {
      await measure(peers);
      const onError = (error: unknown) => logger.warn({ err: error }, "the database's clock could not be read");
      const timer = every({ clock, periodMs: MEASURED_EVERY_MS, work: () => measure(peers), onError });
      return () => timer.cancel();
    },
  };
}
