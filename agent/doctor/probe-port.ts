/** Tries what `run` does first: to listen at its port. */
import { readdir, readFile, readlink } from 'node:fs/promises';
import { createServer } from 'node:http';
import { errorText } from '../../shared/error-text.js';
import { listen } from '../../shared/node/bounded-server.js';
import { type Finding, found } from '../../shared/doctor/findings.js';
import { holderName, listenersIn } from './decide-port.js';
import { readText } from './probe-device.js';

/** A value of the words. */
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

/** @returns null: the system does not say it to this user */
async function holderOf(port: number): Promise<{ name: string; isGateway: boolean } | null> {
  const tables = await Promise.all(['/proc/net/tcp', '/proc/net/tcp6'].map(readText));
  const links = new Set(tables.flatMap((table) => listenersIn(table ?? '', port)).map((inode) => `socket:[${inode}]`));
  for (const process of await readdir('/proc').catch(() => [])) {
    if (!/^\d+$/.test(process)) continue;
    const files = await readdir(`/proc/${process}/fd`).catch(() => []);
    const held = await Promise.all(files.map((file) => readlink(`/proc/${process}/fd/${file}`).catch(() => '')));
    if (!held.some((link) => links.has(link))) continue;
    const command = await readFile(`/proc/${process}/cmdline`, 'utf8').catch(() => '');
    return holderName(command, process);
  }
  return null;
}
