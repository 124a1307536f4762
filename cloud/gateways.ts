/** Puts together everything that communicates with gateways: what they send and are sent, and which of them are this process's. */
import * as nodeCrypto from 'node:crypto';
import type { Registry } from 'prom-client';
import { type Clock, every } from '../shared/clock.js';
import { CONFIG_SECTION_NAMES } from '../shared/gateway-config.js';
import { type GatewayUuid, gatewayUuidSchema } from '../shared/ids.js';
import type { Logger } from '../shared/logger.js';
import { createProtocolCrypto } from '../shared/product-protocol/protocol-crypto.js';
import type { Tracer } from '../shared/tracer.js';
import { pruneAlertMails } from './guests/alert/prune-alert-mails.js';
import type { Broker } from './equipment/broker/broker.js';
import { createCommandMeasurement } from './equipment/command/command-metrics.js';
import { createCommandDispatcher } from './equipment/command/command-dispatcher.js';
import { createCommands } from './equipment/command/commands.js';
import { type CloudConfig, publicAddresses } from './config.js';
import { createBootClocks } from './equipment/gateway/boot-clocks.js';
import { claimGateway } from './equipment/gateway/claim.js';
import { createConfigBuilder } from './doors/configuration/config-builder.js';
import { createConfigPublisher } from './doors/configuration/config-publisher.js';
import { createGatewayLink } from './doors/uplink/gateway-link.js';
import { createHeardGateways } from './doors/uplink/heard-gateways.js';
import { createHelloHandler } from './doors/uplink/hello.js';
import { createRollCall } from './doors/uplink/roll-call.js';
import { createHeldMessages } from './doors/uplink/held-messages.js';
import { createUnhandledMessages } from './doors/uplink/unhandled-messages.js';
import { createUplinkQuota } from './doors/uplink/uplink-quota.js';
import { createPresenceTracker } from './equipment/gateway/presence.js';
import { ANSWERS_KEPT_MS } from './rest/http/idempotency.js';
import { pruneIdempotencyKeys } from './rest/http/idempotency-queries.js';
import type { ImageStore } from './traffic/image/image-store.js';
import { createIngest } from './traffic/ingest/ingest.js';
import { createIngestMeasurement } from './traffic/ingest/ingest-metrics.js';
import { startPictureSweep } from './traffic/ingest/picture-sweep.js';
import type { ConfigChanged } from './rest/resource/config-changed.js';
import { startTokenExpiry, type TokenExpiry } from './equipment/key/token-expiry.js';
import { partOfGateway } from './kernel/peers/gateway-parts.js';
import { joinProcesses, type Membership } from './kernel/peers/membership.js';
import { measureMembership } from './kernel/peers/membership-metrics.js';
import { createPeerTalk } from './kernel/peers/peer-talk.js';
import { HISTORY_KEPT_MS } from './traffic/occupancy/occupancy-history.js';
import { pruneQuarters } from './traffic/occupancy/occupancy-history-queries.js';
import { createClockCorrections } from './equipment/product/clock-corrections.js';
import { createAdminCarrier } from './equipment/product/admin-carrier.js';
import { createProductReports } from './equipment/product/product-reports.js';
import { createProductReceptions } from './equipment/product/product-receptions.js';
import { createSecrets } from './kernel/secrets/secrets.js';
import type { TlsFiles } from './kernel/secrets/tls-files.js';
import { generateEventId } from './equipment/command/event-id.js';
import { generatePublicId } from './traffic/session/public-id.js';
import { type CloudStore, inShare } from './kernel/store/cloud-store.js';
import { startDriftWatch } from './site/zone/drift-watch.js';

const PRUNE_EVERY_MS = 3_600_000;
const LOOK_AGAIN_MS = 1_000;
/** Nobody notices it, and with a hundred records a second it halves what a record costs. */
const INGEST_EVERY_MS = 100;

/** What tests replace of it, or hear beside it. Whatever is left out is as it ships. */
export interface GatewaysOverrides {
  /** Hears what became stale of which lots' configuration. */
  onConfigChanged?: ConfigChanged;
  /** Hears which products are to be told what to refuse. */
  onKeysDenied?: (product_ids: Iterable<number>) => void;
  /** How long after the start a gateway may take to come back (`PresenceDeps`). */
  startGraceMs?: number | null;
}

export interface GatewaysDeps {
  store: CloudStore;
  broker: Broker;
  /** Where the broker listens. */
  mqttPort: number;
  /** Its authority, when that is one of its own: gateways are told it. */
  mqttTls?: Pick<TlsFiles, 'ca'> | undefined;
  images: ImageStore;
  serverKey: Uint8Array;
  clock: Clock;
  logger: Logger;
  registry: Registry;
  /** Left out: nothing is traced. */
  tracer?: Tracer | undefined;
  /** Called when other processes took this one for dead. */
  onExpelled: () => void;
  overrides?: GatewaysOverrides | undefined;
}

/** Begins to hear gateways. What it returns reaches them, and lets others in. */
export async function createGateways(config: CloudConfig, deps: GatewaysDeps) {
  const { store, broker, images, serverKey, clock, logger, registry, overrides = {} } = deps;
  // Gateways share one turn at the database, because their changes share transactions; in those each has one message at a time.
  const storeOfGateways = inShare(store, 'gateways');
  const secrets = createSecrets(serverKey);
  const { mqttUrl } = publicAddresses(config, { http: config.port, mqtt: deps.mqttPort });
  const isBrokerShared = config.externalBroker !== null;
  const bootClocks = createBootClocks({ store });
  const crypto = createProtocolCrypto(nodeCrypto);
  const builder = createConfigBuilder({ secrets, crypto, logger });
  const publisher = createConfigPublisher({ store, broker, builder, clock, logger, onDeleted: cutOffLater });
  const talk = createPeerTalk(store.peers);
  const configChanged: ConfigChanged = (of, sections) => {
    overrides.onConfigChanged?.(of, sections);
    const named = sections ?? CONFIG_SECTION_NAMES;
    publisher.markStale(of, named);
    talk.configChanged({ lot_id: of.lot_id, sections: [...named] });
  };
  const receptions = createProductReceptions({ clock, seenWithinMs: config.productSeenWithinMs });
  const { gatewayWaitMs, productMinRssi } = config;
  const dispatcher = createCommandDispatcher({
    store,
    broker,
    receptions,
    secrets,
    crypto,
    clock,
    logger,
    configChanged,
    gatewayWaitMs,
    productMinRssi,
    measurement: createCommandMeasurement(registry),
  });
  const presence = createPresenceTracker({
    store: storeOfGateways,
    clock,
    logger,
    seenWithinMs: config.productSeenWithinMs,
    onOffline: forgetGateway,
    ...(isBrokerShared ? { startGraceMs: null } : {}),
    ...(overrides.startGraceMs === undefined ? {} : { startGraceMs: overrides.startGraceMs }),
  });
  const adminCarrier = createAdminCarrier({ store, broker, receptions, secrets, crypto, clock, logger });
  const reports = createProductReports({
    store: storeOfGateways,
    clock,
    logger,
    receptions,
    seenWithinMs: config.productSeenWithinMs,
    adoptSeen: dispatcher.pairings.adoptSeen,
    corrections: createClockCorrections({ broker, secrets, crypto, clock, logger }),
    adminCarrier,
  });
  const rollCall = createRollCall({ broker, presence, store, clock, logger });
  const heard = createHeardGateways({
    store,
    broker,
    bootClocks,
    logger,
    onLeft({ uuid }) {
      rollCall.noteOffline(uuid);
      publisher.forget(uuid);
    },
  });
  const held = createHeldMessages({ store, clock, logger });
  const quota = createUplinkQuota({ clock, logger, registry, onHeld: held.note });
  const ingest = createIngest({
    store: storeOfGateways,
    images,
    clock,
    logger,
    bootClocks,
    generatePublicId,
    commands: dispatcher,
    configChanged,
    countRecords: quota.countRecords,
    disconnectGateway,
    measurement: createIngestMeasurement(registry),
    tracer: deps.tracer,
    pace: { clock, everyMs: INGEST_EVERY_MS },
  });
  const hello = createHelloHandler({ store, clock, logger, bootClocks, disconnectGateway });
  const link = createGatewayLink({
    broker,
    clock,
    logger,
    presence,
    hello,
    ingest,
    reports,
    publisher,
    quota,
    rollCall,
    unhandled: createUnhandledMessages({ store: storeOfGateways, clock, logger }),
  });
  function forgetGateway({ id, uuid }: { id: number; uuid: GatewayUuid }): void {
    rollCall.noteOffline(uuid);
    publisher.forget(uuid);
    dispatcher.gatewayOffline(id);
  }
  function disconnectGateway(uuid: GatewayUuid): void {
    broker.disconnect(uuid).catch((error: unknown) => {
      logger.warn({ err: error, uuid }, 'a deleted gateway could not be disconnected');
    });
  }
  function forgetDeleted(gateway: { id: number; uuid: GatewayUuid }): void {
    forgetGateway(gateway);
    heard.deleted(gateway.uuid);
  }
  /** Cuts off a gateway that another process deleted. */
  function cutOffLater(gateway: { id: number; uuid: GatewayUuid }): void {
    forgetDeleted(gateway);
    disconnectGateway(gateway.uuid);
  }
  const hearOwn = (isOwn: (uuid: GatewayUuid) => boolean) =>
    heard.choose(isOwn).catch((error: unknown) => {
      logger.error({ err: error }, 'gateways of this process could not be looked up; it is tried again');
      clock.setTimer(LOOK_AGAIN_MS, () => void hearOwn(isOwn));
    });
  /** What others told and was not heard is in the database. */
  function lookForMissed(): void {
    publisher.markAllStale();
    lookForClaimed();
  }
  function lookForClaimed(): void {
    heard.claimed().catch((error: unknown) => logger.error({ err: error }, 'claimed gateways could not be looked up'));
  }
  const resume = () =>
    dispatcher.resume().catch((error: unknown) => logger.error({ err: error }, 'commands could not be resumed'));

  await dispatcher.resume();
  let membership: Membership | null = null;
  let tokenExpiry: TokenExpiry | null = null;
  if (store.peers !== null) {
    membership = await joinProcesses({
      peers: store.peers,
      clock,
      logger,
      canHear: () => broker.ready,
      onParts: (parts) => void (isBrokerShared && hearOwn((uuid) => parts.has(partOfGateway(uuid)))),
      onDeath() {
        lookForMissed();
        void resume();
      },
      onFirst: () => tokenExpiry?.checkNow(),
      onLeft: () => void resume(),
      onExpelled: deps.onExpelled,
    });
  }
  measureMembership(membership, registry);
  if (!isBrokerShared || store.peers === null) await heard.choose(() => true);
  const isFirst = () => membership?.isFirst() ?? true;
  const stopForeign = store.onForeignChange(({ isOfTool }) => {
    if (isOfTool) lookForMissed();
  });
  const stopTalk = talk.listen({
    configChanged: (of) => publisher.markStale(of, of.sections),
    gatewayClaimed: lookForClaimed,
    gatewayDeleted: forgetDeleted,
    missed: lookForMissed,
  });
  const pruning = every({
    clock,
    periodMs: PRUNE_EVERY_MS,
    async work() {
      if (!isFirst()) return;
      await ingest.prune();
      await store.change((tx) => pruneQuarters(tx, clock.now() - HISTORY_KEPT_MS));
      await store.change((tx) => pruneIdempotencyKeys(tx, clock.now() - ANSWERS_KEPT_MS));
      await pruneAlertMails(store, clock.now());
      await dispatcher.prune();
      await reports.prune();
    },
    onError: (error) => logger.error({ err: error }, 'what is no longer needed could not be removed'),
  });

  const driftWatch = startDriftWatch({ store, clock, logger });
  const pictureSweep = startPictureSweep({ store, images, clock, logger });
  tokenExpiry = startTokenExpiry({
    store,
    clock,
    logger,
    periodMs: config.tokenExpiryCheckMs,
    configChanged,
    isDue: isFirst,
  });

  return {
    commands: createCommands({
      dispatcher,
      clock,
      generateEventId,
      ratePerMin: config.rateCommandsPerMin,
      seenWithinMs: config.productSeenWithinMs,
    }),
    claim: claimGateway({
      secrets,
      clock,
      logger,
      mqtt: {
        url: mqttUrl,
        passwordFor: broker.passwordFor,
        get ca() {
          return deps.mqttTls?.ca ?? null;
        },
      },
      configOf: (gatewayId) => publisher.snapshots(gatewayId),
      async onClaimed({ uuid, lot_id }) {
        await heard.claimed();
        talk.gatewayClaimed();
        configChanged({ lot_id });
        await broker.disconnect(uuid);
      },
    }),
    configChanged,
    keysDenied(product_ids: Iterable<number>) {
      const ids = [...product_ids];
      overrides.onKeysDenied?.(ids);
      adminCarrier.tell(ids);
    },
    receptions,
    dispatcher,
    crypto,
    async cutOffGateway({ id, uuid }: { id: number; uuid: string }) {
      const known = gatewayUuidSchema.safeParse(uuid);
      if (!known.success) return;
      forgetDeleted({ id, uuid: known.data });
      talk.gatewayDeleted({ id, uuid: known.data });
      await broker.disconnect(known.data);
    },
    leave: async () => membership?.leave(),
    endMembership: async () => membership?.close(),
    async close() {
      pruning.cancel();
      stopForeign();
      stopTalk();
      link.close();
      await rollCall.close();
      await tokenExpiry?.close();
      await Promise.all([
        publisher.close(),
        presence.close(),
        reports.close(),
        adminCarrier.close(),
        dispatcher.close(),
        pictureSweep.close(),
        driftWatch.close(),
        held.close(),
      ]);
    },
  };
}
