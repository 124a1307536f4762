/** `parking-cloud broker-config nats DIRECTORY HOST...` */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandIo } from './apply.js';

/** What stands in an address, and may stand in a file's name. */
const HOST = /^[A-Za-z0-9]([A-Za-z0-9.:-]{0,252}[A-Za-z0-9])?$/;

export interface NatsConfigOptions {
  /** Where the files go. */
  directory: string;
  /** Of the servers, as they and the cloud reach them. */
  hosts: readonly string[];
}

/**
 * Writes the configuration file of each server of a NATS cluster: `HOST.conf`.
 * @param render writes one server's
 * @returns the exit code: 0 done, 2 it cannot be done as it was asked for; nothing is overwritten
 * @throws what else goes wrong: exit code 1
 */
export function runNatsConfig(
  { directory, hosts }: NatsConfigOptions,
  render: (host: string) => string,
  io: CommandIo,
): 0 | 2 {
  const problem = problemOf(hosts);
  const files = hosts.map((host) => ({ host, path: join(directory, `${host.replaceAll(':', '-')}.conf`) }));
  const existing = files.find(({ path }) => existsSync(path));
  if (problem !== null || existing !== undefined) {
    io.err(
      problem ??
        `${existing?.path} is there already, and nothing is overwritten: move it away, or choose another directory`,
    );
    return 2;
  }
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  for (const { host, path } of files) {
    writeFileSync(path, render(host), { mode: 0o600, flag: 'wx' });
    io.out(`${host}  ${path}`);
  }
  io.out(
    'Each belongs on its server as /etc/nats-server.conf, readable by the server alone: it holds the password of the cluster.',
  );
  return 0;
}

function problemOf(hosts: readonly string[]): string | null {
  const wrong = hosts.find((host) => !HOST.test(host));
  if (wrong !== undefined) return `${wrong} is no host name and no address: give it without nats:// and port.`;
  if (new Set(hosts).size < hosts.length) return 'Two servers have the same name: each is one server of the cluster.';
  // With two, the death of either one stops all: more than half have to agree.
  if (hosts.length === 2) return 'A cluster of two cannot lose one of them: name one server, or three.';
  return null;
}
