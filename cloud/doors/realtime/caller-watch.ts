/** Looks after the callers of open connections: whether their tokens still exist, and which lots they have now. */
import { type Clock, every, type Timer } from '../../../shared/clock.js';
import type { Logger } from '../../../shared/logger.js';
import { type Caller, tokenKey, type TokenReference } from '../../kernel/auth/entry.js';
import { type CloudStore, includesOneOf } from '../../kernel/store/entry.js';
import { CALLER_TABLES, findCallersOfTokens } from '../../site/entry.js';
import type { Connection } from './connection.js';
import { CLOSE_UNAUTHORIZED } from './realtime-frames.js';

/** How soon callers are looked up after another process changed their tokens, users or lots. */
const FOLLOW_SOON_MS = 50;
/** How often callers are looked up, because notices of other processes may be lost. */
const CALLERS_CHECK_MS = 5_000;

export interface CallerWatch {
  add(connection: Connection): void;
  delete(connection: Connection): void;
  /** Closes the connections of revoked tokens (4401). */
  closeTokens(tokens: readonly TokenReference[]): void;
  /** Looks up all callers in the database. It also runs by itself. */
  check(): Promise<void>;
  /** The same, but a failure is logged, and the next check repeats what was missed. */
  follow(): Promise<void>;
  close(): void;
}

export function watchCallers(deps: { store: CloudStore; clock: Clock; logger: Logger }): CallerWatch {
  const { store, clock, logger } = deps;
  const byToken = new Map<string, Set<Connection>>();

  const closeTokens = (tokens: readonly TokenReference[], reason = 'token revoked') => {
    for (const token of tokens) {
      for (const connection of byToken.get(tokenKey(token)) ?? []) connection.close(CLOSE_UNAUTHORIZED, reason);
    }
  };
  /** Sets a timer that closes the connections of a token, if the token ends before the next check. */
  const closeAtExpiry = (caller: Caller) => {
    const leftMs = (caller.expires_at ?? Number.POSITIVE_INFINITY) - clock.now();
    if (leftMs > CALLERS_CHECK_MS) return;
    clock.setTimer(Math.max(leftMs, 0), () => closeTokens([caller], 'token expired'));
  };

  const check = async () => {
    const open = [...byToken.values()].flatMap((connections) => [...connections].slice(0, 1));
    const asked = open.map(({ caller }) => caller);
    const callers = new Map(
      (await findCallersOfTokens(store.reader, asked)).map((caller) => [tokenKey(caller), caller]),
    );
    closeTokens(asked.filter((caller) => !callers.has(tokenKey(caller))));
    for (const [key, caller] of callers) {
      closeAtExpiry(caller);
      for (const connection of byToken.get(key) ?? []) {
        if (connection.caller.token_hash === caller.token_hash) connection.rescope(caller);
        else connection.close(CLOSE_UNAUTHORIZED, 'token revoked');
      }
    }
  };
  const checkFailed = (error: unknown) =>
    logger.error({ err: error }, 'tokens of open realtime connections could not be checked');
  const checking = every({ clock, periodMs: CALLERS_CHECK_MS, work: check, onError: checkFailed });

  const follow = () => check().catch(checkFailed);
  let soon: Timer | undefined;
  const stopForeign = store.onForeignChange(({ written }) => {
    if (byToken.size === 0 || !includesOneOf(written, CALLER_TABLES)) return;
    soon ??= clock.setTimer(FOLLOW_SOON_MS, () => {
      soon = undefined;
      void follow();
    });
  });

  return {
    add(connection) {
      const key = tokenKey(connection.caller);
      byToken.set(key, (byToken.get(key) ?? new Set()).add(connection));
      closeAtExpiry(connection.caller);
    },
    delete(connection) {
      const key = tokenKey(connection.caller);
      byToken.get(key)?.delete(connection);
      if (byToken.get(key)?.size === 0) byToken.delete(key);
    },
    closeTokens,
    check,
    follow,
    close() {
      checking.cancel();
      soon?.cancel();
      stopForeign();
    },
  };
}
