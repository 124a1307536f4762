/** The simulated car park: products on an emulated radio, cameras that push to an agent, sensors, and the interface that operates them. */
import * as nodeCrypto from 'node:crypto';
import type { Clock } from '../../shared/clock.js';
import type { GatewayUuid } from '../../shared/ids.js';
import { type Logger, silentLogger } from '../../shared/logger.js';
import { createProtocolCrypto } from '../../shared/product-protocol/protocol-crypto.js';
import { systemClock } from '../../shared/system-clock.js';
import { type AgentAddresses, agentUrlOf } from './agent-addresses.js';
import { type SimCamera, startCamera } from './cameras/camera.js';
import type { CameraVendor } from './cameras/camera-vendor.js';
import { hikvisionCamera } from './cameras/hikvision-camera.js';
import { createVehiclePictures } from './cameras/vehicle-pictures.js';
import type { CarPark } from './car-park.js';
import { createControlApp } from './control/control-app.js';
import { listenHttp } from './http-listener.js';
import type { SimProduct } from './products/sim-product.js';
import { startProduct } from './products/start-product.js';
import { startModbusGateway } from './sensors/modbus-gateway.js';
import { createPlace, type SimPlace } from './sensors/sim-place.js';
import { serveHub } from './radio/hub.js';
import { createVirtualRadio, type VirtualRadio } from './radio/virtual-radio.js';

/** About as long as a barrier takes. */
const MOVEMENT_DEFAULT_MS = 1_500;
const VENDORS: Readonly<Record<string, CameraVendor>> = { hikvision: hikvisionCamera };

export interface SimOptions {
  carPark: CarPark;
  agents: AgentAddresses;
  /** The radio that the products are on; left out: a new one. */
  radio?: VirtualRadio;
  /** Unix socket where agents join the radio. */
  radioPath?: string;
  /** Where the control interface listens; left out: it is not started. */
  control?: { host: string; port: number };
  clock?: Clock;
  logger?: Logger;
  /** How long every packet on a link takes; 0 when left out. */
  latencyMs?: number;
  /** How long a movement of any product takes. */
  movementMs?: number;
}

export interface Sim {
  /** By device_id. */
  products: ReadonlyMap<string, SimProduct>;
  cameras: ReadonlyMap<string, SimCamera>;
  /** The places of all lots: their names may repeat. */
  places: readonly SimPlace[];
  radio: VirtualRadio;
  /** Port of the control interface. */
  controlPort: number | null;
  close(): Promise<void>;
}

/** Starts all parts; when one cannot start, it ends the others and rejects. */
export async function createSim(options: SimOptions): Promise<Sim> {
  const running: (() => Promise<void> | void)[] = [];
  /** Ends the parts, the last started first. */
  const close = async () => {
    for (let end = running.pop(); end !== undefined; end = running.pop()) await end();
  };
  try {
    return { ...(await startAll(options, running)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function startAll(options: SimOptions, running: (() => Promise<void> | void)[]): Promise<Omit<Sim, 'close'>> {
  const { carPark, agents, clock = systemClock, logger = silentLogger, movementMs = MOVEMENT_DEFAULT_MS } = options;
  const { latencyMs = 0 } = options;
  const { gateways } = carPark;

  const radio = options.radio ?? createVirtualRadio({ random: Math.random, clock, defaults: { latencyMs } });
  if (options.radio === undefined) running.push(() => radio.close());
  if (options.radioPath !== undefined) {
    const hub = await serveHub(radio, options.radioPath);
    running.push(() => hub.close());
  }

  const crypto = createProtocolCrypto(nodeCrypto);
  const products = new Map<string, SimProduct>();
  for (const config of carPark.products) {
    const product = await startProduct(config, { crypto, radio, gateways, clock, logger, movementMs });
    running.push(() => product.close());
    products.set(config.device_id, product);
  }

  const drawVehicle = createVehiclePictures();
  const cameras = new Map<string, SimCamera>();
  for (const config of carPark.cameras) {
    const agentUrl = agentUrlOf(agents, config.gateway_uuid);
    const camera = await startCamera(config, { vendor: VENDORS[config.driver], drawVehicle, agentUrl, clock, logger });
    running.push(() => camera.close());
    cameras.set(config.device_id, camera);
  }

  const places: SimPlace[] = [];
  for (const gateway of carPark.parkingGateways) {
    const bySensor = new Map(gateway.places.map((place) => [place.sensor, createPlace(place, gateway)]));
    const server = await startModbusGateway(gateway, { places: bySensor, clock });
    running.push(() => server.close());
    places.push(...bySensor.values());
  }

  const things = { products, cameras, places };
  const controlPort = await startControl(options, { ...things, gateways: new Set(gateways), logger }, running);
  return { ...things, radio, controlPort };
}

async function startControl(
  { control }: SimOptions,
  deps: Pick<Sim, 'products' | 'cameras' | 'places'> & { gateways: ReadonlySet<GatewayUuid>; logger: Logger },
  running: (() => Promise<void> | void)[],
): Promise<number | null> {
  if (control === undefined) return null;
  const listener = await listenHttp(createControlApp(deps).fetch, control);
  running.push(() => listener.close());
  return listener.port;
}
