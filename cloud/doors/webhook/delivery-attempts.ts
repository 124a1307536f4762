/** An attempt at a delivery: one POST as Standard Webhooks defines it, and what its answer means. */
import { type BoundedLog, createBoundedLog } from '../../../shared/bounded-log.js';
import type { Clock } from '../../../shared/clock.js';
import type { Logger } from '../../../shared/logger.js';
import type { DeliveryOutcome, DeliveryRule, MeasureAttempt, RetryPace } from '../../kernel/delivery/entry.js';
import type { EventSpans } from '../../traffic/entry.js';
import { signWebhook } from './signature.js';
import { isSample, messageIdOf } from './webhook-delivery.js';
import type { WebhookAnswer, WebhookSender } from './webhook-sender.js';
import type { DueDelivery, ReceiverAnswer } from './webhook-turn-queries.js';

export interface AttemptDeps {
  sender: WebhookSender;
  /** The secret in clear text. */
  openSecret: (sealed: string) => string;
  /** Signs the image links of a JSON text. */
  signLinks: (json: string) => string;
  clock: Clock;
  logger: Logger;
  measure: MeasureAttempt;
  /** null: nothing is traced. */
  spans: EventSpans | null;
}

/** Seconds apart at first, then minutes, then hours, for three days. */
export const WEBHOOK_RETRIES: RetryPace = {
  firstWaitMs: 5_000,
  longestWaitMs: 6 * 3_600_000,
  growth: 2,
  triesForMs: 3 * 24 * 3_600_000,
};
const ONCE: RetryPace = { ...WEBHOOK_RETRIES, triesForMs: 0 };

const GONE = 410;

/** The metric's words for the ends that it names otherwise. */
const ENDS: Readonly<Partial<Record<WebhookOutcome['end'], string>>> = { accepted: 'acknowledged', refused: 'gone' };

type WebhookOutcome = DeliveryOutcome<DueDelivery, ReceiverAnswer>;

export function webhookAttempts(
  deps: AttemptDeps,
): Pick<DeliveryRule<DueDelivery, ReceiverAnswer>, 'pace' | 'attempt' | 'note'> {
  const { measure, spans } = deps;
  const failures = createBoundedLog(deps);
  return {
    pace: (delivery) => (isSample(delivery) ? ONCE : WEBHOOK_RETRIES),
    attempt: async (delivery, signal) => meaningOf(await post(deps, delivery, signal)),
    note(outcome, took) {
      const end = ENDS[outcome.end] ?? outcome.end;
      measure(end, took.tookMs);
      logEnd(failures, outcome);
      const { webhook_id, attempts: attempt } = outcome.item;
      spans?.add(outcome.item, { name: 'webhook', ...took, attributes: { webhook_id, attempt, outcome: end } });
    },
  };
}

async function post(
  { sender, openSecret, signLinks, clock, logger }: AttemptDeps,
  delivery: DueDelivery,
  signal: AbortSignal,
): Promise<WebhookAnswer> {
  const { webhook_id, event, occurred_at, payload, target } = delivery;
  const timestamp = new Date(occurred_at).toISOString();
  const id = messageIdOf(delivery);
  const timestampS = Math.floor(clock.now() / 1_000);
  try {
    const body = signLinks(`{"type":${JSON.stringify(event)},"timestamp":"${timestamp}","data":${payload}}`);
    const signatures = target.secrets_sealed.map((sealed) => signWebhook(openSecret(sealed), { id, timestampS, body }));
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'parking-cloud',
      'webhook-id': id,
      'webhook-timestamp': String(timestampS),
      'webhook-signature': signatures.join(' '),
    };
    return await sender.post({ url: target.url, headers, body, signal });
  } catch (error) {
    // The webhook's owner reads the delivery log, the operator reads the log of the service.
    logger.error({ err: error, webhook_id }, 'webhook delivery could not be made');
    return { statusCode: null, error: 'The service could not make the delivery' };
  }
}

function meaningOf(answer: WebhookAnswer): ReceiverAnswer {
  const { statusCode } = answer;
  if (statusCode === null) return { end: 'failed', statusCode, reason: answer.error, leftAloneMs: null };
  if (statusCode >= 200 && statusCode < 300) return { end: 'accepted', statusCode };
  const note = statusCode >= 300 && statusCode < 400 ? ': redirects are not followed' : '';
  return {
    end: statusCode === GONE ? 'refused' : 'failed',
    statusCode,
    reason: `Answered ${statusCode}${note}`,
    leftAloneMs: answer.retryAfterMs ?? null,
  };
}

/** The lines are bounded by webhook: an account chooses the address, and could cause any number of failures. */
function logEnd(lines: BoundedLog, { item, answer, end }: WebhookOutcome): void {
  if (answer.end === 'accepted') return;
  const { id: delivery_id, webhook_id, lot_id, event, attempts: attempt } = item;
  const fields = { webhook_id, delivery_id, lot_id, event, attempt, reason: answer.reason };
  const logger = lines.from(`webhook ${webhook_id}`);
  if (end === 'refused') logger.warn(fields, 'webhook switched off: its receiver answered 410');
  else if (end === 'given_up') logger.warn(fields, 'webhook delivery given up');
  else logger.debug(fields, 'webhook delivery failed: it is tried again');
}
