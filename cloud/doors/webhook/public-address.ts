/** Knows which addresses are on the public internet, so that nobody can use a webhook to reach the cloud's own networks. */
import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** These are not global unicast (IANA, special-purpose registry): loopback, private, link-local, shared, documentation, multicast, reserved. */
const NOT_PUBLIC_V4: readonly [address: string, prefix: number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/** Global unicast is 2000::/3, except protocol assignments (Teredo among them), documentation and 6to4. */
const GLOBAL_V6: readonly [address: string, prefix: number] = ['2000::', 3];
const NOT_PUBLIC_V6: readonly [address: string, prefix: number][] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];

const notPublic = new BlockList();
for (const [address, prefix] of NOT_PUBLIC_V4) notPublic.addSubnet(address, prefix, 'ipv4');
for (const [address, prefix] of NOT_PUBLIC_V6) notPublic.addSubnet(address, prefix, 'ipv6');
const global = new BlockList();
global.addSubnet(...GLOBAL_V6, 'ipv6');

/** IPv6 addresses that embed IPv4: mapped ones (::ffff:0:0/96), and those of NAT64 (64:ff9b::/96). */
const EMBEDDING = new BlockList();
EMBEDDING.addSubnet('::ffff:0:0', 96, 'ipv6');
EMBEDDING.addSubnet('64:ff9b::', 96, 'ipv6');

/** Whether a text, as a resolver or a URL writes it, is an address on the public internet. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !notPublic.check(address, 'ipv4');
  // An address with a zone (`%eth0`) is valid only on one link.
  if (!isIPv6(address) || address.includes('%')) return false;
  const embedded = embeddedV4(address);
  if (embedded !== null) return isPublicAddress(embedded);
  return global.check(address, 'ipv6') && !notPublic.check(address, 'ipv6');
}

function embeddedV4(address: string): string | null {
  if (!EMBEDDING.check(address, 'ipv6')) return null;
  // The URL parser writes all of them in the same way: `::ffff:a00:1`.
  const groups = new URL(`http://[${address}]`).hostname.slice(1, -1).split(':').slice(-2);
  const [high = 0, low = 0] = groups.map((group) => Number.parseInt(group || '0', 16));
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
}
