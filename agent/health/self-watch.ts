/**
 * Looks every few seconds whether the gateway does its work, and says so: to the service manager, which starts the program anew when it hears
 * nothing, and by the lamp. A look goes through the event loop, the store's thread and all rooms, and sees reads that nobody decides. A fault that
 * no start mends (a disk that refuses, a missing adapter) is told, and the gateway goes on with what it can.
 */
import { type Clock, every } from '../../shared/clock.js';
import { errorText } from '../../shared/error-text.js';
import type { Logger } from '../../shared/logger.js';
import { decideSign, decideStuck, type Sign } from './decide-sign.js';
import type { Lamp } from './lamp.js';
import type { GatewayStatus } from './status.js';

/** An answer is there in milliseconds; a worn card may hold one up for many seconds. */
const ANSWER_WITHIN_MS = 20_000;
const LOOK_EVERY_MS = 10_000;
/** The adapter's driver is started anew within seconds: a fault is what lasts. */
const FAULT_LOOKS = 3;

/** Port: the service manager that started the program. */
export interface ServiceManager {
  /** How long it waits for a sign of life; null: it does not watch. */
  readonly watchdogMs: number | null;
  /** Sends `NAME=value` lines, as of sd_notify(3). Never throws. */
  notify(...lines: string[]): void;
}

export interface SelfWatch {
  close(): void;
}

export function createSelfWatch(deps: {
  status: () => Promise<GatewayStatus>;
  /** The fault of the claim file; null: it has none. */
  problem: () => string | null;
  manager: ServiceManager;
  lamp: Lamp;
  clock: Clock;
  logger: Logger;
}): SelfWatch {
  const { manager, lamp, clock, logger } = deps;
  const periodMs = Math.min(LOOK_EVERY_MS, (manager.watchdogMs ?? Number.POSITIVE_INFINITY) / 3);
  let asked: { sinceMs: number } | null = null;
  let faultLooks = 0;
  let lastStatus = '';
  let isStuckLogged = false;

  function show({ sign, text }: Sign): void {
    faultLooks = sign === 'fault' ? faultLooks + 1 : 0;
    if (sign !== 'fault' || faultLooks >= FAULT_LOOKS) lamp.show(sign);
    const lines = text === lastStatus ? [] : [`STATUS=${text}`];
    lastStatus = text;
    manager.notify('WATCHDOG=1', ...lines);
  }

  function noteStuck(why: string): void {
    lamp.show('fault');
    if (!isStuckLogged)
      logger.error({ why }, 'the gateway is stuck: the service manager is told nothing, and starts it anew');
    isStuckLogged = true;
    lastStatus = '';
    manager.notify(`STATUS=stuck: ${why}`);
  }

  /** One question at a time: a store that does not answer is not asked again. */
  function look(): void {
    if (asked !== null) {
      const waitsMs = clock.monotonic() - asked.sinceMs;
      if (waitsMs >= ANSWER_WITHIN_MS) noteStuck(`the store has not answered for ${Math.round(waitsMs / 1_000)} s`);
      // A part that still has its time is no reason to stop the program.
      else manager.notify('WATCHDOG=1');
      return;
    }
    asked = { sinceMs: clock.monotonic() };
    deps.status().then(answered, failed);
  }

  function answered(status: GatewayStatus): void {
    asked = null;
    const why = decideStuck(status);
    if (why !== null) return noteStuck(why);
    isStuckLogged = false;
    show(decideSign(status, deps.problem()));
  }

  function failed(error: unknown): void {
    asked = null;
    logger.debug({ reason: errorText(error) }, 'the gateway could not be asked how it is');
    manager.notify('WATCHDOG=1');
  }

  look();
  const periodic = every({
    clock,
    periodMs,
    work: look,
    onError: (error) => logger.error({ err: error }, 'the look at the gateway failed'),
  });
  return { close: () => periodic.cancel() };
}
