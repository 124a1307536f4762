/** Extends the life of user tokens that are used. */
import type { Clock } from '../../../shared/clock.js';
import type { Logger } from '../../../shared/logger.js';
import type { Caller } from '../../kernel/auth/entry.js';
import type { CloudStore } from '../../kernel/store/entry.js';
import { noteUserTokenUse } from './user-token-queries.js';

/** How long after a stored use the next use is stored, so that requests rarely cause a write. */
const NOTED_EVERY_MS = 3_600_000;

export interface UserTokenUses {
  /** Extends the caller's user token if it was last extended some time ago. The request does not wait for it. */
  noteUse(caller: Caller): void;
}

/** @param deps.lifeMs USER_TOKEN_DAYS: how long a token lives after its last use */
export function createUserTokenUses(deps: {
  store: Pick<CloudStore, 'change'>;
  clock: Clock;
  logger: Logger;
  lifeMs: number;
}): UserTokenUses {
  const { store, clock, logger, lifeMs } = deps;
  const underWay = new Set<number>();

  const note = (id: number) =>
    store.change((tx) => {
      const used_at = clock.now();
      return noteUserTokenUse(tx, { id, used_at, expires_at: used_at + lifeMs });
    });

  return {
    noteUse({ kind, token_id, expires_at }) {
      if (kind !== 'user' || expires_at === null || underWay.has(token_id)) return;
      if (clock.now() + lifeMs - expires_at < NOTED_EVERY_MS) return;
      underWay.add(token_id);
      note(token_id)
        .catch((error: unknown) => logger.error({ err: error }, 'the use of a user token could not be stored'))
        .finally(() => underWay.delete(token_id));
    },
  };
}
