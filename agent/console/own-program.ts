import type { HttpBindings } from '@hono/node-server';
import { getConnInfo } from '@hono/node-server/conninfo';
import type { Context } from 'hono';
import { isPassedOn } from '../../shared/forwarding-headers.js';
import { isLoopbackHost } from '../../shared/loopback-host.js';
import { isLoopback, withoutMapping } from '../../shared/remote-address.js';

const PORT = /:\d+$/;

/**
 * Says whether the caller is a program on this device that asks for itself: a proxy there passes on the requests of
 * others. Pages that a browser on the device shows do not count: one of somebody else cannot send this content type
 * without being asked for its origin first, and one whose name was made to lead here (DNS rebinding) names another
 * host.
 *
 * A listener on an address of the network is asked by that address from the device, too: the kernel then gives the caller the same one,
 * and lets no other host use it.
 */
export function isOwnProgram(context: Context): boolean {
  const remote = withoutMapping(getConnInfo(context).remote.address ?? '');
  const { method } = context.req;
  const host = context.req.header('host');
  const isAllowed = method === 'GET' || context.req.header('content-type') === 'application/json';
  if (isPassedOn(Object.keys(context.req.header())) || !isAllowed) return false;
  if (isLoopback(remote)) return isLoopbackHost(host);
  return remote !== '' && remote === localAddress(context) && (host === undefined || named(host) === remote);
}

function localAddress(context: Context): string {
  const { incoming } = context.env as Partial<HttpBindings>;
  return withoutMapping(incoming?.socket.localAddress ?? '');
}

/** The address in a `Host` header: `192.168.1.5:8090`, `[fd00::5]:8090`. */
function named(host: string): string {
  return host.replace(PORT, '').replace(/^\[(.*)\]$/, '$1');
}
