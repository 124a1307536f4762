/** Weblinks: what stands in them. Their tokens are stored nowhere: they are derived again whenever they are needed. */
import { makeWeblinkId } from '../secrets/made-secrets.js';
import type { Secrets } from '../secrets/secrets.js';

/** 256 bits, 43 characters; another one for each generation of a link. */
export function weblinkToken(secrets: Pick<Secrets, 'derive'>, link: { id: string; generation: number }): string {
  return secrets.derive('weblink', link.id, String(link.generation)).toString('base64url');
}

/** The token is in the fragment: browsers keep it from servers and logs. */
export function weblinkUrl(baseUrl: string, link: { id: string; token: string }): string {
  return `${baseUrl}/weblinks/${link.id}#${link.token}`;
}

/** A new link: its first generation, and what is told of it once. */
export function makeWeblink(
  secrets: Pick<Secrets, 'derive'>,
  baseUrl: string,
): { id: string; generation: number; url: string } {
  const link = { id: makeWeblinkId(), generation: 0 };
  return { ...link, url: weblinkUrl(baseUrl, { id: link.id, token: weblinkToken(secrets, link) }) };
}
