/** The gateway put together from its rooms: everything it needs of the outside comes in as a port. */
import { Hono } from 'hono';
import { uuidv7 } from 'uuidv7';
import type { Clock } from '../shared/clock.js';
import { CONFIG_SECTION_NAMES, type ConfigMessage } from '../shared/gateway-config.js';
import { type EventId, eventIdSchema, type Uid, uidSchema } from '../shared/ids.js';
import type { Logger } from '../shared/logger.js';
import { bytesToHex } from '../shared/product-protocol/bytes.js';
import type { ProtocolCrypto } from '../shared/product-protocol/protocol-crypto.js';
import { createAccessRules } from './access/access-rules.js';
import { createOpenSessions } from './access/open-sessions.js';
import { createRecentReads } from './access/recent-reads.js';
import type { Identity } from './commissioning/identity.js';
import { createClockGuard } from './health/clock-guard.js';
import { buildStatus } from './health/build-status.js';
import type { GatewayStatus } from './health/status.js';
import type { PushDriver } from './lpr/camera.js';
import { createCameraStates } from './lpr/camera-states.js';
import type { Images } from './lpr/images.js';
import { createPlateReads } from './lpr/plate-reads.js';
import { createPushListener } from './lpr/push-listener.js';
import type { Quarantine } from './lpr/quarantine.js';
import { createProductReporter } from './product/product-reporter.js';
import { createProductWatch } from './product/product-watch.js';
import { createRadioCommander } from './product/radio-commander.js';
import type { Radio } from './product/radio.js';
import type { AgentStore } from './store/agent-store.js';
import { createUplink } from './uplink/uplink.js';
import type { UplinkTransport } from './uplink/uplink-transport.js';

export interface GatewayDeps {
  identity: Identity;
  store: AgentStore;
  radio: Radio;
  /** null: not claimed, the gateway works from the configuration it holds. */
  transport: UplinkTransport | null;
  cameraDrivers: Record<string, PushDriver>;
  images: Images;
  quarantine: Quarantine;
  crypto: ProtocolCrypto;
  clock: Clock;
  random(): number;
  randomBytes(length: number): Uint8Array;
  logger: Logger;
  version: string;
}

export interface Gateway {
  /** The local HTTP interface: camera pushes; `GET /status`. */
  readonly app: Hono;
  status(): Promise<GatewayStatus>;
  close(): Promise<void>;
}

/** Builds the gateway and sets it going: what it needs to work alone is in memory when this returns. */
export function createGateway(deps: GatewayDeps): Gateway {
  const { store, radio, clock, logger, identity } = deps;
  const { boot } = store;
  const startedMonoMs = clock.monotonic();

  const sessions = createOpenSessions();
  const rules = createAccessRules({ boot, sessions, logger });
  const recent = createRecentReads(boot.recent_reads, new Set(boot.intents.map((intent) => intent.reading_uid)));
  const states = createCameraStates(clock);
  const clockGuard = createClockGuard({
    clock,
    floorMs: boot.clock_floor_ms,
    saveFloor: (wallMs) => store.saveClockFloor(wallMs),
    onError: (error) => logger.error({ err: error }, 'the time could not be kept'),
  });
  const watch = createProductWatch({ radio, crypto: deps.crypto, clock });
  watch.setProducts(rules.products());
  const commander = createRadioCommander({
    radio,
    watch,
    crypto: deps.crypto,
    clock,
    randomBytes: deps.randomBytes,
    knownTime: clockGuard.knownTime,
    logger,
  });

  const takeConfig = createConfigIntake({ rules, store, logger, onProducts: () => watch.setProducts(rules.products()) });
}
