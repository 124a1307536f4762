/** Digest access authentication (RFC 7616, MD5 with qop auth) from the camera's side. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const NONCES_MAX = 64;

export interface DigestAccess {
  /** Whether an Authorization header answers one of our challenges with the right name and password. */
  allows(request: { method: string; uri: string; authorization: string | undefined }): boolean;
  /** A new WWW-Authenticate header. */
  challenge(): string;
}

export function createDigestAccess(account: { realm: string; username: string; password: string }): DigestAccess {
  const nonces = new Set<string>();
  const secret = md5(`${account.username}:${account.realm}:${account.password}`);
  return {
    challenge() {
      const nonce = randomBytes(16).toString('hex');
      nonces.add(nonce);
      const [oldest] = nonces;
      if (nonces.size > NONCES_MAX && oldest !== undefined) nonces.delete(oldest);
      return `Digest qop="auth", realm="${account.realm}", nonce="${nonce}", algorithm=MD5`;
    },
    allows({ method, uri, authorization }) {
      const fields = digestFields(authorization);
      if (fields === null || fields.username !== account.username || fields.uri !== uri) return false;
      if (!nonces.has(fields.nonce ?? '')) return false;
      const proof = [fields.nonce, fields.nc, fields.cnonce, fields.qop, md5(`${method}:${uri}`)].join(':');
      const expected = Buffer.from(md5(`${secret}:${proof}`));
      const given = Buffer.from(fields.response ?? '');
      return given.length === expected.length && timingSafeEqual(given, expected);
    },
  };
}

/** The name="value" and name=value pairs of a Digest header. */
function digestFields(authorization: string | undefined): Record<string, string> | null {
  const [, list] = /^Digest\s+(.*)$/is.exec(authorization ?? '') ?? [];
  if (list === undefined) return null;
  return Object.fromEntries(
    [...list.matchAll(/(\w+)=(?:"([^"]*)"|([^\s,]*))/g)].map(([, name, quoted, plain]) => [
      name?.toLowerCase(),
      quoted ?? plain ?? '',
    ]),
  ) as Record<string, string>;
}

function md5(text: string): string {
  return createHash('md5').update(text).digest('hex');
}
