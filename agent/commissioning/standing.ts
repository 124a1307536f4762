/** Asks the cloud whether this device still is the gateway that it was claimed as, and believes only what the cloud has signed. */
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '../../shared/clock.js';
import { errorText } from '../../shared/error-text.js';
import {
  type Standing,
  standingAnswerSchema,
  standingAnswerText,
  standingQuestionText,
  STANDINGS_ENDED,
  type StandingEnded,
} from '../../shared/gateway-standing.js';
import { parseJson } from '../../shared/json-text-codec.js';
import type { Logger } from '../../shared/logger.js';
import { isSignedBy } from '../../shared/node/signed-text.js';
import { postToCloud } from './cloud-post.js';
import type { Identity } from './identity.js';

const ANSWER_WITHIN_MS = 20_000;
const ANSWER_BYTES_MAX = 4_096;
/** A broker that refuses for another reason is asked for again and again. */
const ASK_AGAIN_MS = 60_000;
const NONCE_BYTES = 32;
/** A person waits for the erasure, whether the cloud is there or not. */
const LEAVE_WITHIN_MS = 5_000;

const envelopeSchema = z.object({ success: z.literal(true), data: standingAnswerSchema });

interface StandingAsked {
  identity: Identity;
  /** Raw Ed25519 key, base64url. */
  cloudKey: string;
  waiting: number;
  /** Whether the cloud shall let this device in no more. */
  leaves: boolean;
  withinMs?: number;
}

/** @throws Error when the cloud did not answer, or somebody else did */
export async function askStanding({
  identity,
  cloudKey,
  waiting,
  leaves,
  withinMs = ANSWER_WITHIN_MS,
}: StandingAsked): Promise<Standing> {
  const { uuid, publicKey: public_key, cloud } = identity;
  if (cloud === null) throw new Error('this device is not claimed');
  const asked = { uuid, public_key, nonce: randomBytes(NONCE_BYTES).toString('base64url'), waiting, leaves };
  const { status, text } = await postToCloud(`${cloud.url.replace(/\/+$/, '')}/v2/gateways/standing`, {
    body: JSON.stringify({ ...asked, signature: identity.sign(standingQuestionText(asked)) }),
    ca: cloud.ca,
    bytesMax: ANSWER_BYTES_MAX,
    signal: AbortSignal.timeout(withinMs),
  });
  const answer = envelopeSchema.safeParse(parseJson(text));
  if (!answer.success) throw new Error(`the answer ${status} is not that of a cloud`);
  const { standing, signature } = answer.data.data;
  if (!isSignedBy(cloudKey, standingAnswerText(asked, standing), signature))
    throw new Error('the answer is not signed by the cloud of this gateway: somebody else gave it');
  return standing;
}

/**
 * Tells the cloud, if this device has one, that it is erased and shall be let in no more.
 * @param of.cloudKey undefined: the cloud has not told it, and its answer could not be believed
 * @throws as `askStanding` does
 */
export async function leaveCloud(of: {
  identity: Identity;
  cloudKey: string | undefined;
  waiting: number;
}): Promise<void> {
  const { identity, cloudKey, waiting } = of;
  if (identity.cloud === null || cloudKey === undefined) return;
  await askStanding({ identity, cloudKey, waiting, leaves: true, withinMs: LEAVE_WITHIN_MS });
}

export interface StandingWatch {
  /** The broker refuses this device: perhaps it is the gateway no more. */
  brokerRefused(): void;
  /** Nothing ends any more; the next start asks again. */
  close(): void;
}

/** @param deps.cloudKey undefined: the cloud has not told it yet, and nothing can be asked */
export function createStandingWatch(deps: {
  identity: Identity;
  cloudKey: () => string | undefined;
  waiting: () => Promise<number>;
  /** Hands over what was not sent, before the end. Rejects when the signal aborts. */
  handOver: (cloudKey: string, signal: AbortSignal) => Promise<void>;
  onEnded: (why: StandingEnded) => void;
  clock: Clock;
  logger: Logger;
}): StandingWatch {
  const { identity, clock, logger } = deps;
  let nextMs = Number.NEGATIVE_INFINITY;
  let isEnding = false;
  const closing = new AbortController();

  async function ask(cloudKey: string): Promise<void> {
    const waiting = await deps.waiting();
    const standing = await askStanding({ identity, cloudKey, waiting, leaves: false });
    const why = STANDINGS_ENDED.find((each) => each === standing);
    if (why === undefined) return;
    if (isEnding || closing.signal.aborted) return;
    isEnding = true;
    logger.error({ why, waiting }, 'the cloud says that this device is the gateway no more');
    try {
      if (waiting > 0) await deps.handOver(cloudKey, closing.signal);
    } finally {
      isEnding = false;
    }
    deps.onEnded(why);
  }

  return {
    brokerRefused() {
      const cloudKey = deps.cloudKey();
      if (cloudKey === undefined || isEnding || clock.monotonic() < nextMs) return;
      nextMs = clock.monotonic() + ASK_AGAIN_MS;
      ask(cloudKey).catch((error: unknown) =>
        logger.warn({ reason: errorText(error) }, 'the broker refuses this gateway, and the cloud cannot be asked why'),
      );
    },
    close: () => closing.abort(new Error('the gateway is stopping')),
  };
}
