/** Composes what hears gateways. */
import type { Clock } from '../../../shared/clock.js';
import type { GatewayUuid } from '../../../shared/ids.js';
import type { Logger } from '../../../shared/logger.js';
import { createGatewayLink, type GatewayLinkDeps } from './gateway-link.js';
import type { BootClocks, Broker, GoneGateways } from '../../equipment/entry.js';
import { type CloudStore, ofOwner } from '../../kernel/store/entry.js';
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
  { store, broker, clock, logger }: { store: CloudStore; broker: Broker; clock: Clock; logger: Logger },
  made: Pick<GatewayLinkDeps, 'presence' | 'ingest' | 'reports' | 'publisher' | 'quota'> & {
    bootClocks: BootClocks;
    gone: GoneGateways;
    /** Ends the connection of a gateway that was deleted. */
    disconnectGateway: (uuid: GatewayUuid) => void;
  },
): Uplink {
  const { bootClocks, gone, disconnectGateway, presence, ingest, reports, publisher, quota } = made;
  const helloRequester = createHelloRequester({ broker, presence, store, clock, logger });
  const heard = createHeardGateways({
    store,
    broker,
    bootClocks,
    logger,
    onLeft(gateway, reason) {
      gone.note(gateway, reason);
      if (reason === 'deleted') disconnectGateway(gateway.uuid);
    },
  });
  gone.onGone(({ uuid }, reason) => {
    helloRequester.noteOffline(uuid);
    if (reason === 'deleted') heard.deleted(uuid);
  });
  const link = createGatewayLink({
    broker,
    clock,
    logger,
    presence,
    hello: createHelloHandler({ store, clock, logger, bootClocks, disconnectGateway }),
    ingest,
    reports,
    publisher,
    quota,
    helloRequester,
    unhandled: createUnhandledMessages({ store: ofOwner(store, 'gateways'), clock, logger }),
  });
  return {
    heard,
    async close() {
      link.close();
      await helloRequester.close();
    },
  };
}
