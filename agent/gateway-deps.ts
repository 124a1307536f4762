/** What the gateway needs from outside. */
import type { Hono } from 'hono';
import type { Clock } from '../shared/clock.js';
import type { ConfigMessage } from '../shared/gateway-config.js';
import type { Logger } from '../shared/logger.js';
import type { ProtocolCrypto } from '../shared/product-protocol/protocol-crypto.js';
import type { Tracer } from '../shared/tracer.js';
import type { DisplayDrivers } from './display/display.js';
import type { GatewayLife } from './commissioning/gateway-life.js';
import type { Identity } from './commissioning/identity.js';
import type { LogRing } from './health/log-ring.js';
import type { CameraDrivers } from './lpr/camera.js';
import type { CameraClient } from './lpr/network/camera-client.js';
import type { Images } from './lpr/pictures/images.js';
import type { Quarantine } from './lpr/push/quarantine.js';
import type { RadioHealth } from './product/radio-health.js';
import type { Radio } from './product/radio.js';
import type { SensorDrivers } from './sensor/sensor-source.js';
import type { UpdateInstaller } from './update/update-installer.js';
import type { AgentStore } from './store/agent-store.js';
import type { UplinkTransport } from './uplink/uplink-transport.js';

export interface GatewayDeps {
  identity: Identity;
  /** The configuration from the claim's answer, for a gateway that was claimed just now. */
  initialConfig: ConfigMessage[];
  /** Left out: it stays what it is, whatever happens. */
  life?: GatewayLife | undefined;
  store: AgentStore;
  radio: Radio;
  radioHealth(): RadioHealth;
  transport: UplinkTransport;
  /** The machine's own addresses on its networks. Left out: a returned network is not noticed. */
  ownAddresses?: (() => readonly string[]) | undefined;
  cameraDrivers: CameraDrivers;
  /** Left out: pictures that cameras offer instead of sending them are not fetched. */
  cameraClient?: CameraClient | undefined;
  /** For the setup of cameras: the folder that keeps their earlier settings. Left out: no camera is set up. */
  cameraSetup?: { directory: string; httpPort: () => number } | undefined;
  sensorDrivers: SensorDrivers;
  /** Left out: the gateway writes to no display. */
  displayDrivers?: DisplayDrivers | undefined;
  /** Further routes of the local listener: those that sensors and cameras with a screen post to. */
  localRoutes?: readonly Hono[] | undefined;
  /** Left out: nothing is said about the device's software, and none is installed. `directory` keeps the file and how far it is. */
  updates?: { installer: UpdateInstaller; directory: string } | undefined;
  images: Images;
  quarantine: Quarantine;
  /** The folder of the quarantine, for who looks at it on the gateway's own page. Left out: there is none to look at. */
  quarantineDir?: string | undefined;
  crypto: ProtocolCrypto;
  clock: Clock;
  random(): number;
  randomBytes(length: number): Uint8Array;
  logger: Logger;
  /** The newest lines of the log, for people on site. Left out: none are kept. */
  logs?: LogRing | undefined;
  version: string;
  reportIntervalMs: number;
  cameraProbeIntervalMs: number;
  /** Left out: nothing is traced. */
  tracer?: Tracer | undefined;
}
