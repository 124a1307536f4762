/** What the address of a caller says of it. */

const LOOPBACK = /^(127\.|::1$)/;
const IPV4_IN_IPV6 = /^::ffff:(?=\d+\.)/i;

/** Whether the caller is on this device. */
export function isLoopback(address: string): boolean {
  return LOOPBACK.test(withoutMapping(address));
}

/** An IPv4 address as itself, where a listener on IPv6 writes it as `::ffff:192.168.1.5`. */
export function withoutMapping(address: string): string {
  return address.replace(IPV4_IN_IPV6, '');
}
