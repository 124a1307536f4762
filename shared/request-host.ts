/** The host that an HTTP request names. Who believes one name while somebody before him believed another answers for the wrong one. */

/** What of a request names its host. */
export interface HostNames {
  httpVersion: string;
  /** Names and values in turns. */
  rawHeaders: readonly string[];
  /** The target of the request: a path, or all of an address. */
  url?: string | undefined;
}

/** `missing`: HTTP/1.1 requires one. `several`: more than one header. `other`: the target names another host than the header does. */
export type HostProblem = 'missing' | 'several' | 'other';

const ADDRESS = /^[a-z][a-z\d+.-]*:\/\//i;

/** @returns null when there is none: a request of HTTP/1.0 need not name a host */
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

/** The name alone: one listener has one port, and clients leave it out. NaN, which nothing equals: it names none. */
function nameIn(address: string): string | number {
  return URL.canParse(address) ? new URL(address).hostname : Number.NaN;
}
