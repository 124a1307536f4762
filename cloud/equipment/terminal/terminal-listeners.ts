import type { TerminalLink } from './terminal-link.js';

export type TerminalMessage = Parameters<Parameters<TerminalLink['onMessage']>[0]>[0];

/** The listeners of a `TerminalLink`. */
export interface TerminalListeners extends Pick<TerminalLink, 'onMessage' | 'onPresence'> {
  notifyMessage(message: TerminalMessage): void;
  notifyPresence(publicKey: string): void;
}

export function createTerminalListeners(): TerminalListeners {
  const messages = createListeners<TerminalMessage>();
  const presences = createListeners<string>();
  return {
    onMessage: messages.add,
    onPresence: presences.add,
    notifyMessage: messages.notify,
    notifyPresence: presences.notify,
  };
}

function createListeners<News>() {
  const listeners = new Set<(news: News) => void>();
  return {
    add(listener: (news: News) => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    notify(news: News): void {
      for (const listener of listeners) listener(news);
    },
  };
}
