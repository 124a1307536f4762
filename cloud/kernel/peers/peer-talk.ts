/** What cloud processes tell each other of their gateways, beyond what each sees in the database. */
import { z } from 'zod';
import { CONFIG_SECTION_NAMES, type ConfigSection } from '../../../shared/gateway-config.js';
import { gatewayUuidSchema } from '../../../shared/ids.js';
import type { Peers } from '../store/peers.js';

const CONFIG = 'config_changed';
const CLAIMED = 'gateway_claimed';
const DELETED = 'gateway_deleted';

const configChangedSchema = z.object({
  lot_id: z.number().nullable(),
  sections: z.array(z.enum(CONFIG_SECTION_NAMES as [ConfigSection, ...ConfigSection[]])),
});
const deletedSchema = z.object({ id: z.number(), uuid: gatewayUuidSchema });

export type ConfigChangeNotice = z.infer<typeof configChangedSchema>;
export type DeletionNotice = z.infer<typeof deletedSchema>;

export interface PeerTalk {
  configChanged(change: ConfigChangeNotice): void;
  gatewayClaimed(): void;
  gatewayDeleted(gateway: DeletionNotice): void;
  /** Listens to the others. @returns how to stop */
  listen(listener: {
    configChanged: (change: ConfigChangeNotice) => void;
    gatewayClaimed: () => void;
    gatewayDeleted: (gateway: DeletionNotice) => void;
    /** Something may have been told that was not heard. */
    missed: () => void;
  }): () => void;
}

/** @param peers null: there are no others */
export function createPeerTalk(peers: Peers | null): PeerTalk {
  return {
    configChanged: (change) => peers?.notify(CONFIG, change),
    gatewayClaimed: () => peers?.notify(CLAIMED, null),
    gatewayDeleted: (gateway) => peers?.notify(DELETED, gateway),
    listen({ configChanged, gatewayClaimed, gatewayDeleted, missed }) {
      if (peers === null) return () => {};
      const stops = [
        peers.onNotice(CONFIG, (news) => {
          const change = configChangedSchema.safeParse(news);
          // A newer version of this program may know more sections.
          if (change.success) configChanged(change.data);
          else missed();
        }),
        peers.onNotice(CLAIMED, gatewayClaimed),
        peers.onNotice(DELETED, (news) => {
          const gateway = deletedSchema.safeParse(news);
          if (gateway.success) gatewayDeleted(gateway.data);
        }),
        peers.onMissed(missed),
      ];
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
}
