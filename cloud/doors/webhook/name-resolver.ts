/**
 * Driver: resolves a receiver's name. A dead name server must not hold up anything else, so names are resolved without a thread. The
 * system's own resolver occupies one of few threads for any time; it is asked only for names that the name servers do not know
 * (/etc/hosts).
 */
import type { LookupAddress } from 'node:dns';
import { lookup, Resolver } from 'node:dns/promises';
import { createSemaphore } from '../../../shared/flow/semaphore.js';
import { isLocalName } from './webhook-url.js';

/** Resolves a name to its addresses. Rejects with a `code` when there are none. */
export type Resolve = (name: string) => Promise<LookupAddress[]>;

const QUERY_TIMEOUT_MS = 3_000;
const QUERY_TRIES = 2;
const SYSTEM_NAMES_AT_ONCE = 2;
const SYSTEM_NAMES_WAITING_MAX = 100;
/** These codes mean that there is no such name, no such address, or no name server. */
const UNKNOWN = new Set(['ENOTFOUND', 'ENODATA', 'ECONNREFUSED']);

/**
 * @param options.servers name servers instead of the system's: `address:port`
 * @param options.queryTimeoutMs the timeout of the first query to a name server
 */
export function createNameResolver(options: { servers?: string[]; queryTimeoutMs?: number } = {}): Resolve {
  const resolver = new Resolver({ timeout: options.queryTimeoutMs ?? QUERY_TIMEOUT_MS, tries: QUERY_TRIES });
  if (options.servers !== undefined) resolver.setServers(options.servers);
  const systemNames = createSemaphore({
    name: 'names asked of the system',
    permits: SYSTEM_NAMES_AT_ONCE,
    waitingMax: SYSTEM_NAMES_WAITING_MAX,
  });
  const askSystem = (name: string) => systemNames.run('', () => lookup(name, { all: true }));
  return async (name) => {
    if (isLocalName(name)) return askSystem(name);
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const addresses = answers.flatMap((answer, index) =>
      answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family: index === 0 ? 4 : 6 })) : [],
    );
    if (addresses.length > 0) return addresses;
    const failures = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as unknown] : []));
    const failure = failures.find((reason) => !UNKNOWN.has(codeOf(reason)));
    if (failure !== undefined) throw failure;
    return askSystem(name);
  };
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
