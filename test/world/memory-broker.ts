/** A broker in memory without connections: messages to gateways go to `onPublished`, and `say` speaks as a gateway. */
import type { Broker, UpMessage } from '../../cloud/equipment/broker/broker.js';
import type { TerminalLink } from '../../cloud/equipment/terminal/terminal-link.js';
import type { GatewayUuid } from '../../shared/ids.js';
import type { DownChannel } from '../../shared/topics.js';

export interface MemoryBroker extends Broker {
  /** The broker's part of `/readyz`. */
  ready: boolean;
  /** It listens nowhere. */
  readonly port: 0;
  readonly terminals: TerminalLink;
  /** Speaks as a gateway. Resolves when the cloud has handled it. */
  say(message: UpMessage): Promise<void>;
}

const NO_TERMINALS: TerminalLink = {
  isConnected: () => false,
  connected: () => [],
  publish: async () => false,
  onMessage: () => () => {},
  onPresence: () => () => {},
};

/** @param options.terminals nobody is connected when left out */
export function createMemoryBroker(options: {
  onPublished?: (uuid: GatewayUuid, channel: DownChannel, payload: string) => void;
  onDisconnected?: (uuid: GatewayUuid) => void;
  terminals?: TerminalLink | undefined;
}): MemoryBroker {
  const listeners = new Set<(message: UpMessage) => Promise<void>>();
  return {
    ready: true,
    port: 0,
    terminals: options.terminals ?? NO_TERMINALS,
    passwordFor: ({ password }) => password,
    hear() {},
    leave() {},
    hears: () => true,
    onHearing: () => () => {},
    onMessage(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async publish(uuid, channel, payload) {
      options.onPublished?.(uuid, channel, payload);
    },
    async disconnect(uuid) {
      options.onDisconnected?.(uuid);
    },
    async say(message) {
      for (const listener of listeners) await listener(message);
    },
    async close() {
      listeners.clear();
    },
  };
}
