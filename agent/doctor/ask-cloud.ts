/**
 * Asks who answers in the cloud's place. The client is Node's own: fetch hides the answer of a proxy that wants a password, and adds a fifth to
 * the gateway's memory.
 */
import { once } from 'node:events';
import { type IncomingMessage, request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import type { LookupFunction } from 'node:net';
import { z } from 'zod';
import { parseJson } from '../../shared/json-text-codec.js';
import { type CloudAnswer, placeText } from './decide-reach.js';

export const NO_ANSWER = 'no answer in time';

/** A cloud's own answer is short; more is not read. */
const ANSWER_BYTES_MAX = 4 * 1024;

/** The answer of a cloud to `GET /healthz`. */
const healthySchema = z.object({ success: z.literal(true), data: z.object({ status: z.literal('ok') }) });

/**
 * @param of.path of the cloud below its host
 * @throws Error when nobody answers, or the signal aborts
 */
export async function askCloud(
  of: { host: string; port: number; isTls: boolean; path: string; lookup: LookupFunction; ca: string[] | undefined },
  { monotonic, signal }: { monotonic(): number; signal: AbortSignal },
): Promise<CloudAnswer> {
  const { host, port, isTls, path, lookup, ca } = of;
  const askedMs = monotonic();
  const request = (isTls ? requestSecure : requestPlain)({
    host,
    port,
    path: `${path.replace(/\/+$/, '')}/healthz`,
    lookup,
    agent: false,
    signal,
    ...(ca === undefined ? {} : { ca }),
  });
  request.end();
  try {
    const [response] = (await once(request, 'response', { signal })) as [IncomingMessage];
    const latency_ms = Math.round(monotonic() - askedMs);
    return { latency_ms, ...(await answerOf(response, `${isTls ? 'https' : 'http'}://${placeText(of)}`)) };
  } catch (error) {
    throw signal.aborted ? new Error(NO_ANSWER, { cause: error }) : error;
  } finally {
    // Later errors are for nobody.
    request.on('error', () => undefined);
    request.destroy();
  }
}

async function answerOf(response: IncomingMessage, url: string): Promise<Omit<CloudAnswer, 'latency_ms'>> {
  const { statusCode: status = 0, headers } = response;
  const { location } = headers;
  const date = Date.parse(headers.date ?? '');
  const is_cloud = status === 200 && healthySchema.safeParse(parseJson(await beginningOf(response))).success;
  const leads = location !== undefined && URL.canParse(location, url) ? new URL(location, url).origin : null;
  return {
    status,
    is_cloud,
    what: leads === null ? `${status} ${headers['content-type'] ?? ''}`.trim() : `${status} → ${leads}`,
    date_ms: Number.isNaN(date) ? null : date,
  };
}

async function beginningOf(response: IncomingMessage): Promise<string> {
  response.setEncoding('utf8');
  let text = '';
  for await (const chunk of response as AsyncIterable<string>) {
    text += chunk;
    // Leaving the loop ends the answer.
    if (text.length > ANSWER_BYTES_MAX) return '';
  }
  return text;
}
