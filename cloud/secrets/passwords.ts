/** Passwords: argon2id, so many at a time that logins neither fill the memory nor stop the rest. */
import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import { type Clock, sleep } from '../../shared/clock.js';
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

/** Where there are no more cores than these, one that works without a pause is felt by everybody else. */
const FEW_CORES = 2;

/**
 * @param options.pausingClock for a service, which has others to serve: on a machine of few cores the place of a check stays empty as
 * long as the check took, and a crowd that logs in takes half a core
 */
export function createPasswords(
  options: { concurrency?: number; waitingMax?: number; pausingClock?: Clock; cores?: number } = {},
): Passwords {
  const { cores = availableParallelism(), waitingMax = 100 } = options;
  const { concurrency = Math.min(CONCURRENCY_MAX, Math.max(1, cores - 1)) } = options;
  const clock = cores <= FEW_CORES ? options.pausingClock : undefined;
  const queue = createLimitedQueue({ name: 'password checks', concurrency, waitingMax });

  /** Told as soon as it is known; the pause is the next one's. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (clock === undefined) return queue.run(work);
    return new Promise((resolve, reject) => {
      const turn = queue.run(async () => {
        const beganMs = clock.monotonic();
        await work().then(resolve, reject);
        await sleep(clock, clock.monotonic() - beganMs);
      });
      turn.catch(reject);
    });
  }

  return {
    hash: (password) => inTurn(() => hash(password, COST)),
    async verify(password, passwordHash) {
      const fits = await inTurn(() => verify(passwordHash || NOBODYS_HASH, password));
      return fits && Boolean(passwordHash);
    },
  };
}
