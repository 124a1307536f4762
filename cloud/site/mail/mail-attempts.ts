/** An attempt at a mail: it is handed to the mail server, whose answer decides the outcome. */
import { createBoundedLog } from '../../../shared/bounded-log.js';
import type { Clock } from '../../../shared/clock.js';
import type { Logger } from '../../../shared/logger.js';
import { decideRetry, type RetryPace } from '../../kernel/entry.js';
import type { AttemptEnd, MailMeasurement } from './mail-metrics.js';
import type { MailSender, OutgoingMail, SendingAnswer } from './mail-sender.js';
import type { DueMail, MailOutcome } from './mail-turn-queries.js';

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

const MAIL_RETRIES: RetryPace = {
  firstWaitMs: 10_000,
  longestWaitMs: 3_600_000,
  // A server that asks to come back in five minutes is asked soon after.
  growth: 0.5,
  triesForMs: 2 * 24 * 3_600_000,
};

/**
 * @param onAnswer called at the end of each attempt with whether the mail server could be reached
 * @returns what makes one attempt; it never rejects
 */
export function createMailAttempt(
  deps: MailAttemptDeps,
  onAnswer: (wasReached: boolean) => void,
): (mail: DueMail, signal: AbortSignal) => Promise<MailOutcome> {
  const { clock, measurement } = deps;
  const failures = createBoundedLog(deps);
  return async (mail, signal) => {
    const startedAt = clock.monotonic();
    const answer = await send(deps, mail, signal);
    const { outcome, end } = outcomeOf(deps, mail, { answer, isStopping: signal.aborted });
    measurement.attempted(end, clock.monotonic() - startedAt);
    logEnd(failures.from(`account ${mail.account_id}`), mail, { reason: outcome.error, end });
    onAnswer(answer.end !== 'unreached');
    return outcome;
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
    logger.error({ err: error, mail_id: mail.id }, 'mail could not be written');
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
  const retryAt = isFinal ? null : decideRetry(MAIL_RETRIES, { beganAt: mail.tries_began_at, now, random: random() });
  if (retryAt !== null)
    return { outcome: { ...base, status: 'queued', error, next_attempt_at: retryAt }, end: 'failed' };
  return { outcome: { ...base, status: 'failed', error }, end: isFinal ? 'refused' : 'given_up' };
}

/** Log lines leave out the receiver, because more people read logs than mails. */
function logEnd(logger: Logger, mail: DueMail, { reason, end }: { reason: string | null; end: AttemptEnd }): void {
  const fields = { mail_id: mail.id, account_id: mail.account_id, attempt: mail.attempts, reason };
  if (end === 'refused') logger.warn(fields, 'mail refused for good');
  else if (end === 'given_up') logger.warn(fields, 'mail given up');
  else if (end === 'failed') logger.warn(fields, 'mail not accepted: it is tried again');
}
