/**
 * Recognises the requests of the local console's own page. Devices on the network may be asked by any page in a browser beside them: one that
 * sends what needs no leave (CSRF), or one whose name was made to lead here (DNS rebinding).
 */
import { isPassedOn } from '../../shared/forwarding-headers.js';
import { isLoopbackHost } from '../../shared/loopback-host.js';

/** The names by which the device can be asked for. */
export interface DeviceNames {
  /** IPv4 and IPv6 addresses, as the machine writes them. */
  addresses: readonly string[];
  hostName: string;
}

/** The parts of a request that are looked at. @param header its name is in lower case */
interface AskedRequest {
  method: string;
  headerNames: Iterable<string>;
  header(name: string): string | undefined;
}

const PORT = /:\d+$/;
/**
 * The ending that a device adds to its name, or counts on, where another one on the link has the name already (mDNS).
 */
const COUNTED = /-?\d{1,4}$/;
/** The endings that routers put behind the names that they give. Nobody elsewhere can be given a name below them. */
const HOME_DOMAINS: ReadonlySet<string> = new Set([
  'local',
  'fritz.box',
  'speedport.ip',
  'lan',
  'home',
  'home.arpa',
  'internal',
  'localdomain',
]);
const READING: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/**
 * Says whether a browser states that the page was loaded from here. True if nothing is stated, as by programs.
 * @param origin of the page
 */
export function isOfOrigin(host: string | undefined, origin: string | undefined): boolean {
  return origin === undefined || (host !== undefined && origin === `http://${host}`);
}

/** Why the request is not one of the own page, for people; null: it is one. */
export function foreignBecause(request: AskedRequest, names: DeviceNames): string | null {
  const host = request.header('host');
  const site = request.header('sec-fetch-site') ?? 'none';
  if (isPassedOn(request.headerNames)) {
    return 'The request came by way of a proxy: ask the gateway itself, by its address';
  }
  if (!isNameOf(host, names)) {
    return 'The Host header names another machine: ask for the gateway by its IP address or its host name';
  }
  if (!isOfOrigin(host, request.header('origin')) || !(site === 'same-origin' || site === 'none')) {
    return 'A page from elsewhere sent the request: open the page of the gateway itself';
  }
  if (!READING.has(request.method) && essenceOf(request.header('content-type')) !== 'application/json') {
    return 'Send Content-Type: application/json';
  }
  return null;
}

function isNameOf(host: string | undefined, { addresses, hostName }: DeviceNames): boolean {
  const name = (host ?? '')
    .replace(PORT, '')
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')
    .toLowerCase();
  if (name === '') return false;
  return isLoopbackHost(host) || addresses.includes(name) || isHostNameOf(name, hostName.toLowerCase());
}

/** @param own may have the domain of the device's network behind it */
function isHostNameOf(name: string, own: string): boolean {
  const [ownLabel = ''] = own.split('.');
  if (ownLabel === '') return false;
  if (name === own || name === ownLabel) return true;
  const dot = name.indexOf('.');
  const [label, domain] = [name.slice(0, dot), name.slice(dot + 1)];
  if (dot < 0 || !HOME_DOMAINS.has(domain)) return false;
  const isRenamed = COUNTED.test(label) && label.replace(COUNTED, '') === ownLabel.replace(COUNTED, '');
  return label === ownLabel || (domain === 'local' && (isRenamed || isCountedFrom(label, ownLabel)));
}

/** Says whether a number was put behind the whole name: `gate-1-2` of `gate-1`. */
const isCountedFrom = (label: string, own: string): boolean =>
  label.startsWith(own) && /^-?\d{1,4}$/.test(label.slice(own.length));

const essenceOf = (contentType: string | undefined): string => (contentType?.split(';')[0] ?? '').trim().toLowerCase();
