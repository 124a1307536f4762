import { createSemaphore } from '../../../shared/flow/semaphore.js';
import type { ThreadShare } from './thread-share.js';

/** How many requests of one token are under way at once. More than that wait. */
const AT_ONCE = 16;
const WAITING_MAX = 20_000;
const WAITING_PER_TOKEN_MAX = 1_000;

export interface RequestTurns {
  /** Does the work of a request when its token has a turn and its account a share of the thread. Rejects with QueueFullError when too many wait. */
  run<T>(of: { account_id: number; token: string }, work: () => Promise<T>): Promise<T>;
}

/** Requests of one token take turns, so that whoever sends hundreds at once makes nobody but themselves wait. */
export function createRequestTurns({ share }: { share: Pick<ThreadShare, 'turn'> }): RequestTurns {
  const turns = createSemaphore({
    name: 'requests of a token',
    permits: Number.POSITIVE_INFINITY,
    permitsPerOwner: AT_ONCE,
    waitingMax: WAITING_MAX,
    waitingPerOwnerMax: WAITING_PER_TOKEN_MAX,
  });
  return {
    run: (of, work) =>
      turns.run(of.token, () => {
        const mayGoOn = share.turn(of);
        return mayGoOn === null ? work() : mayGoOn.then(work);
      }),
  };
}
