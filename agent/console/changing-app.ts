/**
 * The routes of the local listener while the gateway behind them is started anew: the listener stays, and what comes meanwhile waits for the
 * next gateway, so that no push of a camera is lost.
 */
import type { Hono } from 'hono';
import type { Clock } from '../../shared/clock.js';

/** Cameras wait as long, and push again after that. */
const HELD_MS = 10_000;
/** Connections are bounded by the listener; this is what may wait of them. */
const HELD_MAX = 100;
const DRAIN_MS = 5_000;

type Fetch = Hono['fetch'];

export interface ChangingApp {
  readonly fetch: Fetch;
  /** Serves these routes from now on, and what waited for them. */
  open(app: Pick<Hono, 'fetch'>): void;
  /** Holds what comes from now on. Resolves when what is under way was answered, or after five seconds. */
  shut(): Promise<void>;
}

export function createChangingApp({ clock }: { clock: Clock }): ChangingApp {
  let current: Pick<Hono, 'fetch'> | null = null;
  /** Those that wait for the next gateway. */
  const held = new Set<() => void>();
  let underWay = 0;
  let onIdle: (() => void) | null = null;

  const later = () => new Response(null, { status: 503, headers: { 'retry-after': '5' } });

  async function hold(...given: Parameters<Fetch>): Promise<Response> {
    if (held.size >= HELD_MAX) return later();
    await new Promise<void>((resolve) => {
      const go = () => {
        timer.cancel();
        held.delete(go);
        resolve();
      };
      const timer = clock.setTimer(HELD_MS, go);
      held.add(go);
    });
    return current === null ? later() : serve(current, given);
  }

  function serve(app: Pick<Hono, 'fetch'>, given: Parameters<Fetch>): ReturnType<Fetch> {
    const answer = app.fetch(...given);
    if (!(answer instanceof Promise)) return answer;
    underWay += 1;
    return answer.finally(() => {
      underWay -= 1;
      if (underWay === 0) onIdle?.();
    });
  }

  return {
    fetch: (...given) => (current === null ? hold(...given) : serve(current, given)),
    open(app) {
      current = app;
      for (const go of held) go();
    },
    async shut() {
      current = null;
      if (underWay === 0) return;
      await new Promise<void>((resolve) => {
        const timer = clock.setTimer(DRAIN_MS, resolve);
        onIdle = () => {
          timer.cancel();
          resolve();
        };
      });
      onIdle = null;
    },
  };
}
