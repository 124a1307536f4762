/** The test double: the whole service behind one address, a car park to steer, time that moves, faults on request. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { readSiteFile } from '../../../cloud/doors/site-file/read-site-file.js';
import type { GatewayUuid } from '../../../shared/ids.js';
import { type Logger, silentLogger } from '../../../shared/logger.js';
import { carParkOf } from '../car-park.js';
import { listenControl } from '../control/listen-control.js';
import { createDoubleControl, type GatewayView } from './double-control.js';
import { createDoublePasswords, type MadeSecret } from './double-cloud.js';
import type { DoubleGateway } from './double-gateway.js';
import {
  completeGateways,
  giveCamerasGateways,
  moveDevicesToFreePorts,
  type SiteToken,
  tokensOf,
} from './double-site.js';
import { type DoubleSystem, startSystem } from './double-system.js';
import { createFaults } from './faults.js';
import { openFront } from './front.js';
import { createMovableClock, type MovableClock } from './movable-clock.js';
import { errorText } from '../../../shared/error-text.js';
import { createMutex } from '../../../shared/flow/mutex.js';

export interface DoubleOptions {
  /** The site file's name, for errors, and its text. */
  site: { name: string; text: string };
  host?: string;
  /** Port of the service; 0, as when it is left out: a free one. */
  port?: number;
  /** Port of the control interface, likewise. */
  controlPort?: number;
  /**
   * The token that callers of the control interface have to send. Left out: none, and `host` has to be this machine.
   */
  controlToken?: string | undefined;
  /** Cameras, sensors and displays listen on free ports, not at the addresses of the site file. */
  freeDevicePorts?: boolean;
  /** Wall time at which it begins, milliseconds since 1970; left out: the machine's. */
  startMs?: number | undefined;
  /** Where the data is kept after the end: a directory that is empty or not there. Left out: a temporary one, which is removed. */
  dataDir?: string | undefined;
  logger?: Logger;
}

export interface Double {
  readonly baseUrl: string;
  readonly controlUrl: string;
  /** The API tokens of the site file. */
  readonly tokens: readonly SiteToken[];
  /** The secrets that were made for things that the site file declares without one; after a reset others. */
  made(): readonly MadeSecret[];
  close(): Promise<void>;
}

/** @throws SiteFileError for a bad site file; other errors when it cannot start. Nothing is left then. */
export async function createDouble(options: DoubleOptions): Promise<Double> {
  const { host = '127.0.0.1', logger = silentLogger } = options;
  const running: (() => Promise<void>)[] = [];
  /** Ends the parts, the last started first. */
  const close = async () => {
    for (let end = running.pop(); end !== undefined; end = running.pop()) await end();
  };
  try {
    const site = readSiteFile(options.site.name, options.site.text);
    if (options.freeDevicePorts) await moveDevicesToFreePorts(site.site);
    const gateways = completeGateways(site.site);
    const carPark = giveCamerasGateways(carParkOf(site.site, logger), site.site);
    const dataDir = await openDataDir(options.dataDir, running);
    const faults = createFaults();
    const front = await openFront({ host, port: options.port ?? 0, faults });
    running.push(() => front.close());
    const baseUrl = urlOf(host, front.port);
    const passwords = createDoublePasswords();

    const start = async (): Promise<{ clock: MovableClock; system: DoubleSystem }> => {
      const clock = createMovableClock(options.startMs);
      const system = await startSystem({ site, carPark, gateways, baseUrl, dataDir, clock, passwords, logger });
      front.leadTo(system.port);
      return { clock, system };
    };
    const stop = async () => {
      front.leadTo(null);
      await inside.system.close();
      inside.clock.stop();
    };
    let inside = await start();
    running.push(() => stop());
    const changes = createMutex<'change'>();
    const inTurn = <Result>(work: () => Promise<Result>) => changes.run('change', work);
    running.push(changes.idle);
    const control = createDoubleControl({
      logger,
      faults,
      faultsChanged: front.applyToConnections,
      carPark: (request) => inside.system.sim.controlApp.fetch(request),
      now: () => inside.clock.now(),
      advance: (byMs) => inTurn(() => inside.system.move(byMs)),
      gateways: () => Promise.all(inside.system.gateways.map(viewOf)),
      setOnline: (uuid, online) => inTurn(() => setOnline(inside.system, uuid, online)),
      reset: () =>
        inTurn(async () => {
          await stop();
          faults.set({ rules: [] });
          for (const name of await readdir(dataDir)) await rm(join(dataDir, name), { recursive: true });
          inside = await start();
        }),
    });
    const listener = await listenControl(control, {
      host,
      port: options.controlPort ?? 0,
      token: options.controlToken,
    });
    running.push(() => listener.close());
    return {
      baseUrl,
      controlUrl: urlOf(host, listener.port),
      tokens: tokensOf(site.site),
      made: () => inside.system.made,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function viewOf({ uuid, name, cable, status }: DoubleGateway): Promise<GatewayView> {
  const { outbox } = await status();
  return { uuid, name, online: cable.isPlugged, waiting: outbox.pending };
}

/** Plugs a gateway in, or unplugs it. Resolves when the cloud knows; null: there is no such gateway. */
async function setOnline(system: DoubleSystem, uuid: GatewayUuid, online: boolean): Promise<GatewayView | null> {
  const gateway = system.gateways.find((each) => each.uuid === uuid);
  if (gateway === undefined) return null;
  if (online) gateway.cable.plugIn();
  else gateway.cable.unplug();
  await system.settled(gateway);
  return viewOf(gateway);
}

async function openDataDir(given: string | undefined, running: (() => Promise<void>)[]): Promise<string> {
  if (given === undefined) {
    const made = await mkdtemp(join(tmpdir(), 'parking-sim-'));
    running.push(() => rm(made, { recursive: true, force: true }));
    return made;
  }
  const dataDir = resolve(given);
  const held = await readdir(dataDir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw new Error(`${dataDir} cannot be read: ${errorText(error)}`, { cause: error });
  });
  if (held.length > 0) throw new Error(`${dataDir} is not empty: name a directory that is empty or not there`);
  return dataDir;
}

const urlOf = (host: string, port: number): string => `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
