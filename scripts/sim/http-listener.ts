import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer, type HttpBindings } from '@hono/node-server';
import { isLoopbackHost } from '../../shared/loopback-host.js';
import { errorText } from '../../shared/error-text.js';

export interface HttpListener {
  /** The port in use, which the system chooses for port 0. */
  port: number;
  /** Also ends open connections. Idempotent. */
  close(): Promise<void>;
}

/**
 * Serves an application on one address. On one of this machine alone, where nobody needs a credential, a request that names another host is
 * answered with 421: it is of somebody else's page, in a browser on this machine.
 * @throws when it cannot listen on the address; the message says on which and why.
 */
export function listenHttp(
  fetch: (request: Request, env: HttpBindings) => Response | Promise<Response>,
  { host, port }: { host: string; port: number },
): Promise<HttpListener> {
  const isOwnHost = ({ headers }: Request) => isLoopbackHost(headers.get('host') ?? undefined);
  const isForAll = !isLoopbackHost(host.includes(':') ? `[${host}]` : host);
  const server = createAdaptorServer({
    fetch: (request, env) =>
      isForAll || isOwnHost(request) ? fetch(request, env as HttpBindings) : new Response(null, { status: 421 }),
  }) as Server;
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      reject(new Error(`cannot listen on ${host}:${port}: ${reasonOf(cause)}`, { cause }));
    });
    server.listen(port, host, () => {
      let closed: Promise<void> | undefined;
      resolve({
        port: (server.address() as AddressInfo).port,
        close: () => (closed ??= closeServer(server)),
      });
    });
  });
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

function reasonOf(error: NodeJS.ErrnoException): string {
  if (error.code === 'EADDRINUSE') return 'the port is taken; stop what uses it, or choose another';
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND') return 'the address is not one of this machine';
  if (error.code === 'EACCES') return 'ports below 1024 need root';
  return errorText(error);
}
