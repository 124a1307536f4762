/**
 * Secrets that are part of a setting that people need to read: the password or a key in the address of a broker, a camera or a display, the key
 * in the path of pushes. REST shows the setting with `***` in the secret's place.
 */

/** Stands for a secret in what REST shows. */
export const MASK = '***';

/** `mqtt://name:PASSWORD@host`: the scheme, and what stands before the path. */
const AUTHORITY = /^(\s*([a-z][a-z\d+.-]*):\/\/)([^/?#]*)/i;

/**
 * What a query may say without being a key: which picture or text, from where, and how it is sent. The list is of these, because keys have any
 * name.
 */
const OPEN_PARTS: ReadonlySet<string> = new Set(
  [
    'ca baud parity register length mode unit qos topic timeout lane zone camera cameraid ch channel channelid stream streamid',
    'subtype profile lang line brightness codec color colour font format fps height quality resolution width page port size text',
    'transport type unicast',
  ].flatMap((names) => names.split(' ')),
);

/** Where a text holds a secret: from its first character to the one after it. */
type Span = readonly [from: number, to: number];

/** The address as REST shows it: without the password in it, or the keys in its query. */
export function maskedAddress(address: string): string {
  const masked = spliced(address, secretSpans(address), MASK);
  const user = hiddenUser(masked);
  if (user === null) return masked;
  user.password = MASK;
  return user.href;
}

/** The address for whom its secrets are not meant: without a user, and with nothing in the place of keys. */
export function withoutSecrets(address: string): string {
  const bare = spliced(address, secretSpans(address), '').replace(/^(\s*[a-z][a-z\d+.-]*:\/\/)[^/?#]*@/i, '$1');
  const user = hiddenUser(bare);
  if (user === null) return bare;
  user.username = '';
  user.password = '';
  return user.href;
}

/** Whether an address holds a secret, or the mask of one. */
export const holdsAddressSecret = (address: unknown): boolean =>
  typeof address === 'string' && (secretSpans(address).length > 0 || hiddenUser(address) !== null);

/** Whether a value is a mask, or an address with one in the place of a secret. */
export function isMasked(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  const spans = secretSpans(value).map(([from, to]) => value.slice(from, to));
  return value === MASK || spans.includes(MASK) || passwordOf(value) === MASK;
}

/** Whether two addresses lead to different schemes, hosts or ports. */
export const leadsElsewhere = (from: string, to: string): boolean => destinationOf(from) !== destinationOf(to);

/** Scheme, host and port of an address, without what else it holds; the whole text when it is no URL. */
export function destinationOf(address: unknown): string {
  const text = typeof address === 'string' ? address.trim() : '';
  if (!URL.canParse(text)) return text;
  const { protocol, host, pathname } = new URL(text);
  return `${protocol}//${host === '' ? pathname : host}`.toLowerCase();
}

const passwordOf = (address: string): string => (URL.canParse(address) ? new URL(address).password : '');

/** An address with a password that only a parser of addresses sees (`http:\\a:b@host`), parsed; null: it has none. */
function hiddenUser(address: string): URL | null {
  const password = passwordOf(address);
  return password === '' || password === MASK ? null : new URL(address);
}

function spliced(text: string, spans: readonly Span[], by: string): string {
  return spans.toReversed().reduce((rest, [from, to]) => rest.slice(0, from) + by + rest.slice(to), text);
}

/** The secrets of an address, in their order. */
function secretSpans(address: string): Span[] {
  return [...authoritySpans(address), ...querySpans(address)].filter(([from, to]) => to > from);
}

function authoritySpans(address: string): Span[] {
  const [, before = '', scheme = '', authority = ''] = AUTHORITY.exec(address) ?? [];
  const start = before.length;
  // The camera that serves the display asks by this key.
  if (scheme.toLowerCase() === 'zhenshi') return [[start, start + authority.length]];
  const at = authority.lastIndexOf('@');
  if (at === -1) return [];
  const colon = authority.slice(0, at).indexOf(':');
  if (colon !== -1) return [[start + colon + 1, start + at]];
  // Without a password the name is the key of a web service. A broker's user may well have none.
  return /^https?$/i.test(scheme) ? [[start, start + at]] : [];
}

function querySpans(address: string): Span[] {
  const mark = address.indexOf('?');
  if (mark === -1) return [];
  const query = address.slice(mark + 1).replace(/#.*$/s, '');
  return [...query.matchAll(/[^&;]+/g)].flatMap(({ 0: part, index }): Span[] => {
    const start = mark + 1 + index;
    const [name = '', ...value] = part.split('=');
    const end = start + part.length;
    if (OPEN_PARTS.has(plainName(name)) || /^\{\w+\}$/.test(value.join('='))) return [];
    return [[value.length === 0 ? start : start + name.length + 1, end]];
  });
}

const plainName = (name: string): string => name.toLowerCase().replace(/[^a-z\d]/g, '');
