/** Makes attempts: each is one POST as Standard Webhooks has it, with an outcome that follows from its answer. */
import { setMaxListeners } from 'node:events';
import { type BoundedLog, createBoundedLog } from '../../../shared/bounded-log.js';
import type { Clock } from '../../../shared/clock.js';
import type { Logger } from '../../../shared/logger.js';
import { startWatch } from '../../../shared/tracer.js';
import type { EventSpans } from '../../traffic/entry.js';
import type { DeliveryOutcome, DueDelivery, WebhookTarget } from './webhook-turn-queries.js';
import { decideRetry } from './decide-retry.js';
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
  const { clock, measurement = UNMEASURED } = deps;
  const givenUp = createBoundedLog(deps);
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
      const watch = startWatch(clock);
      const ended = post(deps, attempt, stopping.signal).then((answer) => {
        markFree(attempt.delivery);
        const { outcome, end } = outcomeOf(deps, attempt, { answer, isStopping: stopping.signal.aborted });
        const took = watch();
        measurement.attempted(end, took.tookMs);
        logEnd(givenUp, attempt, { outcome, end });
        const { webhook_id, attempt: tries } = attempt.delivery;
        const attributes = { webhook_id, attempt: tries, outcome: end };
        deps.spans?.add(attempt.delivery, { name: 'webhook', ...took, attributes });
        outcomes.push(outcome);
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
    isSample(delivery) ? null : decideRetry({ beganAt: tries_began_at, now, random: random(), leftAloneMs });
  const next_attempt_at = isStopping ? now : retryAt();
  const end = isStopping ? 'stopped' : next_attempt_at === null ? 'given_up' : 'failed';
  return { outcome: { ...base, error, next_attempt_at, disabled: null }, end };
}

/** An account decides where its webhooks go, and so how many of these lines there are. */
function logEnd(
  lines: BoundedLog,
  { delivery }: Attempt,
  { outcome, end }: { outcome: DeliveryOutcome; end: AttemptEnd },
): void {
  const { id: delivery_id, webhook_id, lot_id, event, attempt } = delivery;
  const fields = { webhook_id, delivery_id, lot_id, event, attempt, reason: outcome.error };
  const logger = lines.from(`webhook ${webhook_id}`);
  if (end === 'gone') logger.warn(fields, 'Webhook switched off: its receiver answered 410');
  else if (end === 'given_up') logger.warn(fields, 'Webhook delivery given up');
  else if (end !== 'acknowledged') logger.debug(fields, 'Webhook delivery failed, and is tried again');
}

const errorOf = (statusCode: number): string =>
  statusCode >= 300 && statusCode < 400
    ? `Answered ${statusCode}: redirects are not followed`
    : `Answered ${statusCode}`;
