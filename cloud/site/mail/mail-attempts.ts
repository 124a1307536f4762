/** An attempt at a mail: it is handed to the mail server, whose answer decides what comes of it. */
import { createBoundedLog } from '../../../shared/bounded-log.js';
import type { Clock } from '../../../shared/clock.js';
import type { Logger } from '../../../shared/logger.js';
import type { DeliveryAnswer, DeliveryRule, MeasureAttempt, RetryPace } from '../../kernel/delivery/entry.js';
import type { MailSender, OutgoingMail, SendingAnswer } from './mail-sender.js';
import type { DueMail } from './mail-turn-queries.js';

const REASON_CHARS_MAX = 500;

export interface MailAttemptDeps {
  sender: MailSender;
  /** Writes the mail's text. */
  write: (mail: DueMail) => OutgoingMail;
  clock: Clock;
  logger: Logger;
  measure: MeasureAttempt;
}

const MAIL_RETRIES: RetryPace = {
  firstWaitMs: 10_000,
  longestWaitMs: 3_600_000,
  // A server that asks to come back in five minutes is asked soon after.
  growth: 0.5,
  triesForMs: 2 * 24 * 3_600_000,
};

const MESSAGES: Readonly<Record<string, string>> = {
  refused: 'mail refused for good',
  given_up: 'mail given up',
  failed: 'mail not accepted: it is tried again',
};

/** @param judge called at the end of each attempt: what the answer says in the light of those before it */
export function mailAttempts(
  deps: MailAttemptDeps,
  judge: (mail: DueMail, answer: SendingAnswer) => SendingAnswer,
): Pick<DeliveryRule<DueMail, DeliveryAnswer>, 'pace' | 'attempt' | 'note'> {
  const failures = createBoundedLog(deps);
  return {
    pace: () => MAIL_RETRIES,
    async attempt(mail, signal) {
      const answer = judge(mail, await send(deps, mail, signal));
      if (answer.end === 'accepted') return answer;
      const isFinal = answer.end === 'refused' && answer.isFinal;
      const reason = answer.reason.slice(0, REASON_CHARS_MAX);
      return { end: isFinal ? 'refused' : 'failed', reason, leftAloneMs: null };
    },
    /** Log lines leave out the receiver, because more people read logs than mails. */
    note({ item: { id: mail_id, account_id, attempts: attempt }, answer, end }, { tookMs }) {
      deps.measure(end, tookMs);
      const message = MESSAGES[end];
      if (answer.end === 'accepted' || message === undefined) return;
      failures.from(`account ${account_id}`).warn({ mail_id, account_id, attempt, reason: answer.reason }, message);
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
    logger.error({ err: error, mail_id: mail.id }, 'mail could not be written');
    return { end: 'refused', isFinal: false, reason: 'The service could not write the mail', words: null };
  }
  return sender.send(written, signal);
}
