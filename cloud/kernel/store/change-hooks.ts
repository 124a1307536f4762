/**
 * Hooks into the changes of a piece of work. With them a subject can add to each transaction what must not be forgotten (an audit entry, a
 * look at what may have changed), and the store need not know the subject.
 */
import { createCarried } from './carried.js';
import type { Tx } from './cloud-store.js';

/**
 * Runs within the transaction, after its work and before its events are written. When it rejects, the change is rolled back.
 * @param now wall milliseconds
 */
export type ChangeHook = (tx: Tx, now: number) => Promise<void>;

/** Runs within the transaction, before its work. When it rejects, the work does not begin. */
export type ChangeGuard = (tx: Tx) => Promise<void>;

/** What a piece of work adds to its changes. */
interface Around {
  guard?: ChangeGuard;
  hook?: ChangeHook;
  share?: string;
}

const NOTHING: Around = {};
const around = createCarried<Around>();

/** Runs `work`, and runs the hook in each change that `work` makes, directly or indirectly. An inner hook runs before it. */
export function withChangeHook<T>(hook: ChangeHook, work: () => Promise<T>): Promise<T> {
  const outer = around.get();
  const both: ChangeHook = async (tx, now) => {
    await hook(tx, now);
    await outer?.hook?.(tx, now);
  };
  return around.run({ ...outer, hook: both }, work);
}

/** Runs `work`, and runs the guard in each change that `work` makes, directly or indirectly. An inner guard replaces it. */
export const withChangeGuard = <T>(guard: ChangeGuard, work: () => Promise<T>): Promise<T> =>
  around.run({ ...around.get(), guard }, work);

/** Runs `work`, whose changes are its own: hook and guard of what calls it have nothing to do with them. */
export const withoutChangeHooks = <T>(work: () => Promise<T>): Promise<T> => around.run(NOTHING, work);

/** Runs `work`, and lets each change that `work` makes wait among those of the same share: shares take turns at the database. */
export const withChangeShare = <T>(share: string, work: () => Promise<T>): Promise<T> =>
  around.run({ ...around.get(), share }, work);

/** Returns hook, guard and share of the work that calls this. */
export const aroundChange = (): Around => around.get() ?? NOTHING;
