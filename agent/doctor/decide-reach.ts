/** Judges how cloud and broker were reached, and their certificates. Pure. */
import { DAY_MS } from '../../shared/durations.js';
import { type Finding, found } from '../../shared/doctor/findings.js';

const SLOW_MS = 2_000;
const NEAR_END_DAYS = 21;
const AUTHORITY_NEAR_END_DAYS = 60;

/** The beginning of a host's TLS; null: it has none. */
export interface CertificateFacts {
  /** Wall milliseconds. */
  from_ms: number;
  to_ms: number;
  /** Node.js' code of why it is not accepted; null: it is. */
  problem: string | null;
  /** The names that it is for, shortened for people. */
  names: string;
  /** Whether it is for another host than the one that was asked for. */
  is_other_name: boolean;
}

/** The place of the cloud or the broker. */
export interface Place {
  host: string;
  port: number;
}

/** For people: `cloud.example:443`, `[2001:db8::1]:443`. */
export const placeText = ({ host, port }: Place): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;

/** The trial of one address of each family, for a name that has both. */
export interface FamilyFacts {
  /** The one of IPv6 that was tried. */
  v6_address: string;
  /** Node.js' code of why it did not connect; null: it did. */
  v6_problem: string | null;
  v4_connects: boolean;
}

/** The device itself has no IPv6: nothing is tried there, and nothing is slow. */
const NO_V6_HERE = new Set(['ENETUNREACH', 'EADDRNOTAVAIL', 'EAFNOSUPPORT']);

/** @param families null: the host has addresses of one family alone */
export function decideFamilies(place: Place, families: FamilyFacts | null): Finding[] {
  if (families === null || families.v6_problem === null || !families.v4_connects) return [];
  if (NO_V6_HERE.has(families.v6_problem)) return [];
  return [found('network.dead_v6', placeText(place), { address: families.v6_address })];
}

/** The answer to `GET /healthz`. */
export interface CloudAnswer {
  status: number;
  /** It is the answer of a cloud, word for word. */
  is_cloud: boolean;
  /** For people: where a redirect leads to, or what the answer is. */
  what: string;
  latency_ms: number;
  /** By its `Date`, wall milliseconds; null: it has none. */
  date_ms: number | null;
}

export interface CloudFacts {
  place: Place;
  now_ms: number;
  certificate: CertificateFacts | null;
  /** null: none came. */
  answer: CloudAnswer | null;
  /** Why none came; null: one did. */
  problem: string | null;
}

const TIME_CODES = new Set(['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID']);

/** The chain is in order, and the name is not. */
const OTHER_NAME = 'ERR_TLS_CERT_ALTNAME_INVALID';

export function decideCertificate(
  place: Place,
  certificate: CertificateFacts,
  { now_ms, isBroker }: { now_ms: number; isBroker: boolean },
): Finding {
  const { from_ms, to_ms, problem, names, is_other_name } = certificate;
  const host = placeText(place);
  const facts = { name: names, expected: place.host };
  // A login page is for web pages: nobody puts one before a broker, with a certificate of the right authority.
  if (problem === OTHER_NAME && isBroker) return found('certificate.other_name', host, facts);
  if (problem !== null && is_other_name) return found('certificate.foreign', host, facts);
  const days = Math.floor((to_ms - now_ms) / DAY_MS);
  if (to_ms <= now_ms) return found('certificate.ended', host, { days: Math.floor((now_ms - to_ms) / DAY_MS) });
  if (from_ms > now_ms) return found('certificate.early', host, { days: Math.ceil((from_ms - now_ms) / DAY_MS) });
  if (problem !== null && !TIME_CODES.has(problem)) return found('certificate.refused', host, { problem });
  return found(days <= NEAR_END_DAYS ? 'certificate.near_end' : 'certificate.ok', host, { days });
}

export function decideCloud({ place, now_ms, certificate, answer, problem }: CloudFacts): Finding[] {
  const host = placeText(place);
  const of = certificate === null ? [] : [decideCertificate(place, certificate, { now_ms, isBroker: false })];
  // The certificate says it all.
  if (certificate !== null && certificate.problem !== null) return of;
  if (answer === null) return [found('cloud.unreachable', host, { problem }), ...of];
  const { status, is_cloud, what, latency_ms } = answer;
  if (status === 407) return [found('cloud.proxy', host, {}), ...of];
  if (!is_cloud && status >= 500 && status !== 511) return [found('cloud.unwell', host, { status }), ...of];
  if (!is_cloud) return [found('cloud.portal', host, { answer: what }), ...of];
  return [found(latency_ms > SLOW_MS ? 'cloud.slow' : 'cloud.ok', host, { latency_ms }), ...of];
}

export interface BrokerFacts {
  place: Place;
  now_ms: number;
  /** null: it was not reached. */
  latency_ms: number | null;
  problem: string | null;
  certificate: CertificateFacts | null;
  /** When the certificates of the authority that the gateway was told end, wall milliseconds. */
  authority_ends_ms: readonly number[];
  /** Why the broker refused the gateway at its last attempt; null: it did not, or nobody tried. */
  refusal: string | null;
}

export function decideBroker(facts: BrokerFacts): Finding[] {
  const { place, now_ms, latency_ms, problem, certificate, authority_ends_ms, refusal } = facts;
  const host = placeText(place);
  const authority = authority_ends_ms.length === 0 ? [] : [decideAuthority(Math.max(...authority_ends_ms), now_ms)];
  const of = certificate === null ? [] : [decideCertificate(place, certificate, { now_ms, isBroker: true })];
  if (latency_ms === null) return [found('broker.unreachable', host, { problem }), ...authority];
  if (certificate !== null && certificate.problem !== null) return [...of, ...authority];
  const reached =
    refusal === null ? found('broker.ok', host, { latency_ms }) : found('broker.refused', host, { problem: refusal });
  return [reached, ...of, ...authority];
}

function decideAuthority(end_ms: number, now_ms: number): Finding {
  const days = Math.floor((end_ms - now_ms) / DAY_MS);
  if (end_ms <= now_ms) return found('authority.ended', null, { days: Math.floor((now_ms - end_ms) / DAY_MS) });
  return found(days <= AUTHORITY_NEAR_END_DAYS ? 'authority.near_end' : 'authority.ok', null, { days });
}
