import { isIP } from 'node:net';
import { isPublicAddress } from './public-address.js';

export const WEBHOOK_URL_CHARS_MAX = 2_048;

/** Finds what is wrong with a webhook's address, without asking the network; null when nothing is. */
export function webhookUrlProblem(text: string, { allowPrivate }: { allowPrivate: boolean }): string | null {
  if (!URL.canParse(text)) return 'Must be an http or https address';
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'Must be an http or https address';
  if (url.username !== '' || url.password !== '') return 'Must not hold a user name or password';
  const host = hostOf(url);
  const isLocal = isIP(host) > 0 ? !isPublicAddress(host) : isLocalName(host);
  return isLocal && !allowPrivate ? 'Must be a public address' : null;
}

/** Returns the name or the address, without the brackets of IPv6. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1');
}

/** A name that never leaves the machine (RFC 6761). */
export const isLocalName = (name: string): boolean => /(^|\.)localhost\.?$/i.test(name);
