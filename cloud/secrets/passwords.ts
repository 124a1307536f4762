/** Passwords: argon2id, so many at a time that logins neither fill the memory nor stop the rest. */
import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import { createLimitedQueue } from '../../shared/limited-queue.js';

export interface Passwords {
  /** PHC text of the form `$argon2id$...`. @throws QueueFullError when too many wait */
  hash(password: string): Promise<string>;
  /**
   * Whether the password fits. Takes the same time for a user who is not there or has no password (null, empty): nobody
   * learns from it who has an account. @throws QueueFullError when too many wait
   */
  verify(password: string, passwordHash: string | null): Promise<boolean>;
}

/** 19 MiB and two passes: about 70 ms of one core. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** Of random bytes that were not kept: what nobody's password is compared with. Same cost. */
const NOBODYS_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$Ai8dglGjr9FN+vgGaBpNeQ$QKbNusjECGVRmSjG3EEMVbS5uqlZDeFgYvzp9lrpDlI';

/** Each fills a core: one is left to everything else. More than these would fill the memory. */
const CONCURRENCY_MAX = 4;

export function createPasswords(options: { concurrency?: number; waitingMax?: number } = {}): Passwords {
  const { concurrency = Math.min(CONCURRENCY_MAX, Math.max(1, availableParallelism() - 1)), waitingMax = 100 } =
    options;
  const queue = createLimitedQueue({ name: 'password checks', concurrency, waitingMax });
  return {
    hash: (password) => queue.run(() => hash(password, COST)),
    async verify(password, passwordHash) {
      const fits = await queue.run(() => verify(passwordHash || NOBODYS_HASH, password));
      return fits && Boolean(passwordHash);
    },
  };
}
