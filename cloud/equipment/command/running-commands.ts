/** Keeps commands going outside the database: the time of each attempt, and steps that the database has not accepted yet. */
import { type BackoffLimits, backoffDelayMs } from '../../../shared/backoff.js';
import { type Clock, sleep, type Timer } from '../../../shared/clock.js';
import { type EventId, eventIdSchema } from '../../../shared/ids.js';
import type { Logger } from '../../../shared/logger.js';
import { type CloudStore, LOCKS } from '../../kernel/store/entry.js';
import type { CommandInput } from './command-machine.js';
import { findCommand, runningAttempts, runningAttemptsOf } from './command-queries.js';
import { advanceCommand, type StepDeps } from './command-steps.js';

/** A database that fails is asked again, less and less often. */
const RETRY: BackoffLimits = { baseMs: 1_000, maxMs: 60_000 };

interface Attempt {
  event_id: EventId;
  gateway_id: number;
}

export interface RunningCommands {
  /** Limits the time of an attempt. @param attempt.deadline_ms wall milliseconds */
  watch(attempt: Attempt & { deadline_ms: number }): void;
  /** The attempt has ended: its time is limited no more. */
  unwatch(attempt: Attempt): void;
  /** Limits the time of all attempts that run, each from its start. */
  watchAll(): Promise<void>;
  /** Ends the attempts of a gateway. */
  endAttemptsOf(gateway_id: number): void;
  close(): Promise<void>;
}

interface RunningDeps {
  store: CloudStore;
  clock: Clock;
  logger: Logger;
  steps: StepDeps;
}

export function createRunningCommands(deps: RunningDeps): RunningCommands {
  const { store, clock, logger, steps } = deps;
  const timers = new Map<string, Timer>();
  const working = new Set<Promise<void>>();
  const closing = new AbortController();
  const keyOf = ({ event_id, gateway_id }: Attempt) => `${event_id} ${gateway_id}`;

  function keep(work: Promise<void>): void {
    working.add(work);
    void work.finally(() => working.delete(work));
  }
  const settle = (event_id: EventId, input: CommandInput) =>
    keep(settleCommand(deps, { event_id, input, signal: closing.signal }));

  function watch(attempt: Attempt & { deadline_ms: number }): void {
    const { event_id, gateway_id } = attempt;
    const key = keyOf(attempt);
    timers.get(key)?.cancel();
    const timer = clock.setTimer(Math.max(0, attempt.deadline_ms - clock.now()), () => {
      timers.delete(key);
      settle(event_id, { type: 'timeout', gateway_id });
    });
    timers.set(key, timer);
  }

  async function endAttempts(gateway_id: number): Promise<void> {
    try {
      for (const { event_id } of await runningAttemptsOf(store.reader, gateway_id)) {
        settle(eventIdSchema.parse(event_id), { type: 'offline', gateway_id });
      }
    } catch (error) {
      logger.error(
        { gateway_id, err: error },
        'attempts of a gateway that is gone could not be ended; their time ends them',
      );
    }
  }

  return {
    watch,
    unwatch(attempt) {
      timers.get(keyOf(attempt))?.cancel();
      timers.delete(keyOf(attempt));
    },
    async watchAll() {
      for (const { event_id, gateway_id, started_at } of await runningAttempts(store.reader)) {
        watch({ event_id: eventIdSchema.parse(event_id), gateway_id, deadline_ms: started_at + steps.waitMs });
      }
    },
    endAttemptsOf: (gateway_id) => keep(endAttempts(gateway_id)),
    async close() {
      closing.abort();
      for (const timer of timers.values()) timer.cancel();
      timers.clear();
      await Promise.all(working);
    },
  };
}

/** A command always ends: when the database does not accept the step, it is tried again until it does. */
async function settleCommand(
  { store, clock, logger, steps }: RunningDeps,
  { event_id, input, signal }: { event_id: EventId; input: CommandInput; signal: AbortSignal },
): Promise<void> {
  for (let failures = 0; !signal.aborted; failures++) {
    try {
      await store.change(async (tx) => {
        await tx.lock(LOCKS.command(event_id));
        const stored = await findCommand(tx, event_id);
        if (stored !== null) await advanceCommand(steps, tx, { stored, input });
      });
      return;
    } catch (error) {
      logger.error({ event_id, input: input.type, err: error }, 'a command could not go on; it is tried again');
      await sleep(clock, backoffDelayMs(RETRY, failures, 1), signal).catch(() => {});
    }
  }
}
