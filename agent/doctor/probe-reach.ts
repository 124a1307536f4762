/** Tries to reach cloud and broker as the gateway does, and looks at their certificates. It tells them nothing, and sends no secret. */
import { X509Certificate } from 'node:crypto';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { z } from 'zod';
import { errorText } from '../../shared/error-text.js';
import { parseJson } from '../../shared/json-text-codec.js';
import type { Finding } from '../../shared/doctor/findings.js';
import { type CertificateFacts, type CloudAnswer, decideBroker, decideCloud } from './decide-reach.js';

/** A cloud's own answer is short; more is not read. */
const ANSWER_BYTES_MAX = 4 * 1024;

/** The answer of a cloud to `GET /healthz`. */
const healthySchema = z.object({ success: z.literal(true), data: z.object({ status: z.literal('ok') }) });

export interface ReachDeps {
  /** Wall milliseconds. */
  now(): number;
  /** Milliseconds. */
  monotonic(): number;
}

interface Reached {
  latency_ms: number;
  certificate: CertificateFacts | null;
}

/** Reads the destination of a URL, its host without brackets. */
export function placeOf(
  address: string,
  defaultPorts: Readonly<Record<string, number>>,
): { host: string; port: number; isTls: boolean } {
  const { protocol, hostname, port } = new URL(address);
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? (defaultPorts[protocol] ?? 0) : Number(port),
    isTls: protocol === 'https:' || protocol === 'mqtts:',
  };
}

export async function probeCloud(
  { url, isClockCompared }: { url: string; isClockCompared: boolean },
  { now, monotonic }: ReachDeps,
  signal: AbortSignal,
): Promise<Finding[]> {
  const place = placeOf(url, { 'http:': 80, 'https:': 443 });
  const facts = { host: place.host, now_ms: now(), is_clock_compared: isClockCompared };
  try {
    const certificate = place.isTls ? (await reach(place, null, { monotonic, signal })).certificate : null;
    if (certificate !== null && certificate.problem !== null)
      return decideCloud({ ...facts, certificate, answer: null, problem: certificate.problem });
    try {
      const answer = await askCloud(url, monotonic, signal);
      return decideCloud({ ...facts, now_ms: now(), certificate, answer, problem: null });
    } catch (error) {
      return decideCloud({ ...facts, certificate, answer: null, problem: errorText(error) });
    }
  } catch (error) {
    return decideCloud({ ...facts, certificate: null, answer: null, problem: errorText(error) });
  }
}

async function askCloud(url: string, monotonic: () => number, signal: AbortSignal): Promise<CloudAnswer> {
  const askedMs = monotonic();
  const response = await fetch(`${url.replace(/\/+$/, '')}/healthz`, { redirect: 'manual', signal });
  const latency_ms = Math.round(monotonic() - askedMs);
  const { status, headers } = response;
  const location = headers.get('location');
  const date = Date.parse(headers.get('date') ?? '');
  const is_cloud = status === 200 && healthySchema.safeParse(parseJson(await beginningOf(response))).success;
  const leads = location !== null && URL.canParse(location, url) ? new URL(location, url).origin : null;
  return {
    status,
    is_cloud,
    what: leads === null ? `${status} ${headers.get('content-type') ?? ''}`.trim() : `${status} → ${leads}`,
    latency_ms,
    date_ms: Number.isNaN(date) ? null : date,
  };
}

async function beginningOf(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    // Leaving the loop ends the answer.
    if (text.length > ANSWER_BYTES_MAX) return '';
  }
  return text + decoder.decode();
}

export async function probeBroker(
  broker: { url: string; ca: string | null; refusal: string | null },
  { now, monotonic }: ReachDeps,
  signal: AbortSignal,
): Promise<Finding[]> {
  const place = placeOf(broker.url, { 'mqtt:': 1883, 'mqtts:': 8883 });
  const facts = {
    host: place.host,
    now_ms: now(),
    authority_ends_ms: place.isTls ? endsOf(broker.ca) : [],
    refusal: broker.refusal,
  };
  try {
    const { latency_ms, certificate } = await reach(place, broker.ca, { monotonic, signal });
    return decideBroker({ ...facts, latency_ms, certificate, problem: null });
  } catch (error) {
    return decideBroker({ ...facts, latency_ms: null, certificate: null, problem: errorText(error) });
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

/** Connects, and leaves again at once. With TLS it goes on without trust, to see whose certificate it is, and sends nothing. */
function reach(
  { host, port, isTls }: ReturnType<typeof placeOf>,
  ca: string | null,
  { monotonic, signal }: { monotonic(): number; signal: AbortSignal },
): Promise<Reached> {
  return new Promise((resolve, reject) => {
    const askedMs = monotonic();
    const servername = isIP(host) === 0 ? { servername: host } : {};
    const trust = ca === null ? {} : { ca };
    const socket: Socket | TLSSocket = isTls
      ? connectTls({ host, port, rejectUnauthorized: false, ...trust, ...servername })
      : connectTcp({ host, port });
    const leave = () => {
      signal.removeEventListener('abort', onAbort);
      socket.destroy();
    };
    const onAbort = () => {
      leave();
      reject(new Error('no answer in time'));
    };
    signal.addEventListener('abort', onAbort, { once: true });
    socket.once('error', (error) => {
      leave();
      reject(error);
    });
    socket.once(isTls ? 'secureConnect' : 'connect', () => {
      const certificate = 'getPeerCertificate' in socket ? certificateOf(socket) : null;
      const latency_ms = Math.round(monotonic() - askedMs);
      leave();
      resolve({ latency_ms, certificate });
    });
  });
}

function certificateOf(socket: TLSSocket): CertificateFacts | null {
  const { valid_from, valid_to } = socket.getPeerCertificate();
  if (valid_to === undefined) return null;
  const refused = socket.authorizationError as Error | string | null;
  return {
    from_ms: Date.parse(valid_from),
    to_ms: Date.parse(valid_to),
    problem: socket.authorized ? null : typeof refused === 'string' ? refused : codeOf(refused),
  };
}

const codeOf = (error: Error | null): string =>
  error !== null && 'code' in error && typeof error.code === 'string' ? error.code : errorText(error ?? 'not accepted');
