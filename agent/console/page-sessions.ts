/**
 * Keeps the sessions of people who are signed in at the local console. They live in memory: a gateway that starts anew
 * has none.
 */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../shared/clock.js';
import { HOUR_MS } from '../../shared/durations.js';
import type { PasswordVerifier } from '../../shared/gateway-config.js';

const LIFE_MS = 12 * HOUR_MS;
const IDLE_MS = HOUR_MS / 2;
/** The session that was idle longest makes room. */
const SESSIONS_MAX = 32;
const TOKEN_BYTES = 32;

export const SESSION_LIFE_S = LIFE_MS / 1_000;

export interface PageSessions {
  /** Returns the token of a new session, which ends with the password by which it began. */
  begin(verifier: PasswordVerifier): string;
  /** Whether there is such a session, which is not idle then. @param verifier of the password as it is now */
  isPresent(token: string, verifier: PasswordVerifier): boolean;
  end(token: string): void;
}

export function createPageSessions({ clock }: { clock: Clock }): PageSessions {
  /** The one that was used last stands last. */
  const sessions = new Map<string, { beganMs: number; usedMs: number; hash: string }>();

  return {
    begin({ hash }) {
      const token = randomBytes(TOKEN_BYTES).toString('base64url');
      sessions.set(token, { beganMs: clock.monotonic(), usedMs: clock.monotonic(), hash });
      const [idlest] = sessions.keys();
      if (sessions.size > SESSIONS_MAX && idlest !== undefined) sessions.delete(idlest);
      return token;
    },
    isPresent(token, { hash }) {
      const session = sessions.get(token);
      if (session === undefined) return false;
      const now = clock.monotonic();
      sessions.delete(token);
      if (session.hash !== hash || now - session.beganMs >= LIFE_MS || now - session.usedMs >= IDLE_MS) return false;
      sessions.set(token, { ...session, usedMs: now });
      return true;
    },
    end: (token) => void sessions.delete(token),
  };
}
