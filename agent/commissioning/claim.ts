import { z } from 'zod';
import { type ClaimAnswer, claimAnswerSchema, CONFIG_SECTIONS } from '../../shared/gateway-config.js';
import { gatewayUuidSchema } from '../../shared/ids.js';
import { postToCloud } from './cloud-post.js';
import type { Identity } from './identity.js';
import { parseJson } from '../../shared/json-text-codec.js';
import { isBaseAddress } from '../../shared/server-address.js';
import { systemClock } from '../../shared/system-clock.js';
import { unreachableText } from './unreachable-cloud.js';

/** The answer carries the whole configuration over a mobile network, perhaps with tens of thousands of plates. */
const CLAIM_TIMEOUT_MS = 60_000;
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;
const TRY_LATER = new Set([408, 425, 429]);
/** Network Authentication Required: only somebody in between answers with it. */
const LOGIN_REQUIRED = 511;

const ANOTHER_PLACE =
  'the code is for another gateway or another cloud, where what this device keeps must not go: erase it with parking-agent reset, then claim it';

/** The cloud's envelope of a refusal, and of a success (REST contract, "Envelope"). */
const refusalSchema = z.object({
  success: z.literal(false),
  errors: z.array(z.object({ code: z.number(), message: z.string(), field: z.string().optional() })).min(1),
});
const successSchema = z.object({ success: z.literal(true), data: z.unknown() });

const claimedSchema = claimAnswerSchema.extend({
  mqtt: claimAnswerSchema.shape.mqtt.extend({ username: gatewayUuidSchema }),
});

/**
 * `refused`: asking again with the same code is useless; the cloud itself said so. `unreachable`: the cloud did not answer, could not, or
 * somebody in between answered for it. `claimed`: this device has a cloud already. `busy`: another claim is under way, or was refused a
 * moment ago.
 */
type ClaimProblem = 'refused' | 'unreachable' | 'claimed' | 'busy';

export class ClaimError extends Error {
  readonly reason: ClaimProblem;
  /** The setting that has to be entered anew, where that is known. */
  readonly field: 'code' | 'cloud_url' | null;

  constructor(reason: ClaimProblem, message: string, options: { cause?: unknown; field?: 'cloud_url' } = {}) {
    super(message, options);
    this.name = 'ClaimError';
    this.reason = reason;
    this.field =
      options.field ?? ({ refused: 'code', unreachable: 'cloud_url', claimed: null, busy: null } as const)[reason];
  }
}

/** The result of a claim: the identity with its cloud, and the configuration that the gateway starts with. */
export interface Joined {
  identity: Identity;
  config: ClaimAnswer['config'];
}

/**
 * Enrols this device: `POST /v2/gateways/claim` with a signature over `claim_code.uuid`. It is harmless to ask again with the same code for
 * 15 minutes. Throws ClaimError, or the signal's reason.
 * @param options.again for a gateway that keeps what it has: the key of its cloud. The cloud refuses a code of another gateway, and of
 * another cloud, and leaves it unused
 * @param options.ca PEM of the private authority behind the cloud's certificate; it is kept with the identity
 */
export async function claimGateway(options: {
  identity: Identity;
  cloudUrl: string;
  code: string;
  again?: { cloudKey: string };
  ca?: string;
  signal?: AbortSignal;
}): Promise<Joined> {
  const { identity, cloudUrl, code, again, ca, signal } = options;
  const url = claimUrl(cloudUrl);
  const body = JSON.stringify({
    claim_code: code,
    uuid: identity.uuid,
    public_key: identity.publicKey,
    signature: identity.sign(`${code}.${identity.uuid}`),
    ...(again === undefined ? {} : { again: { uuid: identity.uuid, cloud_key: again.cloudKey } }),
  });
  const claimed = claimedSchema.safeParse(dataOf(url, await ask(url, body, { ca, signal })));
  if (!claimed.success)
    throw new ClaimError('refused', `${url} does not answer as a cloud of this version does`, {
      cause: claimed.error,
      field: 'cloud_url',
    });
  const { mqtt, config } = claimed.data;
  if (again !== undefined && !(mqtt.username === identity.uuid && selfIn(config)?.cloud_key === again.cloudKey))
    throw new ClaimError('refused', ANOTHER_PLACE);
  return { identity: identity.joined({ url: cloudUrl, mqtt, ...(ca === undefined ? {} : { ca }) }), config };
}

function claimUrl(cloudUrl: string): string {
  if (!isBaseAddress(cloudUrl, ['http', 'https'])) {
    const why = 'it begins with http:// or https://, and has no query or fragment';
    throw new ClaimError('refused', `${cloudUrl} is no address of a cloud: ${why}`, { field: 'cloud_url' });
  }
  return `${cloudUrl.replace(/\/+$/, '')}/v2/gateways/claim`;
}

/** Finds what a configuration says of the gateway itself; undefined: nothing yet. */
export function selfIn(config: ClaimAnswer['config']) {
  const self = config.find(({ section }) => section === 'gateway')?.upsert['self'];
  return CONFIG_SECTIONS.gateway.safeParse(self).data;
}

interface Answer {
  status: number;
  /** Where the answer redirects to. */
  location: string | null;
  /** undefined: no JSON. */
  content: unknown;
}

async function ask(
  url: string,
  body: string,
  { ca, signal }: { ca?: string | undefined; signal?: AbortSignal | undefined },
): Promise<Answer> {
  const limit = AbortSignal.timeout(CLAIM_TIMEOUT_MS);
  try {
    const { status, location, text } = await postToCloud(url, {
      body,
      ca,
      bytesMax: ANSWER_BYTES_MAX,
      signal: signal === undefined ? limit : AbortSignal.any([limit, signal]),
    });
    return { status, location, content: parseJson(text) };
  } catch (cause) {
    signal?.throwIfAborted();
    throw new ClaimError('unreachable', unreachableText(url, { cause, nowMs: systemClock.now() }), { cause });
  }
}

/** Returns what a success of the cloud carries. Throws for every other answer, and says what to do about it. */
function dataOf(url: string, { status, location, content }: Answer): unknown {
  const success = successSchema.safeParse(content);
  if (success.success && status >= 200 && status < 300) return success.data.data;
  const refusal = refusalSchema.safeParse(content);
  if (TRY_LATER.has(status) || (status >= 500 && status !== LOGIN_REQUIRED))
    throw new ClaimError('unreachable', `${url} answered ${status}`);
  if (refusal.success && status >= 400) throw refusalOf(status, refusal.data);
  const how = location === null ? 'without the words of a cloud' : `and leads to ${originOf(location)}`;
  // An obstacle may be gone tomorrow, and nobody is there to start the gateway again.
  throw new ClaimError(
    'unreachable',
    `${url} answered ${status} ${how}: a login page or proxy is in between, or this is not the cloud's own address`,
  );
}

function refusalOf(status: number, { errors }: z.infer<typeof refusalSchema>): ClaimError {
  if (errors.some(({ field }) => field === 'again')) return new ClaimError('refused', ANOTHER_PLACE);
  if (status === 404)
    return new ClaimError(
      'refused',
      'the claim code is wrong, used or expired: ask for a new one where the gateway was added',
    );
  const reasons = errors.map(({ field = 'request', message }) => `${field}: ${message}`).join('; ');
  return new ClaimError('refused', `the cloud refused the claim: ${reasons}`);
}

/** A place of a login page is long, and only its beginning says whose it is. */
const originOf = (location: string): string => (URL.canParse(location) ? new URL(location).origin : 'another page');
