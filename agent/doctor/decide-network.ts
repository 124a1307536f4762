/** Judges the network of the device. Pure. */
import { type Finding, found } from '../../shared/doctor/findings.js';

const WEAK_WIFI_DBM = -75;

export interface NetworkFacts {
  /** Those that others can reach it by: `eth0 192.168.1.5`. */
  addresses: string[];
  /** Whether there is a way to cloud and broker, or to the internet while their addresses are not known. */
  has_route: boolean;
  /** By interface, dBm. */
  wifi: { name: string; signal_dbm: number }[];
  /** Whether cloud and broker are on this device, or the cloud answers at this moment: then no network is missing. */
  is_cloud_there: boolean;
}

export function decideNetwork({ addresses, has_route, wifi, is_cloud_there }: NetworkFacts): Finding[] {
  const weak = wifi
    .filter(({ signal_dbm }) => signal_dbm < WEAK_WIFI_DBM)
    .map(({ name, signal_dbm }) => found('network.weak_wifi', name, { signal: signal_dbm }));
  if (addresses.length === 0 && !is_cloud_there) return [found('network.down', null, {})];
  if (!has_route && !is_cloud_there) return [found('network.no_route', null, {}), ...weak];
  if (weak.length > 0) return weak;
  return [found('network.ok', null, { interfaces: addresses.length === 0 ? 'lo' : addresses.join(', ') })];
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
