import { AsyncLocalStorage } from 'node:async_hooks';
import type { CloudStore } from '../../cloud/kernel/store/cloud-store.js';

/** One for all stores: a storage for each of them would make every promise of the process slower. */
const works = new AsyncLocalStorage<readonly { store: CloudStore; isUnderWay: boolean }[]>();

/**
 * The same store, which refuses a change at once that is begun inside a change, however much that one awaited before. The service itself
 * refuses one that is begun before anything was awaited, and gives up the others after 30 s; to follow work everywhere would cost it too much.
 */
export function refusingNestedChanges(store: CloudStore): CloudStore {
  return {
    ...store,
    async change(work, owner) {
      const around = works.getStore() ?? [];
      if (around.some((each) => each.store === store && each.isUnderWay)) {
        throw new Error(
          'A change was begun inside a change: give what is called the transaction, or call it in onCommit',
        );
      }
      return store.change(async (tx) => {
        const own = { store, isUnderWay: true };
        try {
          return await works.run([...around.filter(({ isUnderWay }) => isUnderWay), own], () => work(tx));
        } finally {
          own.isUnderWay = false;
        }
      }, owner);
    },
  };
}
