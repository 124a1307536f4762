/** Hashes and verifies passwords with argon2id. It limits how many run at a time, so that logins neither fill the memory nor stop the rest. */
import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import { type Clock, sleep } from '../../../shared/clock.js';
import { createSemaphore } from '../../../shared/flow/semaphore.js';

export interface Passwords {
  /** PHC text of the form `$argon2id$...`. @throws QueueFullError when too many wait */
  hash(password: string): Promise<string>;
  /**
   * Whether the password is right. It takes the same time for a user who does not exist or has no password (null, empty), so that nobody
   * learns from the time who has an account. @throws QueueFullError when too many wait
   */
  verify(password: string, passwordHash: string | null): Promise<boolean>;
}

/** 19 MiB and two passes: about 70 ms of one core. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** The hash of random bytes that were not kept, with the same cost: the password for an unknown user is compared with it. */
const NOBODYS_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$Ai8dglGjr9FN+vgGaBpNeQ$QKbNusjECGVRmSjG3EEMVbS5uqlZDeFgYvzp9lrpDlI';

/** Each check fills a core, and one core is left for everything else. More checks than these would fill the memory. */
const CONCURRENCY_MAX = 4;

/** With no more cores than these, a core that works without a pause slows everything else down. */
const FEW_CORES = 2;

/**
 * @param options.pausingClock for a service, which also has other work: on a machine with few cores a pause as long as the check follows
 * each check, so that many logins use only half a core
 */
export function createPasswords(
  options: { concurrency?: number; waitingMax?: number; pausingClock?: Clock; cores?: number } = {},
): Passwords {
  const { cores = availableParallelism(), waitingMax = 100 } = options;
  const { concurrency = Math.min(CONCURRENCY_MAX, Math.max(1, cores - 1)) } = options;
  const clock = cores <= FEW_CORES ? options.pausingClock : undefined;
  const queue = createSemaphore({ name: 'password checks', permits: concurrency, waitingMax });

  /** The result is returned at once; only the next check waits for the pause. */
  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (clock === undefined) return queue.run('', work);
    const leave = await queue.enter('');
    const beganMs = clock.monotonic();
    try {
      return await work();
    } finally {
      void sleep(clock, clock.monotonic() - beganMs).then(leave);
    }
  }

  return {
    hash: (password) => inTurn(() => hash(password, COST)),
    async verify(password, passwordHash) {
      const fits = await inTurn(() => verify(passwordHash || NOBODYS_HASH, password));
      return fits && Boolean(passwordHash);
    },
  };
}
