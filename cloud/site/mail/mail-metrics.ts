/** Measures mails: what waits, what came of attempts, and how long those took. */
import { Histogram, type Registry } from 'prom-client';
import {
  addDatabaseGauges,
  addWaitingGauges,
  type CloudStore,
  type DatabaseGaugeDeps,
  OUTSIDE_S,
} from '../../kernel/entry.js';
import { countFailedMails, waitingMails } from './mail-queries.js';

/** What came of an attempt. `refused`: for good; `given_up`: it was the last one; `stopped`: the service stops, and it is made again. */
export type AttemptEnd = 'accepted' | 'failed' | 'refused' | 'given_up' | 'stopped';

export interface MailMeasurement {
  attempted(end: AttemptEnd, tookMs: number): void;
}

export function createMailMeasurement(registry: Registry): MailMeasurement {
  const attempts = new Histogram({
    name: 'parking_mail_attempt_seconds',
    help: 'How long the mail server needed to accept a mail or not; refused: for good, given_up: it was the last attempt',
    labelNames: ['outcome'],
    buckets: OUTSIDE_S,
    registers: [registry],
  });
  return { attempted: (outcome, tookMs) => attempts.observe({ outcome }, tookMs / 1_000) };
}

/** Measures the mails that wait, and those that failed lately. */
export function measureMails(
  store: Pick<CloudStore, 'reader'>,
  deps: DatabaseGaugeDeps & { clock: { now(): number } },
): void {
  addWaitingGauges(deps, () => waitingMails(store.reader), {
    name: 'parking_mails_waiting',
    what: 'Mails that were neither sent nor given up',
  });
  addDatabaseGauges(deps, async () => ({ failed: await countFailedMails(store.reader) }), {
    failed: { name: 'parking_mails_failed', help: 'Mails of the last 30 days that were given up or refused for good' },
  });
}
