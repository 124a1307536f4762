/** What proxies add to the requests that they pass on. Such a request comes from elsewhere, whatever its connection says. */

const PREFIX = 'x-forwarded-';
const NAMES: ReadonlySet<string> = new Set([
  'forwarded',
  'via',
  'x-real-ip',
  'x-client-ip',
  'cf-connecting-ip',
  'true-client-ip',
]);

/** Whether a proxy passed the request on, also one that wrote nothing into its header. @param names in lower case */
export function isPassedOn(names: Iterable<string>): boolean {
  for (const name of names) if (name.startsWith(PREFIX) || NAMES.has(name)) return true;
  return false;
}
