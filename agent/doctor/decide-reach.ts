/** Judges how cloud and broker were reached, and their certificates. Pure. */
import { DAY_MS } from '../../shared/durations.js';
import { type Finding, found } from '../../shared/doctor/findings.js';
import { isClockOff } from '../../shared/troubles/rules.js';

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
  host: string;
  now_ms: number;
  certificate: CertificateFacts | null;
  /** null: none came. */
  answer: CloudAnswer | null;
  /** Why none came; null: one did. */
  problem: string | null;
  /** Whether the clock is compared with the answer: nothing better is known. */
  is_clock_compared: boolean;
}

const TIME_CODES = new Set(['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID']);

export function decideCertificate(host: string, certificate: CertificateFacts, now_ms: number): Finding {
  const { from_ms, to_ms, problem } = certificate;
  const days = Math.floor((to_ms - now_ms) / DAY_MS);
  if (to_ms <= now_ms) return found('certificate.ended', host, { days: Math.floor((now_ms - to_ms) / DAY_MS) });
  if (from_ms > now_ms) return found('certificate.early', host, { days: Math.ceil((from_ms - now_ms) / DAY_MS) });
  if (problem !== null && !TIME_CODES.has(problem)) return found('certificate.refused', host, { problem });
  return found(days <= NEAR_END_DAYS ? 'certificate.near_end' : 'certificate.ok', host, { days });
}

export function decideCloud({ host, now_ms, certificate, answer, problem, is_clock_compared }: CloudFacts): Finding[] {
  const of = certificate === null ? [] : [decideCertificate(host, certificate, now_ms)];
  // The certificate says it all.
  if (certificate !== null && certificate.problem !== null) return of;
  if (answer === null) return [found('cloud.unreachable', host, { problem }), ...of];
  const { status, is_cloud, what, latency_ms, date_ms } = answer;
  if (!is_cloud && status >= 500 && status !== 511) return [found('cloud.unwell', host, { status }), ...of];
  if (!is_cloud) return [found('cloud.portal', host, { answer: what }), ...of];
  const off_ms = is_clock_compared && date_ms !== null ? now_ms - date_ms : 0;
  return [
    found(latency_ms > SLOW_MS ? 'cloud.slow' : 'cloud.ok', host, { latency_ms }),
    ...of,
    ...(isClockOff(off_ms) ? [found('clock.off', null, { off_s: Math.round(off_ms / 1_000) })] : []),
  ];
}

export interface BrokerFacts {
  host: string;
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
  const { host, now_ms, latency_ms, problem, certificate, authority_ends_ms, refusal } = facts;
  const authority = authority_ends_ms.length === 0 ? [] : [decideAuthority(Math.max(...authority_ends_ms), now_ms)];
  const of = certificate === null ? [] : [decideCertificate(host, certificate, now_ms)];
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
