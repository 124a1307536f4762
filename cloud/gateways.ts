/** Composes everything that communicates with gateways: what they send, what they are sent, and which of them this process hears. */
import * as nodeCrypto from 'node:crypto';
import type { Registry } from 'prom-client';
import type { Clock } from '../shared/clock.js';
import { type GatewayUuid, gatewayUuidSchema } from '../shared/ids.js';
import type { Logger } from '../shared/logger.js';
import { createProtocolCrypto } from '../shared/product-protocol/protocol-crypto.js';
import type { Tracer } from '../shared/tracer.js';
import { type CloudConfig, publicAddresses } from './config.js';
import { composeConfiguration, type Configuration } from './doors/configuration/compose-configuration.js';
import { composeUplink } from './doors/uplink/compose-uplink.js';
import type { HeardGateways } from './doors/uplink/heard-gateways.js';
import { createHeldMessages } from './doors/uplink/held-messages.js';
import { assignGateways } from './doors/uplink/assign-gateways.js';
import { type Allowance, createUplinkQuota } from './doors/uplink/uplink-quota.js';
import type { Broker } from './equipment/broker/broker.js';
import { composeEquipment, type Equipment } from './equipment/compose-equipment.js';
import { claimGateway } from './equipment/gateway/claim.js';
import { createGoneGateways, type GoneGateways } from './equipment/gateway/gone-gateways.js';
import type { ReleaseLinks } from './equipment/release/release-links.js';
import type { AdminDispatcher } from './equipment/product/admin-dispatcher.js';
import { createPeerTalk, type PeerTalk } from './kernel/peers/peer-talk.js';
import type { Secrets } from './kernel/secrets/secrets.js';
import type { TlsFiles } from './kernel/secrets/tls-files.js';
import { type CloudStore, ofOwner } from './kernel/store/cloud-store.js';
import type { ConfigChanged } from './rest/resource/config-changed.js';
import type { ImageStore } from './traffic/image/image-store.js';
import { createIngest, type Ingest } from './traffic/ingest/ingest.js';
import { createIngestMeasurement } from './traffic/ingest/ingest-metrics.js';
import { generatePublicId } from './traffic/session/public-id.js';
import { startUpkeep } from './upkeep.js';

/** Nobody notices it, and with a hundred records a second it halves what a record costs. */
const INGEST_EVERY_MS = 100;

/** The parts that tests replace, or hear beside it. Whatever is left out is as it ships. */
export interface GatewaysOverrides {
  /** Hears what became stale of which lots' configuration. */
  onConfigChanged?: ConfigChanged;
  /** Hears which products are to be told what to refuse. */
  onKeysDenied?: (product_ids: Iterable<number>) => void;
  /** How long after the start a gateway may take to come back (`PresenceDeps`). */
  startGraceMs?: number | null;
  /** What each gateway may send. */
  allowances?: readonly Allowance[];
  /** Ids that drivers read: 10 characters, A-Z and 0-9. */
  generatePublicId?: () => string;
  /** How long the ingest waits between its transactions where several may be under way: on a fake clock that stands still it must not. */
  ingestEveryMs?: number;
}

export interface GatewaysDeps {
  store: CloudStore;
  broker: Broker;
  /** Where the broker listens. */
  mqttPort: number;
  /** Its authority, when that is one of its own: gateways are told it. */
  mqttTls?: Pick<TlsFiles, 'ca'> | undefined;
  images: ImageStore;
  secrets: Secrets;
  releaseLinks: ReleaseLinks;
  clock: Clock;
  logger: Logger;
  registry: Registry;
  /** Left out: nothing is traced. */
  tracer?: Tracer | undefined;
  /** Called when other processes took this one for dead. */
  onExpelled: () => void;
}

/** Pieces for tests. */
export type GatewayParts = Pick<Equipment, 'bootClocks' | 'receptions' | 'dispatcher' | 'commands'> &
  Configuration & { ingest: Ingest };

/** Begins to hear gateways. What it returns reaches them, and lets others in. */
export async function composeGateways(config: CloudConfig, deps: GatewaysDeps, overrides: GatewaysOverrides = {}) {
  const { store, broker, clock, logger } = deps;
  const isBrokerShared = config.externalBroker !== null;
  const crypto = createProtocolCrypto(nodeCrypto);
  const talk = createPeerTalk(store.peers);
  const gone = createGoneGateways();
  const disconnectGateway = (uuid: GatewayUuid) =>
    void broker.disconnect(uuid).catch((error: unknown) => {
      logger.warn({ err: error, uuid }, 'a deleted gateway could not be disconnected');
    });
  // An external broker goes on with the connections of gateways while the cloud is away: the roll call finds out who is gone.
  const startGrace = isBrokerShared ? { startGraceMs: null } : {};
  const shared = { ...deps, ...startGrace, ...overrides, isBrokerShared, crypto, talk, gone, disconnectGateway };

  const configuration = composeConfiguration(shared);
  const { publisher, configChanged } = configuration;
  const equipment = composeEquipment(config, { ...shared, configChanged });
  const { receptions, dispatcher, commands, adminDispatcher, reports, bootClocks } = equipment;
  // Gateways share one turn at the database, because their changes share transactions; in those each has one message at a time.
  const storeOfGateways = ofOwner(store, 'gateways');
  const held = createHeldMessages(shared);
  const quota = createUplinkQuota({ ...shared, onHeld: held.note });
  const ingest = createIngest({
    ...shared,
    store: storeOfGateways,
    configChanged,
    bootClocks,
    commands: dispatcher,
    generatePublicId: overrides.generatePublicId ?? generatePublicId,
    countRecords: quota.countRecords,
    measurement: createIngestMeasurement(deps.registry),
    pace: { clock, everyMs: overrides.ingestEveryMs ?? INGEST_EVERY_MS },
  });
  const uplink = composeUplink({ ...shared, ...equipment, publisher, ingest, quota });
  const { heard } = uplink;
  await dispatcher.resume();
  const sharing = await assignGateways({ ...shared, heard, publisher, dispatcher });
  const { tokenExpiryCheckMs } = config;
  const upkeep = startUpkeep({ ...deps, configChanged, ingest, dispatcher, reports, sharing, tokenExpiryCheckMs });

  return {
    parts: { bootClocks, receptions, dispatcher, commands, ingest, publisher, configChanged },
    crypto,
    commands,
    claim: composeClaim(config, { ...shared, ...configuration, heard }),
    configChanged,
    ...composeEffects({ ...shared, adminDispatcher }),
    leave: sharing.leave,
    endMembership: sharing.endMembership,
    async close() {
      sharing.close();
      await uplink.close();
      await upkeep.close();
      await Promise.all([publisher.close(), equipment.close(), held.close()]);
    },
  };
}

/** Composes the claim of gateways: they are told where the broker is, and heard from then on. */
function composeClaim(
  config: CloudConfig,
  deps: GatewaysDeps & Configuration & { talk: PeerTalk; heard: HeardGateways },
) {
  const { broker, publisher, configChanged, talk, heard } = deps;
  return claimGateway({
    ...deps,
    mqtt: {
      url: publicAddresses(config, { http: config.port, mqtt: deps.mqttPort }).mqttUrl,
      passwordFor: broker.passwordFor,
      get ca() {
        return deps.mqttTls?.ca ?? null;
      },
    },
    configOf: publisher.snapshots,
    async onClaimed({ uuid, lot_id }) {
      await heard.claimed();
      talk.gatewayClaimed();
      configChanged({ lot_id });
      await broker.disconnect(uuid);
    },
  });
}

/** Composes the effects on gateways of what is changed over REST. */
function composeEffects(deps: {
  broker: Broker;
  talk: PeerTalk;
  gone: GoneGateways;
  adminDispatcher: Pick<AdminDispatcher, 'sendDenials'>;
  onKeysDenied?: GatewaysOverrides['onKeysDenied'];
}) {
  const { broker, talk, gone, adminDispatcher, onKeysDenied } = deps;
  return {
    keysDenied(product_ids: Iterable<number>) {
      const ids = [...product_ids];
      onKeysDenied?.(ids);
      adminDispatcher.sendDenials(ids);
    },
    async cutOffGateway({ id, uuid }: { id: number; uuid: string }) {
      const known = gatewayUuidSchema.safeParse(uuid);
      if (!known.success) return;
      gone.note({ id, uuid: known.data }, 'deleted');
      talk.gatewayDeleted({ id, uuid: known.data });
      await broker.disconnect(known.data);
    },
  };
}
