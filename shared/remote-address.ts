/** Helpers for the network address of a caller. */

const LOOPBACK = /^(127\.|::1$)/;
const IPV4_IN_IPV6 = /^::ffff:(?=\d+\.)/i;

/** Says whether the caller is on this machine. */
export function isLoopback(address: string): boolean {
  return LOOPBACK.test(withoutMapping(address));
}

/** Returns an IPv4 address in its plain form, where an IPv6 listener reports it as `::ffff:192.168.1.5`. */
export function withoutMapping(address: string): string {
  return address.replace(IPV4_IN_IPV6, '');
}
