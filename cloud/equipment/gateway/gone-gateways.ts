/** Tells the parts that keep something of a gateway when the gateway is gone, so that none of these parts has to know the others. */
import type { GatewayUuid } from '../../../shared/ids.js';

/** `moved`: another cloud process hears the gateway from now on. `offline`: its connection ended. `deleted`: it never comes back. */
export type GoneReason = 'moved' | 'offline' | 'deleted';

export interface GoneGateway {
  id: number;
  uuid: GatewayUuid;
}

type GoneListener = (gateway: GoneGateway, reason: GoneReason) => void;

export interface GoneGateways {
  /** Tells every listener that the gateway is gone. */
  note: GoneListener;
  /** The listener may hear of the same gateway more than once. */
  onGone(listener: GoneListener): void;
}

export function createGoneGateways(): GoneGateways {
  const listeners: GoneListener[] = [];
  return {
    note(gateway, reason) {
      for (const listener of listeners) listener(gateway, reason);
    },
    onGone: (listener) => void listeners.push(listener),
  };
}
