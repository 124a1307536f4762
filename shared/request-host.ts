/**
 * Finds the host that an HTTP request names. A request that names two hosts is dangerous: a proxy may believe one of them and the server the
 * other.
 */

/** The parts of a request that name its host. */
export interface HostNames {
  httpVersion: string;
  /** Names and values in alternation. */
  rawHeaders: readonly string[];
  /** The request target: a path, or an absolute URL. */
  url?: string | undefined;
}

/**
 * `missing`: there is none, although HTTP/1.1 requires one. `several`: there is more than one header. `other`: the request target names
 * another host than the header.
 */
export type HostProblem = 'missing' | 'several' | 'other';

const ADDRESS = /^[a-z][a-z\d+.-]*:\/\//i;

/** @returns null when there is no problem. A request of HTTP/1.0 need not name a host */
export function hostProblem({ httpVersion, rawHeaders, url = '' }: HostNames): HostProblem | null {
  let host: string | undefined;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.toLowerCase() !== 'host') continue;
    if (host !== undefined) return 'several';
    host = rawHeaders[at + 1] ?? '';
  }
  if (host === undefined && httpVersion === '1.1') return 'missing';
  return ADDRESS.test(url) && nameIn(url) !== nameIn(`http://${host ?? ''}`) ? 'other' : null;
}

/**
 * Returns the host name without its port: a listener has one port, and clients may leave it out. Returns NaN, which equals nothing, when the
 * text names no host.
 */
function nameIn(address: string): string | number {
  return URL.canParse(address) ? new URL(address).hostname : Number.NaN;
}
