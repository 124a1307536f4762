/** Makes attempts: each is one POST as Standard Webhooks has it, with an outcome that follows from its answer. */
import { setMaxListeners } from 'node:events';
import type { Clock } from '../../shared/clock.js';
import type { Logger } from '../../shared/logger.js';
import type { DeliveryOutcome, DueDelivery, WebhookTarget } from './webhook-turn-queries.js';
import { decideRetry } from './decide-retry.js';
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
}

/** A delivery and its receiver. */
export interface Attempt {
  target: WebhookTarget;
  delivery: DueDelivery;
}

export interface DeliveryAttempts {
  begin(attempt: Attempt): void;
  /** How many are under way. */
  readonly count: number;
  /** Lists the lots of a webhook's attempts under way: a lot has one at a time. */
  lotsOf(webhookId: number): readonly number[];
  /** Returns the outcomes since the last call. */
  drainOutcomes(): DeliveryOutcome[];
  /** Puts outcomes back that could not be stored. */
  putBack(outcomes: readonly DeliveryOutcome[]): void;
  /** Breaks off the attempts under way; their outcomes say that they must be made again at once. */
  close(): Promise<void>;
}

const GONE = 410;

/** @param onEnded called when there is an outcome to be drained */
export function createDeliveryAttempts(deps: AttemptDeps, onEnded: () => void): DeliveryAttempts {
  const lotsByWebhook = new Map<number, Set<number>>();
  const running = new Set<Promise<void>>();
  const outcomes: DeliveryOutcome[] = [];
  const stopping = new AbortController();
  // Each attempt adds a listener; the dispatcher limits how many there are.
  setMaxListeners(0, stopping.signal);

  const markBusy = ({ webhook_id, lot_id }: DueDelivery): void => {
    lotsByWebhook.set(webhook_id, (lotsByWebhook.get(webhook_id) ?? new Set()).add(lot_id));
  };
  const markFree = ({ webhook_id, lot_id }: DueDelivery): void => {
    const lots = lotsByWebhook.get(webhook_id);
    lots?.delete(lot_id);
    if (lots?.size === 0) lotsByWebhook.delete(webhook_id);
  };

  return {
    begin(attempt) {
      markBusy(attempt.delivery);
      const ended = post(deps, attempt, stopping.signal).then((answer) => {
        markFree(attempt.delivery);
        outcomes.push(outcomeOf(deps, attempt, { answer, isStopping: stopping.signal.aborted }));
        running.delete(ended);
        onEnded();
      });
      running.add(ended);
    },
    get count() {
      return running.size;
    },
    lotsOf: (webhookId) => [...(lotsByWebhook.get(webhookId) ?? [])],
    drainOutcomes: () => outcomes.splice(0),
    putBack: (drained) => void outcomes.unshift(...drained),
    async close() {
      stopping.abort(new Error('The service stopped'));
      await Promise.all(running);
    },
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
    logger.error({ err: error, webhook_id }, 'Webhook delivery could not be made');
    return { statusCode: null, error: 'The service could not make the delivery' };
  }
}

function outcomeOf(
  { clock, random, logger }: AttemptDeps,
  { target, delivery }: Attempt,
  { answer, isStopping }: { answer: WebhookAnswer; isStopping: boolean },
): DeliveryOutcome {
  const { id, webhook_id, attempt, event, tries_began_at } = delivery;
  const now = clock.now();
  const base = { id, webhook_id, url: target.url, status_code: answer.statusCode };
  if (answer.statusCode !== null && answer.statusCode >= 200 && answer.statusCode < 300) {
    return { ...base, error: null, next_attempt_at: null, disabled: null };
  }
  const error = answer.statusCode === null ? answer.error : errorOf(answer.statusCode);
  if (answer.statusCode === GONE) {
    logger.warn({ webhook_id, event }, 'Webhook switched off: its receiver answered 410');
    return { ...base, error, next_attempt_at: null, disabled: 'The webhook was switched off: its receiver is gone' };
  }
  const retryAt = () => (isSample(delivery) ? null : decideRetry({ beganAt: tries_began_at, now, random: random() }));
  const next = isStopping ? now : retryAt();
  if (next === null) logger.warn({ webhook_id, event, attempt, reason: error }, 'Webhook delivery given up');
  else logger.debug({ webhook_id, event, attempt, reason: error }, 'Webhook delivery failed, and is tried again');
  return { ...base, error, next_attempt_at: next, disabled: null };
}

const errorOf = (statusCode: number): string =>
  statusCode >= 300 && statusCode < 400
    ? `Answered ${statusCode}: redirects are not followed`
    : `Answered ${statusCode}`;
