import { AsyncLocalStorage } from 'node:async_hooks';
import type { CloudStore } from '../../cloud/kernel/store/cloud-store.js';

/**
 * The same store, which refuses a change at once that is begun inside a change, however much that one awaited before. The service itself
 * refuses one that is begun before anything was awaited, and gives up the others after 30 s; to follow work everywhere would cost it too much.
 */
export function refusingNestedChanges(store: CloudStore): CloudStore {
  const works = new AsyncLocalStorage<{ isUnderWay: boolean }>();
  return {
    ...store,
    async change(work, owner) {
      if (works.getStore()?.isUnderWay) {
        throw new Error(
          'A change was begun inside a change: give what is called the transaction, or call it in onCommit',
        );
      }
      return store.change(async (tx) => {
        const own = { isUnderWay: true };
        try {
          return await works.run(own, () => work(tx));
        } finally {
          own.isUnderWay = false;
        }
      }, owner);
    },
  };
}
