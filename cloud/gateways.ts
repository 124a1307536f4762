/** Composes everything that communicates with gateways: what they send, what they are sent, and which of them this process hears. */
import { type GatewayUuid, gatewayUuidSchema } from '../shared/ids.js';
import { type CloudConfig, publicAddresses } from './config.js';
import { composeConfiguration, type Configuration } from './doors/configuration/compose-configuration.js';
import { composeUplink } from './doors/uplink/compose-uplink.js';
import type { HeardGateways } from './doors/uplink/heard-gateways.js';
import { createHeldMessages } from './doors/uplink/held-messages.js';
import { assignGateways } from './doors/uplink/assign-gateways.js';
import { type Allowance, createUplinkQuota, UPLINK_ALLOWANCES } from './doors/uplink/uplink-quota.js';
import type { Broker } from './equipment/broker/broker.js';
import { composeEquipment, type Equipment } from './equipment/compose-equipment.js';
import { claimGateway } from './equipment/gateway/claim.js';
import { START_GRACE_MS } from './equipment/gateway/presence.js';
import { createGoneGateways, type GoneGateways } from './equipment/gateway/gone-gateways.js';
import type { AdminDispatcher } from './equipment/product/admin-dispatcher.js';
import { createPeerTalk, type PeerTalk } from './kernel/peers/peer-talk.js';
import { ofOwner } from './kernel/store/cloud-store.js';
import type { ConfigChanged } from './rest/resource/config-changed.js';
import { createIngest, type Ingest } from './traffic/ingest/ingest.js';
import { createIngestMeasurement } from './traffic/ingest/ingest-metrics.js';
import { letInVehicle } from './traffic/session/let-in-vehicle.js';
import { generatePublicId } from './traffic/session/public-id.js';
import { startUpkeep } from './upkeep.js';
import type { Ground } from './ground.js';

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

/** Pieces for tests. */
export type GatewayParts = Pick<Equipment, 'bootClocks' | 'receptions' | 'dispatcher' | 'commands'> &
  Configuration & { ingest: Ingest };

/**
 * Begins to hear gateways. What it returns reaches them, and lets others in.
 * @param onExpelled called when other processes took this one for dead
 */
export async function composeGateways(
  config: CloudConfig,
  deps: Ground,
  { onExpelled, overrides = {} }: { onExpelled: () => void; overrides?: GatewaysOverrides | undefined },
) {
  const { store, broker, images, clock, logger, registry, tracer } = deps;
  const { onConfigChanged = () => {}, onKeysDenied = () => {} } = overrides;
  const isBrokerShared = config.externalBroker !== null;
  const talk = createPeerTalk(store.peers);
  const gone = createGoneGateways();
  const disconnectGateway = (uuid: GatewayUuid) =>
    void broker.disconnect(uuid).catch((error: unknown) => {
      logger.warn({ err: error, uuid }, 'a deleted gateway could not be disconnected');
    });
  // An external broker goes on with the connections of gateways while the cloud is away: a hello request finds out who is gone.
  const { startGraceMs = isBrokerShared ? null : START_GRACE_MS } = overrides;

  const configuration = composeConfiguration(deps, { talk, gone, disconnectGateway, onConfigChanged });
  const { publisher, configChanged } = configuration;
  const vehicleLetIn = letInVehicle({ configChanged });
  const equipment = composeEquipment(config, deps, { configChanged, vehicleLetIn, gone, startGraceMs });
  const { receptions, dispatcher, commands, presence, adminDispatcher, reports, bootClocks } = equipment;
  const held = createHeldMessages(deps);
  const { allowances = UPLINK_ALLOWANCES } = overrides;
  const quota = createUplinkQuota({ clock, logger, registry, allowances, onHeld: held.note });
  const ingest = createIngest({
    // Gateways share one turn at the database, because their changes share transactions; in those each has one message at a time.
    store: ofOwner(store, 'gateways'),
    images,
    clock,
    logger,
    tracer,
    configChanged,
    bootClocks,
    commands: dispatcher,
    generatePublicId: overrides.generatePublicId ?? generatePublicId,
    countRecords: quota.countRecords,
    disconnectGateway,
    measurement: createIngestMeasurement(registry),
    pace: { clock, everyMs: overrides.ingestEveryMs ?? INGEST_EVERY_MS },
  });
  const hearing = { bootClocks, gone, disconnectGateway, presence, ingest, reports, publisher, quota };
  const uplink = composeUplink(deps, hearing);
  const { heard } = uplink;
  await dispatcher.resume();
  const sharing = await assignGateways(deps, { isBrokerShared, talk, gone, heard, publisher, dispatcher, onExpelled });
  const upkeep = startUpkeep(config, deps, { configChanged, ingest, dispatcher, reports, sharing });

  return {
    parts: { bootClocks, receptions, dispatcher, commands, ingest, publisher, configChanged },
    commands,
    claim: composeClaim(config, deps, { publisher, configChanged, talk, heard, adminDispatcher }),
    configChanged,
    ...composeEffects({ broker, talk, gone, adminDispatcher, onKeysDenied }),
    /** Whether this process is the one that does what is done once. */
    isFirst: sharing.isFirst,
    onFirst: sharing.onFirst,
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
  { broker, mqttPort, mqttTls, secrets, clock, logger }: Ground,
  {
    publisher,
    configChanged,
    talk,
    heard,
    adminDispatcher,
  }: Configuration & {
    talk: PeerTalk;
    heard: HeardGateways;
    adminDispatcher: Pick<AdminDispatcher, 'sendRevocations'>;
  },
) {
  return claimGateway({
    secrets,
    clock,
    logger,
    mqtt: {
      url: publicAddresses(config, { http: config.port, mqtt: mqttPort }).mqttUrl,
      passwordFor: broker.passwordFor,
      get ca() {
        return mqttTls?.ca ?? null;
      },
    },
    configOf: publisher.snapshots,
    async onClaimed({ id, uuid, lot_id }) {
      adminDispatcher.sendRevocations(id);
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
  adminDispatcher: Pick<AdminDispatcher, 'sendDenials' | 'sendRevocations'>;
  onKeysDenied: (product_ids: Iterable<number>) => void;
}) {
  const { broker, talk, gone, adminDispatcher, onKeysDenied } = deps;
  return {
    keysDenied(product_ids: Iterable<number>) {
      const ids = [...product_ids];
      onKeysDenied(ids);
      adminDispatcher.sendDenials(ids);
    },
    async cutOffGateway({ id, uuid }: { id: number; uuid: string }) {
      adminDispatcher.sendRevocations(id);
      const known = gatewayUuidSchema.safeParse(uuid);
      if (!known.success) return;
      gone.note({ id, uuid: known.data }, 'deleted');
      talk.gatewayDeleted({ id, uuid: known.data });
      await broker.disconnect(known.data);
    },
  };
}
