/** Judges the network of the device and its name service. Pure. */
import { type Finding, found } from '../../shared/doctor/findings.js';

const WEAK_WIFI_DBM = -75;

export interface NetworkFacts {
  /** Those that others can reach it by: `eth0 192.168.1.5`. */
  addresses: string[];
  has_route: boolean;
  /** By interface, dBm. */
  wifi: { name: string; signal_dbm: number }[];
  /** Whether cloud and broker are on this device: then it needs no network to reach them. */
  is_cloud_here: boolean;
}

export function decideNetwork({ addresses, has_route, wifi, is_cloud_here }: NetworkFacts): Finding[] {
  const weak = wifi
    .filter(({ signal_dbm }) => signal_dbm < WEAK_WIFI_DBM)
    .map(({ name, signal_dbm }) => found('network.weak_wifi', name, { signal: signal_dbm }));
  if (addresses.length === 0 && !is_cloud_here) return [found('network.down', null, {})];
  if (!has_route && !is_cloud_here) return [found('network.no_route', null, {}), ...weak];
  if (weak.length > 0) return weak;
  return [found('network.ok', null, { interfaces: addresses.length === 0 ? 'lo' : addresses.join(', ') })];
}

/** The number of addresses of a family, or the code of the failure. */
export type Looked = { count: number } | { code: string };

export interface DnsFacts {
  host: string;
  /** The host is an address itself. */
  is_address: boolean;
  v4: Looked;
  v6: Looked;
}

/** The name has no address of this family: no failure of the name service. */
const NONE_THERE = new Set(['ENOTFOUND', 'ENODATA']);

export function decideDns({ host, is_address, v4, v6 }: DnsFacts): Finding {
  if (is_address) return found('dns.unneeded', host, {});
  const countOf = (looked: Looked) => ('count' in looked ? looked.count : 0);
  const failureOf = (looked: Looked) => ('code' in looked && !NONE_THERE.has(looked.code) ? looked.code : null);
  if (countOf(v4) + countOf(v6) === 0) {
    const problem = failureOf(v4) ?? failureOf(v6) ?? ('code' in v4 ? v4.code : 'ENOTFOUND');
    return found('dns.failed', host, { problem });
  }
  const [badV4, badV6] = [failureOf(v4), failureOf(v6)];
  if (badV4 !== null) return found('dns.half', host, { family: 'IPv4', problem: badV4 });
  if (badV6 !== null) return found('dns.half', host, { family: 'IPv6', problem: badV6 });
  return found('dns.ok', host, { v4: countOf(v4), v6: countOf(v6) });
}

/**
 * Says whether a table of the kernel (`/proc/net/route`, `/proc/net/ipv6_route`) has a default route over an interface
 * that is not `lo`.
 */
export function hasDefaultRoute(v4Table: string, v6Table: string): boolean {
  const isV4 = v4Table.split('\n').some((line) => {
    const [name, destination, , , , , , mask] = line.trim().split(/\s+/);
    return name !== 'lo' && destination === '00000000' && mask === '00000000';
  });
  const isV6 = v6Table.split('\n').some((line) => {
    const parts = line.trim().split(/\s+/);
    return parts[0] === '0'.repeat(32) && parts[1] === '00' && parts.at(-1) !== 'lo';
  });
  return isV4 || isV6;
}

/** Reads `/proc/net/wireless`. */
export function wifiIn(table: string): { name: string; signal_dbm: number }[] {
  return [...table.matchAll(/^\s*(\S+):\s+\S+\s+\S+\s+(-?\d+)\.?\s/gm)].flatMap(([, name = '', level]) => {
    const signal_dbm = Number(level);
    // Some drivers count from 0 to 100 and not in dBm.
    return signal_dbm < 0 ? [{ name, signal_dbm }] : [];
  });
}
