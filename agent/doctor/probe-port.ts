/** Tries what `run` does first: to listen at its port. */
import { createServer } from 'node:http';
import { errorText } from '../../shared/error-text.js';
import { listen } from '../../shared/node/bounded-server.js';
import { type Finding, found } from '../../shared/doctor/findings.js';
import { listenersIn } from './decide-port.js';
import { readText } from './probe-device.js';
import { type Holder, holdersOf } from './probe-holders.js';

/** A value of the words: some program, and the system does not say to this user which. */
export const NOBODY_KNOWN = 'other_program';
const SETTINGS = { host: 'AGENT_HTTP_HOST', port: 'AGENT_HTTP_PORT' };

/** @returns why the gateway could not start; nothing where it could, or where another gateway of this device holds the port */
export async function probePort({ httpHost, httpPort }: { httpHost: string; httpPort: number }): Promise<Finding[]> {
  const server = createServer();
  try {
    await listen(server, { host: httpHost, port: httpPort, settings: SETTINGS });
    return [];
  } catch (error) {
    const { code } = (error as Error).cause as NodeJS.ErrnoException;
    if (code !== 'EADDRINUSE') return [found('gateway.port_refused', null, { problem: errorText(error) })];
    const holder = await holderOf(httpPort);
    if (holder?.isGateway === true) return [];
    return [found('gateway.port_taken', null, { port: httpPort, program: holder?.name ?? NOBODY_KNOWN })];
  } finally {
    server.close();
  }
}

async function holderOf(port: number): Promise<Holder | null> {
  const tables = await Promise.all(['/proc/net/tcp', '/proc/net/tcp6'].map(readText));
  const [first = null] = await holdersOf(tables.flatMap((table) => listenersIn(table ?? '', port)));
  return first;
}
