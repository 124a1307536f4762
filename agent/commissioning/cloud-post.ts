/**
 * Posts to the cloud's REST before the device has a link. The client is Node's own: fetch would add a fifth to the gateway's memory, and knows no
 * private authority that comes with the claim.
 */
import { once } from 'node:events';
import { type IncomingMessage, request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import { pipeline } from 'node:stream';
import { rootCertificates } from 'node:tls';
import { createGunzip } from 'node:zlib';

export interface CloudAnswer {
  status: number;
  /** Where the answer redirects to; it is not followed: whoever stands in between would get what is posted. */
  location: string | null;
  text: string;
}

/**
 * @param of.ca PEM of the authority that is trusted beside the usual ones. Left out: those, and what NODE_EXTRA_CA_CERTS names
 * @param of.bytesMax of the answer
 * @throws Error when nobody answers, the answer is longer, or the signal aborts
 */
export async function postToCloud(
  url: string,
  of: { body: string; ca?: string | undefined; bytesMax: number; signal: AbortSignal },
): Promise<CloudAnswer> {
  const { body, ca, bytesMax, signal } = of;
  const request = (url.startsWith('https:') ? requestSecure : requestPlain)(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'accept-encoding': 'gzip',
    },
    ...(ca === undefined ? {} : { ca: [...rootCertificates, ca] }),
    agent: false,
    signal,
  });
  request.end(body);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const text = await textOf(response, bytesMax);
  return { status: response.statusCode ?? 0, location: response.headers.location ?? null, text };
}

async function textOf(response: IncomingMessage, bytesMax: number): Promise<string> {
  const isPacked = response.headers['content-encoding'] === 'gzip';
  const stream = isPacked ? pipeline(response, createGunzip(), () => undefined) : response;
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw new Error(`the answer is longer than ${bytesMax} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
