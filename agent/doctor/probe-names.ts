/**
 * Looks names up: each name server by itself, with a time limit of its own, and then as a connection does. The system's own look-up waits
 * for a silent server for many seconds, and keeps one of the program's few threads meanwhile, so that it is asked only when one answers.
 */
import { type LookupAddress, lookup } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import type { Clock } from '../../shared/clock.js';
import { waitFor } from '../waiting/wait-for.js';
import {
  addressesOf,
  type DnsFacts,
  isInHosts,
  isSilent,
  type Looked,
  nameServersIn,
  type ServerAnswer,
} from './decide-names.js';
import { readText } from './probe-device.js';

/** For one try. */
const SERVER_WITHIN_MS = 1_000;
const TRIES = 2;
const SYSTEM_WITHIN_MS = 1_500;

/** The addresses at which systemd-resolved asks the name servers that it was given. */
const STUBS = new Set(['127.0.0.53', '127.0.0.54']);

/** Ends within 4.5 s. @param root where `/etc` and `/run` are; `/` but in tests */
export async function probeNames(host: string, clock: Clock, root = '/'): Promise<DnsFacts> {
  if (isIP(host) !== 0) return { host, is_address: true, found: { addresses: [host] }, servers: [], has_server: true };
  const isLocal = /(^|\.)local(host)?$/i.test(host) || isInHosts((await readText(join(root, 'etc/hosts'))) ?? '', host);
  if (isLocal) return { host, is_address: false, found: await bySystem(host, clock), servers: [], has_server: true };
  const { asked, named } = await serversOf(root);
  const each = [...new Set([...asked, ...named])];
  const answers = await Promise.all(each.map((server) => byServer(server, host)));
  const of = (servers: readonly string[]) => answers.filter(({ server }) => servers.includes(server));
  return {
    host,
    is_address: false,
    found: await asConnected(host, of(asked), clock),
    servers: of(named),
    has_server: asked.length > 0,
  };
}

/** `asked`: those that the system asks; `named`: those that answer in the end, which people can do something about. */
async function serversOf(root: string): Promise<{ asked: string[]; named: string[] }> {
  const asked = nameServersIn((await readText(join(root, 'etc/resolv.conf'))) ?? '');
  if (!asked.some((server) => STUBS.has(server))) return { asked, named: asked };
  const given = nameServersIn((await readText(join(root, 'run/systemd/resolve/resolv.conf'))) ?? '');
  return { asked, named: given.length === 0 ? asked : given };
}

/** While the first server is silent, each look-up of the system begins with waiting for it. */
async function asConnected(host: string, answers: readonly ServerAnswer[], clock: Clock): Promise<Looked> {
  const [first] = answers;
  if (first !== undefined && !isSilent(first)) return bySystem(host, clock);
  const speaking = answers.find((each) => !isSilent(each));
  return speaking === undefined ? { code: 'ETIMEOUT' } : { addresses: addressesOf(speaking) };
}

async function bySystem(host: string, clock: Clock): Promise<Looked> {
  try {
    const entries = await waitFor<LookupAddress[]>({
      clock,
      timeoutMs: SYSTEM_WITHIN_MS,
      timedOut: () => Object.assign(new Error('the system did not answer in time'), { code: 'ETIMEOUT' }),
      signals: [],
      listen(done, fail) {
        lookup(host, { all: true }, (error, found) => (error === null ? done(found) : fail(error)));
        return () => {};
      },
    });
    return { addresses: entries.map(({ address }) => address) };
  } catch (error) {
    return { code: codeOf(error) };
  }
}

async function byServer(server: string, host: string): Promise<ServerAnswer> {
  const resolver = new Resolver({ timeout: SERVER_WITHIN_MS, tries: TRIES });
  const looked = (addresses: Promise<string[]>): Promise<Looked> =>
    addresses.then(
      (found) => ({ addresses: found }),
      (error: unknown) => ({ code: codeOf(error) }),
    );
  try {
    resolver.setServers([isIP(server) === 6 ? `[${server}]` : server]);
    const [v4, v6] = await Promise.all([looked(resolver.resolve4(host)), looked(resolver.resolve6(host))]);
    return { server, v4, v6 };
  } catch (error) {
    return { server, v4: { code: codeOf(error) }, v6: { code: codeOf(error) } };
  }
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? 'unknown';
