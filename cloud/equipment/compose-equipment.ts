/** Composes what gateways have to do with: their presence, their reports of products, and the commands for them. */
import type { Registry } from 'prom-client';
import type { Clock } from '../../shared/clock.js';
import type { Logger } from '../../shared/logger.js';
import type { ProtocolCrypto } from '../../shared/product-protocol/protocol-crypto.js';
import { type CloudStore, ofOwner } from '../kernel/store/entry.js';
import type { Secrets } from '../kernel/secrets/entry.js';
import type { ConfigChanged } from '../rest/entry.js';
import type { Broker } from './broker/broker.js';
import { createCommandDispatcher } from './command/command-dispatcher.js';
import { createCommandMeasurement } from './command/command-metrics.js';
import { createCommands } from './command/commands.js';
import type { VehicleLetIn } from './command/command-steps.js';
import { generateEventId } from './command/event-id.js';
import { createBootClocks } from './gateway/boot-clocks.js';
import type { GoneGateways } from './gateway/gone-gateways.js';
import { createPresenceTracker } from './gateway/presence.js';
import { createClockCorrections } from './product/clock-corrections.js';
import { createAdminDispatcher } from './product/admin-dispatcher.js';
import { createProductReceptions } from './product/product-receptions.js';
import { createProductReports } from './product/product-reports.js';

export interface EquipmentSettings {
  productSeenWithinMs: number;
  productMinRssi: number;
  gatewayWaitMs: number;
  rateCommandsPerMin: number;
}

interface EquipmentDeps {
  store: CloudStore;
  broker: Broker;
  secrets: Secrets;
  crypto: ProtocolCrypto;
  clock: Clock;
  logger: Logger;
  registry: Registry;
}

/** The parts that were made before. */
interface EquipmentMade {
  configChanged: ConfigChanged;
  vehicleLetIn: VehicleLetIn;
  gone: GoneGateways;
  startGraceMs: number | null;
}

export type Equipment = ReturnType<typeof composeEquipment>;

export function composeEquipment(settings: EquipmentSettings, deps: EquipmentDeps, made: EquipmentMade) {
  const { broker, secrets, crypto, clock, logger } = deps;
  const { configChanged, vehicleLetIn, gone, startGraceMs } = made;
  const { productSeenWithinMs: seenWithinMs, rateCommandsPerMin: ratePerMin, gatewayWaitMs, productMinRssi } = settings;
  const store = ofOwner(deps.store, 'gateways');
  const receptions = createProductReceptions({ clock, seenWithinMs });
  const measurement = createCommandMeasurement(deps.registry);
  const dispatcher = createCommandDispatcher({
    store: deps.store,
    broker,
    receptions,
    secrets,
    crypto,
    clock,
    logger,
    configChanged,
    vehicleLetIn,
    gatewayWaitMs,
    productMinRssi,
    measurement,
  });
  gone.onGone(({ id }, reason) => {
    if (reason !== 'moved') dispatcher.gatewayOffline(id);
  });
  const presence = createPresenceTracker({
    store,
    clock,
    logger,
    seenWithinMs,
    startGraceMs,
    onOffline: (gateway) => gone.note(gateway, 'offline'),
  });
  const adminDispatcher = createAdminDispatcher({
    store: deps.store,
    broker,
    secrets,
    crypto,
    clock,
    logger,
    receptions,
  });
  const reports = createProductReports({
    store,
    clock,
    logger,
    receptions,
    seenWithinMs,
    adoptSeen: dispatcher.pairings.adoptSeen,
    corrections: createClockCorrections(deps),
    adminDispatcher,
  });
  return {
    bootClocks: createBootClocks(deps),
    receptions,
    dispatcher,
    commands: createCommands({ dispatcher, clock, generateEventId, ratePerMin, seenWithinMs }),
    presence,
    adminDispatcher,
    reports,
    async close() {
      await Promise.all([presence.close(), reports.close(), adminDispatcher.close(), dispatcher.close()]);
    },
  };
}
