import { z } from 'zod';
import { type ClaimAnswer, claimAnswerSchema } from '../../shared/gateway-config.js';
import { gatewayUuidSchema } from '../../shared/ids.js';
import type { Identity } from './identity.js';
import { parseJson } from '../../shared/json-text-codec.js';

/** The answer carries the whole configuration over a mobile network, perhaps with tens of thousands of plates. */
const CLAIM_TIMEOUT_MS = 60_000;
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;
const TRY_LATER = new Set([408, 425, 429]);

const refusalSchema = z.object({
  errors: z.array(z.object({ message: z.string(), field: z.string().optional() })).min(1),
});

const claimedSchema = z.object({
  data: claimAnswerSchema.extend({ mqtt: claimAnswerSchema.shape.mqtt.extend({ username: gatewayUuidSchema }) }),
});

/** `refused`: asking again with the same code is useless. `unreachable`: the cloud did not answer, or could not. */
export class ClaimError extends Error {
  readonly reason: 'refused' | 'unreachable';

  constructor(reason: 'refused' | 'unreachable', message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'ClaimError';
    this.reason = reason;
  }
}

/**
 * Enrols this device: `POST /v2/gateways/claim` with a signature over `claim_code.uuid`. Returns the identity with its cloud and the
 * configuration that the gateway starts with. It is harmless to ask again with the same code for 15 minutes.
 * Throws ClaimError, or the signal's reason.
 */
export async function claimGateway(options: {
  identity: Identity;
  cloudUrl: string;
  code: string;
  signal?: AbortSignal;
}): Promise<{ identity: Identity; config: ClaimAnswer['config'] }> {
  const { identity, cloudUrl, code, signal } = options;
  const url = claimUrl(cloudUrl);
  const body = JSON.stringify({
    claim_code: code,
    uuid: identity.uuid,
    public_key: identity.publicKey,
    signature: identity.sign(`${code}.${identity.uuid}`),
  });
  const answer = await ask(url, body, signal);
  expectSuccess(url, answer);
  const claimed = claimedSchema.safeParse(answer.content);
  if (!claimed.success)
    throw new ClaimError('refused', `${url} does not answer as a cloud of this version does`, { cause: claimed.error });
  const { mqtt, config } = claimed.data.data;
  return { identity: identity.joined({ url: cloudUrl, mqtt }), config };
}

function claimUrl(cloudUrl: string): string {
  if (!/^https?:\/\//.test(cloudUrl) || !URL.canParse(cloudUrl))
    throw new ClaimError('refused', `${cloudUrl} is no address of a cloud: it begins with http:// or https://`);
  return `${cloudUrl.replace(/\/+$/, '')}/v2/gateways/claim`;
}

interface Answer {
  status: number;
  /** Where the answer redirects to. */
  location: string | null;
  /** undefined: no JSON. */
  content: unknown;
}

async function ask(url: string, body: string, signal: AbortSignal | undefined): Promise<Answer> {
  const limit = AbortSignal.timeout(CLAIM_TIMEOUT_MS);
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      // A redirect that is followed would become a GET.
      redirect: 'manual',
      signal: signal === undefined ? limit : AbortSignal.any([limit, signal]),
    });
    const { status, headers } = response;
    return { status, location: headers.get('location'), content: parseJson(await readText(response)) };
  } catch (cause) {
    signal?.throwIfAborted();
    throw new ClaimError('unreachable', `${url} did not answer: check the address and the network`, { cause });
  }
}

async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > ANSWER_BYTES_MAX) throw new Error(`the answer is longer than ${ANSWER_BYTES_MAX} bytes`);
  }
  return text + decoder.decode();
}

/** Throws for every answer that is no success, and says what to do about it. */
function expectSuccess(url: string, { status, location, content }: Answer): void {
  if (status >= 500 || TRY_LATER.has(status)) throw new ClaimError('unreachable', `${url} answered ${status}`);
  if (status >= 300 && status < 400)
    throw new ClaimError('refused', `${url} leads elsewhere: give the cloud's own address, as in ${location}`);
  const refusal = refusalSchema.safeParse(content);
  if (status === 404 && refusal.success)
    throw new ClaimError(
      'refused',
      'the claim code is wrong, used or expired: ask for a new one where the gateway was added',
    );
  if (refusal.success) {
    const reasons = refusal.data.errors.map((error) => `${error.field ?? 'request'}: ${error.message}`).join('; ');
    throw new ClaimError('refused', `the cloud refused the claim: ${reasons}`);
  }
  // A hotspot's log-in page or a proxy stands in the way, which may be gone tomorrow.
  if (content === undefined)
    throw new ClaimError(
      'unreachable',
      `${url} answered ${status} and no JSON: check that this is the cloud's address`,
    );
}
