/**
 * Hands over what a device recorded before it knew that it is the gateway no more: its broker lets it in no more, so it goes by REST. Its
 * pictures are not taken.
 */
import { z } from 'zod';
import { type Clock, sleep } from '../../shared/clock.js';
import { errorText } from '../../shared/error-text.js';
import { lastRecordsAnswerSchema, lastRecordsAnswerText, lastRecordsText } from '../../shared/gateway-standing.js';
import { parseJson } from '../../shared/json-text-codec.js';
import type { Logger } from '../../shared/logger.js';
import { isSignedBy } from '../../shared/node/signed-text.js';
import type { Ack } from '../../shared/uplink.js';
import type { AgentStore } from '../store/agent-store.js';
import { postToCloud } from './cloud-post.js';
import type { Identity } from './identity.js';

/** So long it waits for a cloud that was there a moment ago; then it is erased all the same. */
const HAND_OVER_WITHIN_MS = 10 * 60_000;
const ANSWER_WITHIN_MS = 20_000;
const ANSWER_BYTES_MAX = 4_096;
const ASK_AGAIN_MS = 5_000;
const LANES = [0, 1] as const;

const envelopeSchema = z.object({ success: z.literal(true), data: lastRecordsAnswerSchema });

interface HandOver {
  identity: Identity;
  /** Raw Ed25519 key, base64url. */
  cloudKey: string;
  store: Pick<AgentStore, 'outboxBatch' | 'acknowledge' | 'startOutboxEpoch'>;
  clock: Clock;
  logger: Logger;
  /** Aborted when the gateway stops: the next start goes on. */
  signal: AbortSignal;
}

/** Resolves when nothing more is taken, or the time is over. Rejects with the signal's reason. */
export async function handOverRecords(of: HandOver): Promise<void> {
  const { store, clock, logger, signal } = of;
  const deadlineMs = clock.monotonic() + HAND_OVER_WITHIN_MS;
  let accepted = 0;
  /** A cloud that was restored, or that has forgotten the numbers, gets them all anew, once. */
  let isRenewed = false;
  try {
    for (const lane of LANES) {
      let after = 0;
      for (;;) {
        const batch = await store.outboxBatch(lane, after);
        if (batch === null) break;
        const ack = await handOver(of, batch.json, deadlineMs);
        if (ack === null) return;
        if (ack.gap || ack.diverged) {
          if (isRenewed) break;
          isRenewed = true;
          await store.startOutboxEpoch();
          after = 0;
          continue;
        }
        await store.acknowledge({ epoch: ack.epoch, lane, seq: ack.seq });
        accepted += Math.max(0, ack.seq - batch.first_seq + 1);
        if (ack.seq <= after) break;
        after = ack.seq;
      }
    }
  } catch (error) {
    signal.throwIfAborted();
    logger.error({ reason: errorText(error) }, 'what was not sent could not be handed over');
  } finally {
    if (accepted > 0)
      logger.warn({ records: accepted }, 'the cloud has taken records of this device, which is the gateway no more');
  }
}

/** Asks until the cloud answers, or the time is over. @returns null: it takes nothing of this device */
async function handOver({ identity, cloudKey, clock, logger, signal }: HandOver, batch: string, deadlineMs: number) {
  for (;;) {
    try {
      return await post({ identity, cloudKey, batch, signal });
    } catch (error) {
      signal.throwIfAborted();
      if (clock.monotonic() + ASK_AGAIN_MS >= deadlineMs) throw error;
      logger.warn({ reason: errorText(error) }, 'what was not sent is not taken yet');
      await sleep(clock, ASK_AGAIN_MS, signal);
    }
  }
}

async function post(of: {
  identity: Identity;
  cloudKey: string;
  batch: string;
  signal: AbortSignal;
}): Promise<Ack | null> {
  const { identity, cloudKey, batch, signal } = of;
  const { uuid, publicKey: public_key, cloud } = identity;
  if (cloud === null) return null;
  const handed = { uuid, public_key, batch };
  const { status, text } = await postToCloud(`${cloud.url.replace(/\/+$/, '')}/v2/gateways/last-records`, {
    body: JSON.stringify({ ...handed, signature: identity.sign(lastRecordsText(handed)) }),
    ca: cloud.ca,
    bytesMax: ANSWER_BYTES_MAX,
    signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_WITHIN_MS)]),
  });
  const answer = envelopeSchema.safeParse(parseJson(text));
  if (!answer.success) throw new Error(`the answer ${status} is not that of a cloud that takes records`);
  const { ack, signature } = answer.data.data;
  if (!isSignedBy(cloudKey, lastRecordsAnswerText(handed, ack), signature))
    throw new Error('the answer is not signed by the cloud of this gateway: somebody else gave it');
  return ack;
}
