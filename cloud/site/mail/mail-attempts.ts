/** Makes attempts: each hands one mail over, with an outcome that follows from the answer. */
import { createBoundedLog } from '../../../shared/bounded-log.js';
import { type Clock, sleep } from '../../../shared/clock.js';
import type { Logger } from '../../../shared/logger.js';
import { decideMailRetry } from './decide-mail-retry.js';
import type { AttemptEnd, MailMeasurement } from './mail-metrics.js';
import type { MailSender, OutgoingMail, SendingAnswer } from './mail-sender.js';
import type { DueMail, MailOutcome } from './mail-turn-queries.js';

/** A mail that is being accepted is not broken off at once when the service stops: it would be sent twice. */
const STOP_AFTER_MS = 5_000;
const REASON_CHARS_MAX = 500;

export interface MailAttemptDeps {
  sender: MailSender;
  /** Writes the mail's text. */
  write: (mail: DueMail) => OutgoingMail;
  clock: Clock;
  random: () => number;
  logger: Logger;
  measurement: MailMeasurement;
}

export interface MailAttempts {
  begin(mail: DueMail): void;
  /** How many are under way. */
  readonly count: number;
  /** Returns the outcomes since the last call. */
  drainOutcomes(): MailOutcome[];
  /** Puts outcomes back that could not be stored. */
  putBack(outcomes: readonly MailOutcome[]): void;
  /** Waits for the attempts under way, then breaks them off; their outcomes say that they are made again. */
  close(): Promise<void>;
}

/** @param onEnded called when there is an outcome to be drained, with whether the mail server could be reached */
export function createMailAttempts(deps: MailAttemptDeps, onEnded: (wasReached: boolean) => void): MailAttempts {
  const { clock, measurement } = deps;
  const running = new Set<Promise<void>>();
  const outcomes: MailOutcome[] = [];
  const stopping = new AbortController();
  const failures = createBoundedLog(deps);

  return {
    begin(mail) {
      const startedAt = clock.monotonic();
      const ended = send(deps, mail, stopping.signal).then((answer) => {
        const { outcome, end } = outcomeOf(deps, mail, { answer, isStopping: stopping.signal.aborted });
        measurement.attempted(end, clock.monotonic() - startedAt);
        logEnd(failures.from(`account ${mail.account_id}`), mail, { reason: outcome.error, end });
        outcomes.push(outcome);
        running.delete(ended);
        onEnded(answer.end !== 'unreached');
      });
      running.add(ended);
    },
    get count() {
      return running.size;
    },
    drainOutcomes: () => outcomes.splice(0),
    putBack: (drained) => void outcomes.unshift(...drained),
    async close() {
      if (running.size === 0) return;
      const limit = new AbortController();
      const tooLong = sleep(clock, STOP_AFTER_MS, limit.signal).catch(() => {});
      await Promise.race([Promise.all(running), tooLong]);
      limit.abort();
      stopping.abort(new Error('The service stopped'));
      await Promise.all(running);
    },
  };
}

async function send(
  { sender, write, logger }: MailAttemptDeps,
  mail: DueMail,
  signal: AbortSignal,
): Promise<SendingAnswer> {
  let written: OutgoingMail;
  try {
    written = write(mail);
  } catch (error) {
    logger.error({ err: error, mail_id: mail.id }, 'A mail could not be written');
    return { end: 'refused', isFinal: false, reason: 'The service could not write the mail' };
  }
  return sender.send(written, signal);
}

function outcomeOf(
  { clock, random }: MailAttemptDeps,
  mail: DueMail,
  { answer, isStopping }: { answer: SendingAnswer; isStopping: boolean },
): { outcome: MailOutcome; end: AttemptEnd } {
  const now = clock.now();
  const base = { id: mail.id, attempt: mail.attempts, next_attempt_at: now };
  if (answer.end === 'accepted') return { outcome: { ...base, status: 'sent', error: null }, end: 'accepted' };
  const error = answer.reason.slice(0, REASON_CHARS_MAX);
  if (isStopping) return { outcome: { ...base, status: 'queued', error }, end: 'stopped' };
  const isFinal = answer.end === 'refused' && answer.isFinal;
  const retryAt = isFinal ? null : decideMailRetry({ beganAt: mail.tries_began_at, now, random: random() });
  if (retryAt !== null)
    return { outcome: { ...base, status: 'queued', error, next_attempt_at: retryAt }, end: 'failed' };
  return { outcome: { ...base, status: 'failed', error }, end: isFinal ? 'refused' : 'given_up' };
}

/** No line names the receiver: a log is read by more people than a mail. */
function logEnd(logger: Logger, mail: DueMail, { reason, end }: { reason: string | null; end: AttemptEnd }): void {
  const fields = { mail_id: mail.id, account_id: mail.account_id, attempt: mail.attempts, reason };
  if (end === 'refused') logger.warn(fields, 'A mail was refused for good');
  else if (end === 'given_up') logger.warn(fields, 'A mail was given up');
  else if (end === 'failed') logger.warn(fields, 'A mail was not accepted, and is tried again');
}
