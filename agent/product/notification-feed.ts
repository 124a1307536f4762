import { createListeners } from '../waiting/listeners.js';

/** How many notifications are kept before there is a listener: more than a product sends in one exchange. */
const EARLY_MAX = 64;

/** Keeps notifications until there is a listener: the caller of `connect` begins to listen a moment after the connection is made. */
export interface NotificationFeed {
  push(fragment: Uint8Array): void;
  onNotification(listener: (fragment: Uint8Array) => void): () => void;
}

export function createNotificationFeed(): NotificationFeed {
  const listeners = createListeners<Uint8Array>();
  let early: Uint8Array[] | undefined = [];
  return {
    push(fragment) {
      if (early === undefined) listeners.notify(fragment);
      else if (early.length < EARLY_MAX) early.push(fragment);
    },
    onNotification(listener) {
      const stop = listeners.add(listener);
      const missed = early ?? [];
      early = undefined;
      for (const fragment of missed) listener(fragment);
      return stop;
    },
  };
}
