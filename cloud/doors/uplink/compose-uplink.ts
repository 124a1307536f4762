/** Composes what hears gateways. */
import { createGatewayLink, type GatewayLinkDeps } from './gateway-link.js';
import type { BootClocks, GoneGateways } from '../../equipment/entry.js';
import { type CloudStore, ofOwner } from '../../kernel/store/entry.js';
import type { GatewayUuid } from '../../../shared/ids.js';
import { createHeardGateways, type HeardGateways } from './heard-gateways.js';
import { createHelloHandler } from './hello.js';
import { createHelloRequester } from './hello-requester.js';
import { createUnhandledMessages } from './unhandled-messages.js';

export interface Uplink {
  heard: HeardGateways;
  /** Handles no more messages. */
  close(): Promise<void>;
}

/** Begins to handle messages. Which gateways are heard `heard.choose` says. */
export function composeUplink(
  deps: Omit<GatewayLinkDeps, 'hello' | 'helloRequester' | 'unhandled'> & {
    store: CloudStore;
    bootClocks: BootClocks;
    gone: GoneGateways;
    /** Ends the connection of a gateway that was deleted. */
    disconnectGateway: (uuid: GatewayUuid) => void;
  },
): Uplink {
  const { gone } = deps;
  const helloRequester = createHelloRequester(deps);
  const heard = createHeardGateways({ ...deps, onLeft: (gateway) => gone.note(gateway, 'moved') });
  gone.onGone(({ uuid }, reason) => {
    helloRequester.noteOffline(uuid);
    if (reason === 'deleted') heard.deleted(uuid);
  });
  const link = createGatewayLink({
    ...deps,
    hello: createHelloHandler(deps),
    helloRequester,
    unhandled: createUnhandledMessages({ ...deps, store: ofOwner(deps.store, 'gateways') }),
  });
  return {
    heard,
    async close() {
      link.close();
      await helloRequester.close();
    },
  };
}
