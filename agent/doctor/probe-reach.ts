/** Tries to reach cloud and broker as the gateway does, and looks at their certificates. It tells them nothing, and sends no secret. */
import { X509Certificate } from 'node:crypto';
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import {
  checkServerIdentity,
  connect as connectTls,
  type PeerCertificate,
  rootCertificates,
  type TLSSocket,
} from 'node:tls';
import { errorText } from '../../shared/error-text.js';
import type { Finding } from '../../shared/doctor/findings.js';
import { askCloud, NO_ANSWER } from './ask-cloud.js';
import {
  type CertificateFacts,
  type CloudAnswer,
  decideBroker,
  decideCloud,
  decideFamilies,
  type FamilyFacts,
} from './decide-reach.js';

export interface ReachDeps {
  /** Wall milliseconds. */
  now(): number;
  /** Milliseconds. */
  monotonic(): number;
  signal: AbortSignal;
}

/** A host that is to be reached, without brackets. */
export interface Destination {
  host: string;
  port: number;
  isTls: boolean;
  /** The path of the URL. */
  path: string;
  /** In the order in which they are tried; none: the name was not found. */
  addresses: readonly string[];
}

interface Reached {
  latency_ms: number;
  certificate: CertificateFacts | null;
}

/** Reads the destination of a URL, its host without brackets. */
export function placeOf(
  address: string,
  defaultPorts: Readonly<Record<string, number>>,
): Omit<Destination, 'addresses'> {
  const { protocol, hostname, port, pathname } = new URL(address);
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? (defaultPorts[protocol] ?? 0) : Number(port),
    isTls: protocol === 'https:' || protocol === 'mqtts:',
    path: pathname,
  };
}

export const CLOUD_PORTS = { 'http:': 80, 'https:': 443 };
export const BROKER_PORTS = { 'mqtt:': 1883, 'mqtts:': 8883 };

/**
 * @param authority PEM of the one behind its certificate; left out: a public one
 * @returns also the wall clock minus the cloud's, by the date of its answer; null: it gave none
 */
export async function probeCloud(
  to: Destination,
  authority: string | undefined,
  deps: ReachDeps,
): Promise<{ findings: Finding[]; off_ms: number | null }> {
  const ca = authority === undefined ? undefined : [...rootCertificates, authority];
  const [families, reached] = await Promise.all([tryFamilies(to, deps.signal), reachCloud(to, ca, deps)]);
  const now_ms = deps.now();
  const findings = [...decideCloud({ place: to, now_ms, ...reached }), ...decideFamilies(to, families)];
  const date_ms = reached.answer?.is_cloud === true ? reached.answer.date_ms : null;
  return { findings, off_ms: date_ms === null ? null : now_ms - date_ms };
}

interface CloudReached {
  certificate: CertificateFacts | null;
  answer: CloudAnswer | null;
  problem: string | null;
}

async function reachCloud(to: Destination, ca: string[] | undefined, deps: ReachDeps): Promise<CloudReached> {
  let certificate: CertificateFacts | null = null;
  const without = (problem: string) => ({ certificate, answer: null, problem });
  if (to.addresses.length === 0) return without('no_address');
  try {
    if (to.isTls) ({ certificate } = await reach(to, ca, deps));
    if (certificate !== null && certificate.problem !== null) return without(certificate.problem);
    const answer = await askCloud({ ...to, lookup: lookupOf(to.addresses), ca }, deps);
    return { certificate, answer, problem: null };
  } catch (error) {
    if (!to.isTls || !speaksNoTls(error)) return without(problemText(error, to));
    // Proxies refuse in plain HTTP, whatever they are spoken to in.
    const plain = { ...to, isTls: false, lookup: lookupOf(to.addresses), ca: undefined };
    const answer = await askCloud(plain, deps).catch(() => null);
    return answer === null ? without('no_tls') : { certificate, answer: { ...answer, is_cloud: false }, problem: null };
  }
}

export async function probeBroker(
  { to, ca, refusal }: { to: Destination; ca: string | null; refusal: string | null },
  deps: ReachDeps,
): Promise<Finding[]> {
  const facts = { place: to, now_ms: deps.now(), authority_ends_ms: to.isTls ? endsOf(ca) : [], refusal };
  const unreached = (problem: string) => decideBroker({ ...facts, latency_ms: null, certificate: null, problem });
  if (to.addresses.length === 0) return unreached('no_address');
  const trying = tryFamilies(to, deps.signal);
  try {
    const { latency_ms, certificate } = await reach(to, ca === null ? undefined : [ca], deps);
    const findings = decideBroker({ ...facts, latency_ms, certificate, problem: null });
    return [...findings, ...decideFamilies(to, await trying)];
  } catch (error) {
    return unreached(speaksNoTls(error) ? 'no_tls' : problemText(error, to));
  }
}

const PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * Reads when the certificates of a PEM end. One that cannot be read is left out: the connection shows that it does not
 * serve.
 */
function endsOf(ca: string | null): number[] {
  return [...(ca ?? '').matchAll(PEM)].flatMap(([pem]) => {
    try {
      return Date.parse(new X509Certificate(pem).validTo);
    } catch {
      return [];
    }
  });
}

const speaksNoTls = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && /^(?:EPROTO|ERR_SSL_)/.test(String(error.code));

/** Looks up nothing: the addresses are known. */
const lookupOf =
  (addresses: readonly string[]): LookupFunction =>
  (_host, { all }, done) => {
    const entries = addresses.map((address) => ({ address, family: isIP(address) }));
    if (all === true) done(null, entries);
    else done(null, entries[0]?.address ?? '', entries[0]?.family);
  };

/** Connects, and leaves again at once. With TLS it goes on without trust, to see whose certificate it is, and sends nothing. */
async function reach(to: Destination, ca: string[] | undefined, { monotonic, signal }: ReachDeps): Promise<Reached> {
  const { host, port, isTls, addresses } = to;
  const askedMs = monotonic();
  const lookup = lookupOf(addresses);
  const trust = ca === undefined ? {} : { ca };
  const servername = isIP(host) === 0 ? { servername: host } : {};
  const socket: Socket | TLSSocket = isTls
    ? connectTls({ host, port, lookup, rejectUnauthorized: false, ...trust, ...servername })
    : connectTcp({ host, port, lookup });
  try {
    await connected(socket, isTls ? 'secureConnect' : 'connect', signal);
    const certificate = 'getPeerCertificate' in socket ? certificateOf(socket, host) : null;
    return { latency_ms: Math.round(monotonic() - askedMs), certificate };
  } finally {
    socket.destroy();
  }
}

/** For a host that keeps silent: an error of the system would name its address. */
const problemText = (error: unknown, { addresses }: Destination): string =>
  errorText(error) === NO_ANSWER
    ? `${NO_ANSWER} (${addresses.slice(0, ADDRESSES_SHOWN).join(', ')})`
    : errorText(error);

const ADDRESSES_SHOWN = 2;

function connected(socket: Socket, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(new Error(NO_ANSWER));
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    const ended = (settle: () => void) => {
      signal.removeEventListener('abort', onAbort);
      settle();
    };
    // A failure after the end finds a listener, too.
    socket.on('error', (error) => ended(() => reject(error)));
    socket.once(event, () => ended(resolve));
  });
}

const FAMILY_WITHIN_MS = 2_000;

/** Tries an address of each family by itself. A connection tries both at once, and does not say which was dead. */
async function tryFamilies({ addresses, port }: Destination, signal: AbortSignal): Promise<FamilyFacts | null> {
  const [v4, v6] = [4, 6].map((family) => addresses.find((address) => isIP(address) === family));
  if (v4 === undefined || v6 === undefined) return null;
  const within = AbortSignal.any([signal, AbortSignal.timeout(FAMILY_WITHIN_MS)]);
  const problemOf = async (host: string): Promise<string | null> => {
    const socket = connectTcp({ host, port });
    try {
      await connected(socket, 'connect', within);
      return null;
    } catch (error) {
      return codeOf(error as Error);
    } finally {
      socket.destroy();
    }
  };
  const [v4_problem, v6_problem] = await Promise.all([problemOf(v4), problemOf(v6)]);
  return { v6_address: v6, v6_problem, v4_connects: v4_problem === null };
}

const NAMES_SHOWN = 3;

function certificateOf(socket: TLSSocket, host: string): CertificateFacts | null {
  const peer = socket.getPeerCertificate();
  if (peer.valid_to === undefined) return null;
  const refused = socket.authorizationError as Error | string | null;
  return {
    from_ms: Date.parse(peer.valid_from),
    to_ms: Date.parse(peer.valid_to),
    problem: socket.authorized ? null : typeof refused === 'string' ? refused : codeOf(refused),
    names: namesIn(peer),
    is_other_name: checkServerIdentity(host, peer) !== undefined,
  };
}

function namesIn({ subjectaltname = '', subject }: PeerCertificate): string {
  const names = [...subjectaltname.matchAll(/(?:DNS|IP Address):([^,\s]+)/g)].flatMap(([, name]) => name ?? []);
  const all = names.length > 0 ? names : [subject?.CN ?? ''].flat();
  const more = all.length > NAMES_SHOWN ? [`+${all.length - NAMES_SHOWN}`] : [];
  return [...all.slice(0, NAMES_SHOWN), ...more].join(', ') || '–';
}

const codeOf = (error: Error | null): string =>
  error !== null && 'code' in error && typeof error.code === 'string' ? error.code : errorText(error ?? 'not accepted');
