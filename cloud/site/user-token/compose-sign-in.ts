/** Composes signing in and what becomes of user tokens. */
import type { Clock } from '../../../shared/clock.js';
import { DAY_MS } from '../../../shared/durations.js';
import type { Logger } from '../../../shared/logger.js';
import type { CloudStore } from '../../kernel/store/entry.js';
import { hashToken, type Passwords } from '../../kernel/secrets/entry.js';
import type { ShareCounts } from '../../kernel/limit/entry.js';
import type { TokenRevocations } from '../../kernel/auth/entry.js';
import { createFailedSignIns } from './failed-sign-ins.js';
import { createLogin, createSignInDelay } from './login.js';
import { startSignInUpkeep } from './sign-in-upkeep.js';
import { createUserTokenUses } from './user-token-uses.js';

export function composeSignIn(
  settings: { userTokenDays: number; rateLoginFailuresPerMin: number },
  deps: {
    store: CloudStore;
    passwords: Passwords;
    revocations: TokenRevocations;
    shareCounts: ShareCounts;
    clock: Clock;
    logger: Logger;
  },
) {
  const { store, passwords, revocations, shareCounts, clock, logger } = deps;
  const lifeMs = settings.userTokenDays * DAY_MS;
  const failuresPerMin = settings.rateLoginFailuresPerMin;
  const upkeep = startSignInUpkeep({ store, revocations, clock, logger, lifeMs });
  return {
    login: createLogin({
      store,
      passwords,
      revocations,
      clock,
      hashToken,
      failedSignIns: createFailedSignIns(deps),
      delay: createSignInDelay({ failuresPerMin, clock, shared: shareCounts('sign-ins') }),
      lifeMs,
    }),
    noteUse: createUserTokenUses({ store, clock, logger, lifeMs }).noteUse,
    close: upkeep.close,
  };
}
