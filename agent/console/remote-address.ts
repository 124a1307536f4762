/** What the address of a caller says of it. */

const LOOPBACK = /^(127\.|::1$)/;
const IPV4_IN_IPV6 = /^::ffff:(?=\d+\.)/i;
const GROUPS = 8;
const GROUPS_OF_NETWORK = 4;

/** Whether the caller is on this device. */
export function isLoopback(address: string): boolean {
  return LOOPBACK.test(address.replace(IPV4_IN_IPV6, ''));
}

/** Whom an address stands for: itself, or its /64 when it is of IPv6, because one host may use any of those. */
export function networkOf(address: string): string {
  const plain = address.replace(IPV4_IN_IPV6, '').split('%', 1)[0] ?? '';
  if (!plain.includes(':') || isLoopback(plain)) return plain;
  const [head = [], tail = []] = plain
    .toLowerCase()
    .split('::')
    .map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = Array<string>(Math.max(0, GROUPS - head.length - tail.length)).fill('0');
  return [...head, ...zeros, ...tail]
    .slice(0, GROUPS_OF_NETWORK)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}
