/**
 * What travels invisibly with a piece of work, through all that it calls and waits for. Every value has its own key in one storage, because
 * each storage that was ever used costs every promise of the process something.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

export interface Carried<T> {
  /** Returns the value that the work which calls this was given; undefined: it was given none. */
  get(): T | undefined;
  /** Runs `work` with this value; an outer one is back when it is over. */
  run<Result>(value: T, work: () => Result): Result;
}

const storage = new AsyncLocalStorage<ReadonlyMap<object, unknown>>();

/** Creates a value's place. Nothing of it stays behind when its last work is over. */
export function createCarried<T>(): Carried<T> {
  const key = {};
  return {
    // Only `run` below puts something under this key.
    get: () => storage.getStore()?.get(key) as T | undefined,
    run: (value, work) => storage.run(new Map([...(storage.getStore() ?? []), [key, value]]), work),
  };
}
