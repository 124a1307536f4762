/** Asks this device for its network, and for its ways out of it. */
import { createSocket } from 'node:dgram';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Finding } from '../../shared/doctor/findings.js';
import { decideNetwork, hasDefaultRoute, wifiIn } from './decide-network.js';
import { readText } from './probe-device.js';

/** Addresses of nobody (RFC 5737 and 3849): the way to them is that to the internet. */
const ELSEWHERE = ['192.0.2.1', '2001:db8::1'];

/**
 * @param of.isCloudThere whether cloud and broker are on this device, or the cloud answers at this moment
 * @param of.addresses of cloud and broker, as far as they are known in time
 */
export async function probeNetwork(of: {
  isCloudThere: boolean;
  addresses: Promise<readonly string[]>;
}): Promise<Finding[]> {
  const addresses = Object.entries(networkInterfaces()).flatMap(([name, each = []]) =>
    each
      .filter(({ internal, address }) => !internal && !/^fe[89ab]/i.test(address))
      .map(({ address }) => `${name} ${address}`),
  );
  const [v4 = '', v6 = '', wifi = ''] = await Promise.all(
    ['/proc/net/route', '/proc/net/ipv6_route', '/proc/net/wireless'].map(async (path) => (await readText(path)) ?? ''),
  );
  const { isCloudThere } = of;
  return decideNetwork({
    addresses,
    has_route: isCloudThere || hasDefaultRoute(v4, v6) || (await hasWay(await of.addresses)),
    wifi: wifiIn(wifi),
    is_cloud_there: isCloudThere,
  });
}

/** A cloud in the same network needs no default route, and rules of the kernel may have one that its main table has not. */
async function hasWay(addresses: readonly string[]): Promise<boolean> {
  const ways = await Promise.all((addresses.length === 0 ? ELSEWHERE : addresses).map(canRoute));
  return ways.includes(true);
}

/** Asks the kernel for a route: nothing is sent. */
function canRoute(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createSocket(isIP(address) === 6 ? 'udp6' : 'udp4');
    const end = (hasRoute: boolean) => {
      socket.removeAllListeners();
      socket.close();
      resolve(hasRoute);
    };
    socket.once('error', () => end(false));
    socket.once('connect', () => end(true));
    socket.connect(PORT, address);
  });
}

/** Any will do. */
const PORT = 9;
