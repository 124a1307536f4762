/** Who sends a request, also from behind proxies. Whoever counts, logs or lets in by address asks here. */
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { isPassedOn } from '../../../shared/forwarding-headers.js';
import { isLoopbackHost } from '../../../shared/loopback-host.js';

/** The parts of a request that say where it comes from. */
export type AddressedRequest = Pick<IncomingMessage, 'headers'> & { socket: { remoteAddress?: string | undefined } };

/** Finds the network address of the client; an empty text when its connection has ended. An IPv4 address is never written as IPv6. */
export type AddressOf = (request: AddressedRequest) => string;

/** Says whether the address is that of a proxy in front of this service, behind which there are many clients. */
export type IsProxy = (address: string) => boolean;

/**
 * @param proxies TRUSTED_PROXIES: addresses, and networks as `10.0.0.0/8`
 * @throws TypeError, RangeError on an entry that is neither
 */
export function createIsProxy(proxies: readonly string[]): IsProxy {
  if (proxies.length === 0) return () => false;
  const trusted = new BlockList();
  for (const entry of proxies) {
    const [address = '', prefix, more] = entry.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (more !== undefined || (prefix !== undefined && !/^\d{1,3}$/.test(prefix))) throw new TypeError(entry);
    if (prefix === undefined) trusted.addAddress(address, family);
    else trusted.addSubnet(address, Number(prefix), family);
  }
  return (address) => isIP(address) !== 0 && trusted.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/**
 * The client's address is that of the connection. When that is a proxy's, it is the last one of `X-Forwarded-For` that is no proxy's: each
 * proxy adds the address from which it was asked, and what stands before is only what the client says of itself.
 */
export function createAddressOf(isProxy: IsProxy): AddressOf {
  /** Of a connection, which has many requests. */
  const peers = new WeakMap<AddressedRequest['socket'], { address: string; isProxy: boolean }>();
  const peerOf = (socket: AddressedRequest['socket']) => {
    let peer = peers.get(socket);
    if (peer === undefined) {
      const address = plainAddress(socket.remoteAddress ?? '') ?? '';
      peer = { address, isProxy: isProxy(address) };
      peers.set(socket, peer);
    }
    return peer;
  };
  return ({ socket, headers }) => {
    const peer = peerOf(socket);
    if (!peer.isProxy) return peer.address;
    let { address } = peer;
    const forwarded = String(headers['x-forwarded-for'] ?? '').split(',');
    for (const text of forwarded.reverse()) {
      const before = plainAddress(text);
      // What is no address was written by the proxy that is known last, so that is as far as anybody can be held to account.
      if (before === null) return address;
      address = before;
      if (!isProxy(address)) return address;
    }
    return address;
  };
}

/**
 * Whether a program on this machine asks. What a proxy on this machine passes on comes from elsewhere, and so does what a page of somebody
 * else asks in a browser here.
 */
export function isLocal({ socket, headers }: AddressedRequest): boolean {
  if (isPassedOn(Object.keys(headers))) return false;
  return isLoopbackHost(headers.host) && /^127\.|^::1$/.test(plainAddress(socket.remoteAddress ?? '') ?? '');
}

/** Reads an address as sockets and proxies write it: `192.0.2.7`, `::ffff:192.0.2.7`, `192.0.2.7:4711`, `[2001:db8::7]:4711`. */
function plainAddress(text: string): string | null {
  const trimmed = text.trim();
  const [, withPort] = /^\[([^\]]*)\](?::\d+)?$/.exec(trimmed) ?? /^([\d.]+):\d+$/.exec(trimmed) ?? [];
  const address = (withPort ?? trimmed)
    .toLowerCase()
    .replace(/^::ffff:(?=[\d.]+$)/, '')
    .replace(/%.*$/, '');
  return isIP(address) === 0 ? null : address;
}
