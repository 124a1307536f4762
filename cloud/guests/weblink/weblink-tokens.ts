/** The tokens and URLs of weblinks. Tokens are not stored: they are derived again whenever they are needed. */
import { timingSafeEqual } from 'node:crypto';
import { generateWeblinkId, type Secrets } from '../../kernel/secrets/entry.js';

/** Derives a link's token: 256 bits, 43 characters, different for each generation. */
export function weblinkToken(secrets: Pick<Secrets, 'derive'>, link: { id: string; generation: number }): string {
  return secrets.derive('weblink', link.id, String(link.generation)).toString('base64url');
}

/** Whether the text is the link's token. Compares in constant time. */
export function isWeblinkToken(
  secrets: Pick<Secrets, 'derive'>,
  link: { id: string; generation: number },
  given: string,
): boolean {
  const token = Buffer.from(weblinkToken(secrets, link));
  const bytes = Buffer.from(given);
  return bytes.length === token.length && timingSafeEqual(bytes, token);
}

/** Returns the URL of a link. The token is in the fragment, which browsers do not send to servers. */
export function weblinkUrl(baseUrl: string, link: { id: string; token: string }): string {
  return `${baseUrl}/weblinks/${link.id}#${link.token}`;
}

/** Generates a new link: its id and first generation, and its token and URL, which are shown once. */
export function generateWeblink(
  secrets: Pick<Secrets, 'derive'>,
  baseUrl: string,
): { id: string; generation: number; token: string; url: string } {
  const link = { id: generateWeblinkId(), generation: 0 };
  const token = weblinkToken(secrets, link);
  return { ...link, token, url: weblinkUrl(baseUrl, { id: link.id, token }) };
}
