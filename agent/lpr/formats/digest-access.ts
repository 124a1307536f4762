/** The client's side of digest access authentication (RFC 7616): MD5 and SHA-256, with or without qop `auth`. */
import { createHash } from 'node:crypto';

export interface DigestRequest {
  method: string;
  /** Path and query. */
  uri: string;
  username: string;
  password: string;
  /** Hex; new for each request. */
  cnonce: string;
  /** MD5 is not answered. Left out: it is where nothing better is offered. */
  isMd5Refused?: boolean;
}

/** Says whether a WWW-Authenticate header offers digest with SHA-256. */
export const offersSha256 = (challenge: string): boolean =>
  digestOffers(challenge).some(({ algorithm }) => algorithm?.toLowerCase() === 'sha-256');

/**
 * Builds the Authorization header that answers a WWW-Authenticate header, which may offer other schemes too; null: the header offers no
 * digest that this code supports.
 */
export function answerDigest(challenge: string, request: DigestRequest): string | null {
  const offers = digestOffers(challenge).filter(({ algorithm }) => hashOf(algorithm) !== null);
  const offer =
    offers.find(({ algorithm }) => /sha-256/i.test(algorithm ?? '')) ??
    (request.isMd5Refused === true ? undefined : offers[0]);
  const hash = offer === undefined ? null : hashOf(offer.algorithm);
  if (offer === undefined || hash === null || offer.nonce === undefined) return null;
  const { realm = '', nonce, qop, opaque, algorithm } = offer;
  const { method, uri, username, password, cnonce } = request;
  const usesQop = qop !== undefined;
  if (usesQop && !qop.split(',').some((each) => each.trim().toLowerCase() === 'auth')) return null;
  const secret = hash(`${username}:${realm}:${password}`);
  const what = hash(`${method}:${uri}`);
  const nc = '00000001';
  const response = hash([secret, nonce, ...(usesQop ? [nc, cnonce, 'auth'] : []), what].join(':'));
  const fields = [
    `username="${username.replace(/["\\]/g, '\\$&')}"`,
    `realm="${realm}"`,
    `nonce="${nonce}"`,
    `uri="${uri}"`,
    ...(algorithm === undefined ? [] : [`algorithm=${algorithm}`]),
    ...(usesQop ? ['qop=auth', `nc=${nc}`, `cnonce="${cnonce}"`] : []),
    `response="${response}"`,
    ...(opaque === undefined ? [] : [`opaque="${opaque}"`]),
  ];
  return `Digest ${fields.join(', ')}`;
}

type Offer = Partial<Record<'realm' | 'nonce' | 'qop' | 'opaque' | 'algorithm', string>>;

/**
 * Finds the offers of digest. One header may hold several challenges: each is a scheme with fields, and commas separate both schemes and
 * fields.
 */
function digestOffers(challenge: string): Offer[] {
  const starts = [...challenge.matchAll(/(?:^|,)\s*([A-Za-z][\w-]*)\s+(?=[\w-]+\s*=)/g)];
  return starts.flatMap((start, index) => {
    if (start[1]?.toLowerCase() !== 'digest') return [];
    const fields = challenge.slice(start.index + start[0].length, starts[index + 1]?.index);
    // A name begins only where no character of a name stands before it: otherwise a long name without a value is tried from each of its
    // characters.
    const pairs = [...fields.matchAll(/(?<![\w-])([\w-]+)\s*=\s*(?:"([^"]*)"|([^\s,]+))/g)];
    return [Object.fromEntries(pairs.map(([, name, quoted, plain]) => [name?.toLowerCase(), quoted ?? plain]))];
  });
}

const HASHES = new Map(Object.entries({ md5: 'md5', 'sha-256': 'sha256' }));

function hashOf(algorithm = 'MD5'): ((text: string) => string) | null {
  const name = HASHES.get(algorithm.toLowerCase());
  return name === undefined ? null : (text) => createHash(name).update(text).digest('hex');
}
