/** How the radio is, and what it did to heal itself, for status, log and cloud. */
import type { Clock } from '../../shared/clock.js';
import type { Radio, RadioState } from './radio.js';

/**
 * `free`: take back a connection slot that the adapter did not give back. The others in the order of the ladder: scan again, reset the
 * adapter, replace the process that drives it, switch the adapter off and on.
 */
export type RecoveryStep = 'free' | 'rescan' | 'reset' | 'restart' | 'power';
/** The steps that the adapter's driver makes by itself. */
export type OwnRecoveryStep = Extract<RecoveryStep, 'free' | 'rescan' | 'reset'>;

export interface RadioHealth {
  state: RadioState;
  /** `links`: how many connections the adapter has. */
  adapters: { name: string; state: RadioState; links: number }[];
  /** How often each step was made since the gateway started. */
  recoveries: Record<RecoveryStep, number>;
  /** The last step with its cause; null: none was made. */
  last_recovery: { adapter: string; step: RecoveryStep; reason: string; ago_s: number } | null;
}

export interface RecoveryCounter {
  note(adapter: string, step: RecoveryStep, reason: string): void;
  /** How many were made, and the last one. */
  readonly counted: Pick<RadioHealth, 'recoveries' | 'last_recovery'>;
}

export function createRecoveryCounter(clock: Pick<Clock, 'monotonic'>): RecoveryCounter {
  const recoveries = { free: 0, rescan: 0, reset: 0, restart: 0, power: 0 };
  let last: { adapter: string; step: RecoveryStep; reason: string; atMs: number } | null = null;
  return {
    note(adapter, step, reason) {
      recoveries[step] += 1;
      last = { adapter, step, reason, atMs: clock.monotonic() };
    },
    get counted() {
      if (last === null) return { recoveries: { ...recoveries }, last_recovery: null };
      const { atMs, ...step } = last;
      const ago_s = Math.round((clock.monotonic() - atMs) / 1_000);
      return { recoveries: { ...recoveries }, last_recovery: { ...step, ago_s } };
    },
  };
}

/** @param adapters by name; none: the gateway is configured without a radio */
export function radioHealthOf(
  radio: Pick<Radio, 'state'>,
  adapters: readonly { name: string; radio: Pick<Radio, 'state'>; links: () => number }[],
  { counted }: RecoveryCounter,
): RadioHealth {
  return {
    state: radio.state,
    adapters: adapters.map(({ name, radio: { state }, links }) => ({ name, state, links: links() })),
    ...counted,
  };
}
