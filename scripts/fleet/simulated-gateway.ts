/** One gateway: the agent's own identity, claim and uplink, with its outbox in memory. It has no devices. */
import { uuidv7 } from 'uuidv7';
import { createAccessRules } from '../../agent/access/access-rules.js';
import { createConfigIntake } from '../../agent/access/config-intake.js';
import { createOpenSessions } from '../../agent/access/open-sessions.js';
import { openIdentity } from '../../agent/commissioning/identity.js';
import { joinCloud } from '../../agent/commissioning/join.js';
import { createUplink } from '../../agent/uplink/uplink.js';
import type { AgentStore } from '../../agent/store/agent-store.js';
import type { UplinkTransport } from '../../agent/uplink/uplink-transport.js';
import type { CameraItem } from '../../shared/gateway-config.js';
import { uidSchema } from '../../shared/ids.js';
import { silentLogger } from '../../shared/logger.js';
import { createReconnectLadder } from '../../shared/reconnect-ladder.js';
import { systemClock } from '../../shared/system-clock.js';
import { VERSION } from '../../shared/version.js';
import { openMemoryAgentStore } from './memory-agent-store.js';
import { fleetPlate } from './fleet-plate.js';

export interface SimulatedGateway {
  /** Whether the cloud answers it. */
  isConnected(): boolean;
  /** Whether it knows a camera: without one it cannot write. */
  isReady(): boolean;
  /** Reads a vehicle: one record. */
  write(): Promise<void>;
  written(): number;
  close(): Promise<void>;
}

export interface GatewayOptions {
  /** Which one of the fleet, from 0. */
  index: number;
  run: string;
  /** Where it keeps its identity for the next run. */
  identityFile: string;
  cloudUrl: string;
  claimCode: string;
  transport: UplinkTransport;
  signal: AbortSignal;
  /** Called with each acknowledged record. @param lagMs since it was written */
  onAcknowledged(lagMs: number): void;
  onConnectedChange(isConnected: boolean): void;
}

/** Claims the gateway unless an earlier run did. @throws ClaimError; Error when the earlier run was at another cloud */
export async function claimSimulated(options: GatewayOptions): Promise<void> {
  const identity = openIdentity(options.identityFile);
  const { cloudUrl, claimCode: code, signal } = options;
  if (identity.cloud?.url === cloudUrl) return;
  if (identity.cloud !== null) throw new Error(`it belongs to ${identity.cloud.url}: give another --state`);
  await joinCloud({
    identity,
    claim: { cloudUrl, code },
    clock: systemClock,
    random: Math.random,
    logger: silentLogger,
    signal,
  });
}

/** Starts a claimed gateway, which connects and reconnects by itself. */
export async function startSimulated(options: GatewayOptions): Promise<SimulatedGateway> {
  const { index, run, transport, onConnectedChange } = options;
  const identity = openIdentity(options.identityFile);
  if (identity.cloud === null) throw new Error(`gateway ${index} is not claimed`);
  // Thousands share the memory of one process.
  const store = await openMemoryAgentStore({ limits: { keptBytesMax: 0 } });
  const rules = createAccessRules({ boot: store.boot, sessions: createOpenSessions(), logger: silentLogger });
  // The configuration is held in memory only: it is not needed at another start.
  const config = createConfigIntake({
    rules,
    store: { applyConfig: () => Promise.resolve() },
    logger: silentLogger,
    onChange() {},
  });
  const lags = createLags(store, options.onAcknowledged);
  let written = 0;

  const uplink = createUplink({
    transport,
    store: lags.store,
    clock: systemClock,
    logger: silentLogger,
    ladder: createReconnectLadder({ clock: systemClock, random: Math.random }),
    gatewayUuid: identity.uuid,
    credentials: identity.cloud.mqtt,
    agentVersion: VERSION,
    bootId: store.boot.boot_id,
    isClockOk: () => true,
    ownAddresses: () => [],
    onRefused() {},
    tracer: null,
  });
  uplink.start({
    configRevisions: config.revisions,
    onConfig: async (message) => config.apply(message),
    onCommand() {},
    onPairing() {},
    onAdmin() {},
    onDoctor() {},
    onAsk() {},
    onConnectedChange,
  });

  return {
    isConnected: () => uplink.state().connected,
    isReady: () => rules.cameras()[Symbol.iterator]().next().done !== true,
    async write() {
      const [camera] = rules.cameras();
      if (camera === undefined) throw new Error(`gateway ${index} has no camera`);
      const wall_ms = systemClock.now();
      const plate = fleetPlate({ run, gateway: index, number: written, written_ms: wall_ms });
      written += 1;
      const began = systemClock.monotonic();
      await store.recordRead(readOf(camera, { plate, wall_ms, mono_ms: began }));
      lags.written(began);
      uplink.notify(0);
    },
    written: () => written,
    async close() {
      await uplink.close();
      await store.close();
    },
  };
}

/** A store for the uplink that reports how long each record waited for its acknowledgement. */
function createLags(store: AgentStore, onAcknowledged: (lagMs: number) => void) {
  /** Times at which the records in the outbox were written, oldest first. Not by number: a new outbox epoch renumbers them. */
  const writtenAt: number[] = [];
  return {
    written: (at: number) => void writtenAt.push(at),
    store: {
      outboxBatch: store.outboxBatch,
      outboxState: store.outboxState,
      startOutboxEpoch: store.startOutboxEpoch,
      async acknowledge(ack: Parameters<AgentStore['acknowledge']>[0]) {
        await store.acknowledge(ack);
        const { lanes } = await store.outboxState();
        const left = lanes.find(({ lane }) => lane === 0)?.rows ?? 0;
        for (const at of writtenAt.splice(0, writtenAt.length - left)) onAcknowledged(systemClock.monotonic() - at);
      },
    },
  };
}

/** A plate read that is denied. */
function readOf(
  camera: CameraItem,
  { plate, wall_ms, mono_ms }: { plate: string; wall_ms: number; mono_ms: number },
): Parameters<AgentStore['recordRead']>[0] {
  return {
    uid: uidSchema.parse(uuidv7()),
    mono_ms,
    wall_ms,
    clock_ok: true,
    camera_device_id: camera.device_id,
    sessions: [],
    record: {
      kind: 'plate_read',
      reading: {
        lpr_camera_id: camera.id,
        zone_id: camera.zone_id,
        plate,
        raw_plate: plate,
        confidence: 0.9,
        direction: 'in',
        type: 'car',
        make: null,
        color: null,
        model: null,
        country_code: null,
        plate_side: camera.plate_side,
        lpr_camera_direction: camera.lpr_position,
        vendor_event_id: null,
        event_ms: wall_ms,
        retransmission: false,
        images: [],
      },
      access_decision: 'denied',
      access_decision_reason: 'no_tariff',
      session: null,
      lot_entry: null,
      opening: null,
    },
  };
}
