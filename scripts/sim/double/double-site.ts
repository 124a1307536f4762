/** The site file as the double runs it. */
import { createHash, randomUUID } from 'node:crypto';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Site } from '../../../cloud/all-resources.js';
import { type GatewayUuid, gatewayUuidSchema } from '../../../shared/ids.js';
import type { CarPark } from '../car-park.js';

export interface SiteGateway {
  uuid: GatewayUuid;
  name: string;
  claimCode: string;
}

export interface SiteToken {
  account: string;
  name: string;
  token: string;
}

const lotsOf = (site: Site) => site.accounts.flatMap(({ lots }) => lots);

/** Gives each gateway of the site a uuid and a claim code, where the file leaves them out, and returns them. */
export function completeGateways(site: Site): SiteGateway[] {
  return lotsOf(site).flatMap((lot) =>
    lot.gateways.map((gateway) => {
      gateway.uuid ??= uuidOf(`${lot.name}/${gateway.name}`);
      gateway.claim_code ??= `DOUBLE-${gateway.uuid}`;
      return {
        uuid: gatewayUuidSchema.parse(gateway.uuid),
        name: gateway.name,
        claimCode: gateway.claim_code,
      };
    }),
  );
}

/** Cameras for which the file names no gateway push to the first one of their lot. */
export function giveCamerasGateways(carPark: CarPark, site: Site): CarPark {
  const first = new Map(
    lotsOf(site).flatMap((lot) =>
      lot.zones.flatMap(({ lpr_cameras }) => lpr_cameras.map(({ device_id }) => [device_id, lot.gateways[0]?.uuid])),
    ),
  );
  const cameras = carPark.cameras.map((camera) => {
    const uuid = first.get(camera.device_id);
    return camera.gateway_uuid !== null || uuid === undefined
      ? camera
      : { ...camera, gateway_uuid: gatewayUuidSchema.parse(uuid) };
  });
  return { ...carPark, cameras };
}

/** The API tokens that stand in the file. */
export function tokensOf(site: Site): SiteToken[] {
  return site.accounts.flatMap(({ name: account, api_tokens }) =>
    api_tokens.flatMap(({ name, token }) => (token === undefined ? [] : [{ account, name, token }])),
  );
}

/**
 * Gives each camera, each gateway of sensors and each display an address of this machine with a port that nobody uses;
 * things behind one address stay behind one.
 */
export async function moveDevicesToFreePorts(site: Site): Promise<void> {
  const moved = new Map<string, string>();
  /** @param place a host and port, or the path of a serial device */
  async function elsewhere(place: string): Promise<string> {
    const to =
      moved.get(place) ??
      (place.startsWith('/') ? join(tmpdir(), `parking-serial-${randomUUID()}`) : `127.0.0.1:${await freePort()}`);
    moved.set(place, to);
    return to;
  }
  async function move(thing: { driver: string; address: string }): Promise<void> {
    const [, scheme = '', place = '', more = ''] = /^(\w+:\/\/)?(\/[^?]*|[^/?]*)(.*)$/.exec(thing.address) ?? [];
    thing.address = `${scheme}${await elsewhere(place)}${more}`;
  }
  for (const lot of lotsOf(site)) {
    for (const camera of lot.zones.flatMap(({ lpr_cameras }) => lpr_cameras)) {
      if (camera.address !== '') camera.address = `http://127.0.0.1:${await freePort()}`;
    }
    for (const gateway of lot.parking_gateways) if (SENSORS_WITH_ADDRESS.has(gateway.driver)) await move(gateway);
  }
  for (const { rgb_displays } of site.accounts) {
    for (const display of rgb_displays) if (DISPLAYS_WITH_ADDRESS.has(display.driver)) await move(display);
  }
}

/** Drivers that are not listed have no address on the network. */
const SENSORS_WITH_ADDRESS: ReadonlySet<string> = new Set([
  'modbus-tcp',
  'modbus-rtu',
  'modbus-rtu-tcp',
  'chirpstack',
  'ttn',
]);
const DISPLAYS_WITH_ADDRESS: ReadonlySet<string> = new Set(['http', 'modbus']);

/** A name has the same one in every run. */
function uuidOf(name: string): GatewayUuid {
  const hex = createHash('sha256').update(`gateway ${name}`).digest('hex');
  return gatewayUuidSchema.parse(
    `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`,
  );
}

function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
