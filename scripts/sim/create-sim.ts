/** The simulated car park: products on the air, cameras that push to an agent, sensors, and the interface that operates them. */
import * as nodeCrypto from 'node:crypto';
import type { Hono } from 'hono';
import type { Clock } from '../../shared/clock.js';
import { type Logger, silentLogger } from '../../shared/logger.js';
import { createProtocolCrypto } from '../../shared/product-protocol/protocol-crypto.js';
import { systemClock } from '../../shared/system-clock.js';
import { type AgentAddresses, agentUrlOf } from './agent-addresses.js';
import { type SimCamera, startCamera } from './cameras/camera.js';
import { ALL_CAMERAS } from './cameras/all-cameras.js';
import { createVehiclePictures } from './cameras/vehicle-pictures.js';
import type { CarPark } from './car-park.js';
import { createControlApp } from './control/control-app.js';
import { type ControlAddress, listenControl } from './control/listen-control.js';
import type { SimProduct } from './products/sim-product.js';
import { startProduct } from './products/start-product.js';
import type { ProductAir } from './radio/product-air.js';
import { type SimDisplay, startDisplay } from './displays/sim-display.js';
import { createSimBrokers, type SimBrokers } from './sensors/sim-brokers.js';
import { createRtuLines } from './sensors/rtu-lines.js';
import { startParkingGateway } from './sensors/start-parking-gateway.js';
import { createPlace, type SimPlace } from './sensors/sim-place.js';
import { type RandomSources, systemSources } from './seeded-sources.js';
import { startTraffic, type Traffic, type TrafficPlan } from './traffic/traffic.js';

/** About as long as a real barrier takes. */
const MOVEMENT_DEFAULT_MS = 1_500;

export interface SimOptions {
  carPark: CarPark;
  agents: AgentAddresses;
  /** The air that the products are on. */
  air: ProductAir;
  /** Where the control interface listens; left out: it is not started. */
  control?: ControlAddress;
  clock?: Clock;
  logger?: Logger;
  /** The source of randomness; left out: different each time. */
  sources?: RandomSources;
  /** How long a movement of any product takes. */
  movementMs?: number;
  /** Vehicles that come and go by themselves; left out: none. */
  traffic?: TrafficPlan | undefined;
}

export interface Sim {
  /** By device_id. */
  products: ReadonlyMap<string, SimProduct>;
  cameras: ReadonlyMap<string, SimCamera>;
  /** The places of all lots: their names may repeat. */
  places: readonly SimPlace[];
  /** By name. */
  displays: ReadonlyMap<string, SimDisplay>;
  /** null: there is no traffic. */
  traffic: Traffic | null;
  /** The control interface. */
  controlApp: Hono;
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
  const { air, sources = systemSources } = options;
  const { gateways } = carPark;

  const crypto = createProtocolCrypto(nodeCrypto);
  const products = new Map<string, SimProduct>();
  for (const config of carPark.products) {
    const product = await startProduct(config, {
      crypto,
      air,
      gateways,
      clock,
      randomBytes: sources.bytesOf(`product ${config.device_id}`),
      logger,
      movementMs,
    });
    running.push(() => product.close());
    products.set(config.device_id, product);
  }

  const brokers = createSimBrokers();
  running.push(() => brokers.close());
  const cameras = await startCameras(options, brokers, running);

  const lines = createRtuLines();
  running.push(() => lines.close());
  const places: SimPlace[] = [];
  for (const gateway of carPark.parkingGateways) {
    const bySensor = new Map(gateway.places.map((place) => [place.sensor, createPlace(place, gateway)]));
    const server = await startParkingGateway(gateway, {
      places: bySensor,
      brokers,
      lines,
      air,
      agentUrl: () => agentUrlOf(agents, gateway.gateway_uuid),
      clock,
      logger,
    });
    running.push(() => server?.close());
    places.push(...bySensor.values());
  }

  const displays = new Map<string, SimDisplay>();
  for (const config of carPark.displays) {
    const display = await startDisplay(config, { agentUrl: () => agentUrlOf(agents, config.gateway_uuid), clock });
    if (display === null) continue;
    running.push(() => display.close());
    displays.set(config.name, display);
  }

  const traffic =
    options.traffic === undefined ? null : startTraffic(options.traffic, { products, cameras, places, clock, logger });
  running.push(() => traffic?.close());
  const things = { products, cameras, places, displays, traffic };
  const controlApp = createControlApp({ ...things, gateways: new Set(gateways), logger });
  const controlPort = await startControl(options, controlApp, running);
  return { ...things, controlApp, controlPort };
}

async function startCameras(
  { carPark, agents, sources = systemSources, clock = systemClock, logger = silentLogger }: SimOptions,
  brokers: SimBrokers,
  running: (() => Promise<void> | void)[],
): Promise<Map<string, SimCamera>> {
  const drawVehicle = createVehiclePictures();
  const cameras = new Map<string, SimCamera>();
  for (const config of carPark.cameras) {
    const camera = await startCamera(config, {
      vendor: ALL_CAMERAS[config.driver],
      drawVehicle,
      agentUrl: () => agentUrlOf(agents, config.gateway_uuid),
      brokers,
      clock,
      newUuid: sources.uuidsOf(`camera ${config.device_id}`),
      logger,
    });
    running.push(() => camera.close());
    cameras.set(config.device_id, camera);
  }
  return cameras;
}

async function startControl(
  { control }: SimOptions,
  app: Hono,
  running: (() => Promise<void> | void)[],
): Promise<number | null> {
  if (control === undefined) return null;
  const listener = await listenControl(app, control);
  running.push(() => listener.close());
  return listener.port;
}
