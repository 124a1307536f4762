/** Composes what keeps the configuration of gateways up to date. */
import type { Clock } from '../../../shared/clock.js';
import { CONFIG_SECTION_NAMES } from '../../../shared/gateway-config.js';
import type { GatewayUuid } from '../../../shared/ids.js';
import type { Logger } from '../../../shared/logger.js';
import type { ProtocolCrypto } from '../../../shared/product-protocol/protocol-crypto.js';
import type { Broker, GoneGateways, ReleaseLinks } from '../../equipment/entry.js';
import type { CloudStore } from '../../kernel/store/entry.js';
import type { PeerTalk } from '../../kernel/peers/entry.js';
import type { Secrets } from '../../kernel/secrets/entry.js';
import type { ConfigChanged } from '../../rest/entry.js';
import { createConfigBuilder } from './config-builder.js';
import { type ConfigPublisher, createConfigPublisher } from './config-publisher.js';

export interface Configuration {
  publisher: ConfigPublisher;
  /** Has the gateways of a lot told what changed, by every cloud process. */
  configChanged: ConfigChanged;
}

/** @param made.onConfigChanged hears of each change before the gateways do */
export function composeConfiguration(
  deps: {
    store: CloudStore;
    broker: Pick<Broker, 'publish'>;
    secrets: Secrets;
    crypto: ProtocolCrypto;
    clock: Clock;
    logger: Logger;
    releaseLinks: Pick<ReleaseLinks, 'linkOf'>;
  },
  made: {
    talk: Pick<PeerTalk, 'configChanged'>;
    gone: GoneGateways;
    disconnectGateway: (uuid: GatewayUuid) => void;
    onConfigChanged: ConfigChanged;
  },
): Configuration {
  const { store, broker, clock, logger } = deps;
  const { talk, gone, disconnectGateway, onConfigChanged } = made;
  const publisher = createConfigPublisher({
    store,
    broker,
    builder: createConfigBuilder(deps),
    clock,
    logger,
    onDeleted(gateway) {
      gone.note(gateway, 'deleted');
      disconnectGateway(gateway.uuid);
    },
  });
  gone.onGone(({ uuid }) => publisher.forget(uuid));
  return {
    publisher,
    configChanged(of, sections) {
      onConfigChanged(of, sections);
      const named = sections ?? CONFIG_SECTION_NAMES;
      publisher.markStale(of, named);
      talk.configChanged({ lot_id: of.lot_id, sections: [...named] });
    },
  };
}
