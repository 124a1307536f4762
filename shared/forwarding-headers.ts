/** The headers that proxies add to requests. A request with one of them comes from elsewhere, whatever the address of its connection. */

const PREFIX = 'x-forwarded-';
const NAMES: ReadonlySet<string> = new Set([
  'forwarded',
  'via',
  'x-real-ip',
  'x-client-ip',
  'cf-connecting-ip',
  'true-client-ip',
]);

/**
 * Says whether a proxy has forwarded the request. A header counts even if it is empty.
 * @param names of the headers, in lower case
 */
export function isPassedOn(names: Iterable<string>): boolean {
  for (const name of names) if (name.startsWith(PREFIX) || NAMES.has(name)) return true;
  return false;
}
