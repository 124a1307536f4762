/** Weblinks: what stands in them. Their tokens are stored nowhere: they are derived again whenever they are needed. */
import { timingSafeEqual } from 'node:crypto';
import { makeWeblinkId } from '../secrets/made-secrets.js';
import type { Secrets } from '../secrets/secrets.js';

/** 256 bits, 43 characters; another one for each generation of a link. */
export function weblinkToken(secrets: Pick<Secrets, 'derive'>, link: { id: string; generation: number }): string {
  return secrets.derive('weblink', link.id, String(link.generation)).toString('base64url');
}

/** Whether it is the link's token; how long that takes tells nothing. */
export function isWeblinkToken(
  secrets: Pick<Secrets, 'derive'>,
  link: { id: string; generation: number },
  given: string,
): boolean {
  const token = Buffer.from(weblinkToken(secrets, link));
  const bytes = Buffer.from(given);
  return bytes.length === token.length && timingSafeEqual(bytes, token);
}

/** The token is in the fragment: browsers keep it from servers and logs. */
export function weblinkUrl(baseUrl: string, link: { id: string; token: string }): string {
  return `${baseUrl}/weblinks/${link.id}#${link.token}`;
}

/** A new link: its first generation, and what is told of it once. */
export function makeWeblink(
  secrets: Pick<Secrets, 'derive'>,
  baseUrl: string,
): { id: string; generation: number; token: string; url: string } {
  const link = { id: makeWeblinkId(), generation: 0 };
  const token = weblinkToken(secrets, link);
  return { ...link, token, url: weblinkUrl(baseUrl, { id: link.id, token }) };
}
