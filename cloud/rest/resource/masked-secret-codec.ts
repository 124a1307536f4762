/**
 * Secrets that are part of a setting that people need to read: the password in the address of a broker, the key in the path of pushes.
 * REST shows the setting with `***` in the secret's place.
 */

/** Stands for a secret in what REST shows. */
export const MASK = '***';

/** `mqtt://name:PASSWORD@host`: what stands before the password, and its end. */
const PASSWORD = /^(\s*[a-z][a-z\d+.-]*:\/\/[^/?#:]*):[^/?#]*@/i;

/** The address as REST shows it: without the password in it, if there is one. */
export function maskedAddress(address: string): string {
  const masked = address.replace(PASSWORD, `$1:${MASK}@`);
  const password = passwordOf(masked);
  if (password === '' || password === MASK) return masked;
  // A way of writing it that only a parser of addresses sees through.
  const url = new URL(masked);
  url.password = MASK;
  return url.href;
}

/** The password in an address; empty: none. */
export const passwordOf = (address: string): string => (URL.canParse(address) ? new URL(address).password : '');

/** Whether two addresses lead to different schemes, hosts or ports. */
export const leadsElsewhere = (from: string, to: string): boolean => destinationOf(from) !== destinationOf(to);

/** Scheme, host and port of an address, without what else it holds; the whole text when it is no URL. */
export function destinationOf(address: unknown): string {
  const text = typeof address === 'string' ? address.trim() : '';
  if (!URL.canParse(text)) return text;
  const { protocol, host, pathname } = new URL(text);
  return `${protocol}//${host === '' ? pathname : host}`.toLowerCase();
}
