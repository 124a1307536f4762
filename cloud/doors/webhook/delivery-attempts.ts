/** An attempt at a delivery: one POST as Standard Webhooks defines it, and the outcome that follows from its answer. */
import { type BoundedLog, createBoundedLog } from '../../../shared/bounded-log.js';
import type { Clock } from '../../../shared/clock.js';
import type { Logger } from '../../../shared/logger.js';
import { startWatch } from '../../../shared/tracer.js';
import type { EventSpans } from '../../traffic/entry.js';
import type { DeliveryOutcome, DueDelivery, WebhookTarget } from './webhook-turn-queries.js';
import { decideRetry, type RetryPace } from '../../kernel/entry.js';
import { type AttemptEnd, UNMEASURED, type WebhookMeasurement } from './webhook-metrics.js';
import { isSample, messageIdOf } from './webhook-payload.js';
import { signWebhook } from './signature.js';
import type { WebhookAnswer, WebhookSender } from './webhook-sender.js';

export interface AttemptDeps {
  sender: WebhookSender;
  /** The secret in clear text. */
  openSecret: (sealed: string) => string;
  /** Signs the image links of a JSON text. */
  signLinks: (json: string) => string;
  clock: Clock;
  random: () => number;
  logger: Logger;
  /** Left out: nothing is measured. */
  measurement?: WebhookMeasurement;
  /** Left out: nothing is traced. */
  spans?: EventSpans | undefined;
}

/** A delivery and its receiver. */
export interface Attempt {
  target: WebhookTarget;
  delivery: DueDelivery;
}

/** Seconds apart at first, then minutes, then hours, for three days. */
export const WEBHOOK_RETRIES: RetryPace = {
  firstWaitMs: 5_000,
  longestWaitMs: 6 * 3_600_000,
  growth: 2,
  triesForMs: 3 * 24 * 3_600_000,
};

const GONE = 410;

/** @returns what makes one attempt; it never rejects */
export function createDeliveryAttempt(
  deps: AttemptDeps,
): (attempt: Attempt, signal: AbortSignal) => Promise<DeliveryOutcome> {
  const { clock, spans, measurement = UNMEASURED } = deps;
  const failures = createBoundedLog(deps);
  return async (attempt, signal) => {
    const watch = startWatch(clock);
    const answer = await post(deps, attempt, signal);
    const { outcome, end } = outcomeOf(deps, attempt, { answer, isStopping: signal.aborted });
    const took = watch();
    measurement.attempted(end, took.tookMs);
    logEnd(failures, attempt, { outcome, end });
    const { webhook_id, attempt: tries } = attempt.delivery;
    spans?.add(attempt.delivery, {
      name: 'webhook',
      ...took,
      attributes: { webhook_id, attempt: tries, outcome: end },
    });
    return outcome;
  };
}

async function post(
  { sender, openSecret, signLinks, clock, logger }: AttemptDeps,
  { target, delivery }: Attempt,
  signal: AbortSignal,
): Promise<WebhookAnswer> {
  const { webhook_id, event, occurred_at, payload } = delivery;
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

function outcomeOf(
  { clock, random }: AttemptDeps,
  { target, delivery }: Attempt,
  { answer, isStopping }: { answer: WebhookAnswer; isStopping: boolean },
): { outcome: DeliveryOutcome; end: AttemptEnd } {
  const { id, webhook_id, tries_began_at } = delivery;
  const now = clock.now();
  const base = { id, webhook_id, url: target.url, status_code: answer.statusCode };
  if (answer.statusCode !== null && answer.statusCode >= 200 && answer.statusCode < 300) {
    return { outcome: { ...base, error: null, next_attempt_at: null, disabled: null }, end: 'acknowledged' };
  }
  const error = answer.statusCode === null ? answer.error : errorOf(answer.statusCode);
  if (answer.statusCode === GONE) {
    const disabled = 'The webhook was switched off: its receiver is gone';
    return { outcome: { ...base, error, next_attempt_at: null, disabled }, end: 'gone' };
  }
  const leftAloneMs = answer.statusCode === null ? null : (answer.retryAfterMs ?? null);
  const retryAt = () =>
    isSample(delivery)
      ? null
      : decideRetry(WEBHOOK_RETRIES, { beganAt: tries_began_at, now, random: random(), leftAloneMs });
  const next_attempt_at = isStopping ? now : retryAt();
  const end = isStopping ? 'stopped' : next_attempt_at === null ? 'given_up' : 'failed';
  return { outcome: { ...base, error, next_attempt_at, disabled: null }, end };
}

/** The lines are bounded by webhook: an account chooses the address, and could cause any number of failures. */
function logEnd(
  lines: BoundedLog,
  { delivery }: Attempt,
  { outcome, end }: { outcome: DeliveryOutcome; end: AttemptEnd },
): void {
  const { id: delivery_id, webhook_id, lot_id, event, attempt } = delivery;
  const fields = { webhook_id, delivery_id, lot_id, event, attempt, reason: outcome.error };
  const logger = lines.from(`webhook ${webhook_id}`);
  if (end === 'gone') logger.warn(fields, 'webhook switched off: its receiver answered 410');
  else if (end === 'given_up') logger.warn(fields, 'webhook delivery given up');
  else if (end !== 'acknowledged') logger.debug(fields, 'webhook delivery failed: it is tried again');
}

const errorOf = (statusCode: number): string =>
  statusCode >= 300 && statusCode < 400
    ? `Answered ${statusCode}: redirects are not followed`
    : `Answered ${statusCode}`;
