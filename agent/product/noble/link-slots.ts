/**
 * Accounts for the adapter's connections. An adapter has a handful of connection slots. A slot that it does not free after a connection is
 * lost until it is taken back; this is the commonest reason why a Bluetooth gateway stops working after weeks.
 */
import { type Clock, every } from '../../../shared/clock.js';
import type { Logger } from '../../../shared/logger.js';
import type { NobleLife } from './noble-lives.js';

/** How often the slots are compared with the connections in use. */
const AUDIT_PERIOD_MS = 2_000;
/** How long an unused connection may take a slot, because the end of a connection takes a moment. */
const UNUSED_FOR_MS = 2_500;

export interface LinkSlotsOptions {
  clock: Clock;
  logger: Logger;
  life: () => NobleLife | undefined;
  /** Whether this program has a connection to this address, or makes one. */
  isUsed(address: string): boolean;
  /** Called when a leaked connection was found; the adapter is told once more to end it. */
  onLeak(reason: string): void;
  /** Called when the adapter did not end the leaked connection. */
  onStuck(reason: string): void;
}

export interface LinkSlots {
  /** Takes back the slot of the connection to this address, which did not end in time. */
  leaked(address: string): void;
  close(): void;
}

interface Leak {
  sinceMs: number;
  isAsked: boolean;
}

export function createLinkSlots(options: LinkSlotsOptions): LinkSlots {
  const { clock, logger, isUsed } = options;
  /** Leaks by their handle, which is valid only in the present life. */
  let leaks = new Map<number, Leak>();
  let of: NobleLife | undefined;

  const withdraw = (life: NobleLife, { handle, address }: { handle: number; address: string }, leak: Leak) => {
    leak.sinceMs = clock.monotonic();
    if (leak.isAsked) {
      leaks.delete(handle);
      options.onStuck(`the connection to ${address} cannot be ended`);
      return;
    }
    leak.isAsked = true;
    const reason = `nobody uses the connection to ${address}, and it did not end`;
    logger.warn({ step: 'free', reason }, 'a connection slot of the Bluetooth adapter is taken back');
    options.onLeak(reason);
    life.endLink(handle);
  };
  const audit = (lost: string | null = null) => {
    const life = options.life();
    if (life !== of) leaks = new Map();
    of = life;
    if (life === undefined || life.signal.aborted) return;
    for (const handle of leaks.keys()) if (!life.links().has(handle)) leaks.delete(handle);
    for (const [handle, address] of life.links()) {
      if (address !== lost && isUsed(address)) {
        leaks.delete(handle);
        continue;
      }
      const leak = leaks.get(handle) ?? { sinceMs: clock.monotonic(), isAsked: false };
      leaks.set(handle, leak);
      const isLost = address === lost && !leak.isAsked;
      if (isLost || clock.monotonic() - leak.sinceMs >= UNUSED_FOR_MS) withdraw(life, { handle, address }, leak);
    }
  };
  const auditing = every({
    clock,
    periodMs: AUDIT_PERIOD_MS,
    work: () => audit(),
    onError: (error) => logger.error({ err: error }, "the account of the adapter's connections failed"),
  });
  return {
    leaked: audit,
    close: () => auditing.cancel(),
  };
}
