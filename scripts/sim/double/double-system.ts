/** The system behind the front: the real cloud and the real gateways of a site in this process, and a simulated car park. */
import { join } from 'node:path';
import type { Passwords } from '../../../cloud/kernel/secrets/passwords.js';
import type { SiteFile } from '../../../cloud/doors/site-file/read-site-file.js';
import type { GatewayUuid } from '../../../shared/ids.js';
import type { Logger } from '../../../shared/logger.js';
import type { CarPark } from '../car-park.js';
import { foundCameras } from '../cameras/found-cameras.js';
import { createSim, type Sim } from '../create-sim.js';
import { createDirectRadio } from '../radio/direct-radio.js';
import { waitUntil } from '../wait-until.js';
import { layCable } from './cable.js';
import { type MadeSecret, startDoubleCloud } from './double-cloud.js';
import { type DoubleGateway, startDoubleGateway } from './double-gateway.js';
import type { SiteGateway } from './double-site.js';
import type { HeardReports } from './heard-reports.js';
import type { MovableClock } from './movable-clock.js';
import { moveTime } from './move-time.js';

/** The longest wait for a condition; it only ends a system that hangs. */
const SETTLED_WITHIN_MS = 20_000;

export interface SystemOptions {
  site: SiteFile;
  carPark: CarPark;
  gateways: readonly SiteGateway[];
  /** The public address of the service. */
  baseUrl: string;
  dataDir: string;
  clock: MovableClock;
  passwords: Passwords;
  logger: Logger;
}

export interface DoubleSystem {
  /** Port of the service on this machine. */
  readonly port: number;
  readonly sim: Sim;
  readonly gateways: readonly DoubleGateway[];
  readonly made: readonly MadeSecret[];
  /** Moves the time. Resolves when gateways have reported again. */
  move(byMs: number): Promise<void>;
  /** Waits until the cloud has everything of a gateway that is plugged in, or knows that an unplugged one is offline. */
  settled(gateway: DoubleGateway): Promise<void>;
  close(): Promise<void>;
}

/** Starts all of it; resolves when each gateway is connected and its products can be commanded. */
export async function startSystem(options: SystemOptions): Promise<DoubleSystem> {
  const running: (() => Promise<void>)[] = [];
  /** Ends the parts, the last started first. */
  const close = async () => {
    for (let end = running.pop(); end !== undefined; end = running.pop()) await end();
  };
  try {
    return { ...(await startParts(options, running)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function startParts(options: SystemOptions, running: (() => Promise<void>)[]) {
  const { clock, logger, carPark } = options;
  const { port, brokerPort, made, heard, isOnline, ...cloud } = await startDoubleCloud(options);
  running.push(() => cloud.close());

  const ground = clock.layer('ground');
  const air = createDirectRadio({ clock: ground, random: Math.random });
  // Cameras and sensors are there when the gateways look for them.
  const urls = new Map<GatewayUuid, string>();
  const sim = await createSim({ carPark, agents: { byGateway: urls }, air, clock: ground, logger });
  running.push(() => sim.close());
  const gateways: DoubleGateway[] = [];
  for (const { uuid, name, claimCode } of options.gateways) {
    const gateway = await startDoubleGateway({
      uuid,
      name,
      claimCode,
      cloudUrl: `http://127.0.0.1:${port}`,
      cable: await layCable(brokerPort),
      radioOf: () => air.radioOf(uuid),
      cameras: () => foundCameras(sim.cameras.values()),
      dataDir: join(options.dataDir, 'gateways', uuid),
      clock,
      logger,
    });
    running.push(() => gateway.close());
    gateways.push(gateway);
    urls.set(uuid, gateway.url);
  }

  const paired = new Set(
    carPark.products.flatMap(({ device_id, master_key }) => (master_key === null ? [] : [device_id])),
  );
  await waitUntil(
    'the gateways to be connected and to hear their products',
    async () => (await Promise.all(gateways.map((gateway) => isReady(gateway, { paired, heard })))).every(Boolean),
    SETTLED_WITHIN_MS,
  );
  return {
    port,
    sim,
    gateways,
    made,
    move: (byMs: number) => moveTime(byMs, { clock, gateways, heard }),
    settled: (gateway: DoubleGateway) => settled(gateway, isOnline),
  };
}

/** Says whether the cloud may be asked to command the products that the gateway hears. */
async function isReady(
  gateway: DoubleGateway,
  { paired, heard }: { paired: ReadonlySet<string>; heard: HeardReports },
): Promise<boolean> {
  const { cloud, outbox, products } = await gateway.status();
  const wanted = products.filter(({ device_id }) => paired.has(device_id));
  const online = heard(gateway.uuid)?.online;
  return cloud.connected && outbox.pending === 0 && wanted.every(({ device_id }) => online?.has(device_id) ?? false);
}

async function settled(gateway: DoubleGateway, isOnline: (uuid: GatewayUuid) => Promise<boolean>): Promise<void> {
  const { isPlugged } = gateway.cable;
  await waitUntil(
    `gateway ${gateway.name} to be ${isPlugged ? 'back, with all that it kept,' : 'gone'}`,
    async () => {
      if ((await isOnline(gateway.uuid)) !== isPlugged) return false;
      const { cloud, outbox } = await gateway.status();
      return !isPlugged || (cloud.connected && outbox.pending === 0);
    },
    SETTLED_WITHIN_MS,
  );
}
