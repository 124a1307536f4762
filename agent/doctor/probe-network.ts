/** Asks this device for its network, and its name service for addresses. */
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Finding } from '../../shared/doctor/findings.js';
import { decideDns, decideNetwork, hasDefaultRoute, type Looked, wifiIn } from './decide-network.js';
import { readText } from './probe-device.js';

export async function probeNetwork(isCloudHere: boolean): Promise<Finding[]> {
  const addresses = Object.entries(networkInterfaces()).flatMap(([name, each = []]) =>
    each
      .filter(({ internal, address }) => !internal && !/^fe[89ab]/i.test(address))
      .map(({ address }) => `${name} ${address}`),
  );
  const [v4 = '', v6 = '', wifi = ''] = await Promise.all(
    ['/proc/net/route', '/proc/net/ipv6_route', '/proc/net/wireless'].map(async (path) => (await readText(path)) ?? ''),
  );
  return decideNetwork({
    addresses,
    has_route: hasDefaultRoute(v4, v6),
    wifi: wifiIn(wifi),
    is_cloud_here: isCloudHere,
  });
}

/** Looks up both families as a connection does. @param host without brackets */
export async function probeDns(host: string): Promise<Finding[]> {
  if (isIP(host) !== 0) return [decideDns({ host, is_address: true, v4: { count: 0 }, v6: { count: 0 } })];
  // One after the other: a name service that is silent must not hold several of the program's few threads.
  const v4 = await looked(host, 4);
  const v6 = await looked(host, 6);
  return [decideDns({ host, is_address: false, v4, v6 })];
}

async function looked(host: string, family: 4 | 6): Promise<Looked> {
  try {
    return { count: (await lookup(host, { family, all: true })).length };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return { code: code ?? 'unknown' };
  }
}
