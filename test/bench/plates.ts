/** The plates that both sides of the plate benchmarks know, the pushes of a camera that reads them, and the gateway that takes those. */
import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import type { VehiclePictures } from '../../scripts/sim/cameras/camera-vendor.js';
import { hikvisionCamera } from '../../scripts/sim/cameras/hikvision-camera.js';
import { createVehiclePictures } from '../../scripts/sim/cameras/vehicle-pictures.js';
import { entryCamera } from '../world/entry-camera.js';
import { ask, startChild } from './harness.js';

export const KNOWN_PLATES = 50_000;

/** Plate number `index`, as a camera writes it. */
export const knownPlate = (index: number): string => `ZG${String(index).padStart(5, '0')}K`;

/** Known plates one after the other, and never two neighbours. */
export const scatteredPlate = (index: number): string => knownPlate((index * 7_919) % KNOWN_PLATES);

export const drawnPictures = (): Promise<VehiclePictures> => createVehiclePictures()('ZG00000K', undefined);

/** What a camera pushes when it reads a plate now. */
export const pushOf = (plate: string, pictures: VehiclePictures, device_id = 'cam') =>
  hikvisionCamera.encode(
    entryCamera({ device_id }),
    { uuid: randomUUID(), wallMs: Date.now(), read: { plate }, pictures },
    false,
  );

/** A connection that is kept. */
export const keptConnections = (connections = 1): Agent => new Agent({ keepAlive: true, maxSockets: connections });

/** Pushes to a gateway. @returns the status of the answer */
export const post = async (of: {
  agent: Agent;
  port: number;
  push: ReturnType<typeof pushOf>;
  device_id?: string;
}): Promise<number> => {
  const url = `http://127.0.0.1:${of.port}/lpr/hikvision/${of.device_id ?? 'cam'}/key`;
  return (await ask(url, { agent: of.agent, ...of.push })).status;
};

/** What the monotonic clock of the machine, which its processes share, shows in milliseconds. */
export const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6;

/** Pushes a read that opens. @returns after how many milliseconds the command to the product is issued */
export async function commandIssued(
  gateway: PlateAgent,
  { agent, push }: { agent: Agent; push: ReturnType<typeof pushOf> },
): Promise<number> {
  const issued = gateway.next<{ issuedMs: number }>();
  const pushedMs = monotonicMs();
  const answered = post({ agent, port: gateway.started.port, push });
  const tookMs = (await issued).issuedMs - pushedMs;
  const status = await answered;
  if (status !== 200) throw new Error(`the gateway answered ${status}`);
  return tookMs;
}

type PlateAgent = Awaited<ReturnType<typeof startPlateAgent>>;

/** Starts the gateway of the plate benchmarks. @param options.core the only processor core that it and its children may use */
export function startPlateAgent(args: readonly string[], options: { core?: number } = {}) {
  const flags = ['--max-old-space-size=256'];
  const onCore = ['-c', String(options.core), process.execPath, ...flags];
  const program = options.core === undefined ? { execArgv: flags } : { execPath: 'taskset', execArgv: onCore };
  return startChild<{ port: number }>('plate-agent.js', args, program);
}
