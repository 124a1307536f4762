/** Keeps a connection to one of the servers of a NATS cluster, and asks the cluster over it. */
import { randomUUID } from 'node:crypto';
import { type BackoffLimits, createLinkWaits } from '../../../shared/backoff.js';
import { type Clock, sleep } from '../../../shared/clock.js';
import type { Logger } from '../../../shared/logger.js';
import { connectNats, type NatsConnection, type NatsLogin, type NatsSubjects } from './nats-connection.js';
import { errorText } from '../../../shared/error-text.js';

const PAUSES: BackoffLimits = { baseMs: 500, maxMs: 5_000 };
/** A connection that ended sooner does not count as a success. */
const GOOD_AFTER_MS = 10_000;

export interface NatsLinkOptions {
  /** Addresses of servers of one cluster (`NatsServer.url`). */
  urls: readonly string[];
  login: NatsLogin;
  ca: string | null;
  /** What is heard on each subject for as long as the link is kept. */
  subjects: NatsSubjects;
  /** Called at each connection after the first. */
  onReturn(): void;
  clock: Clock;
  logger: Logger;
}

export interface NatsLink {
  /**
   * Publishes, and resolves with the answers: at once when `answersMax` have come, else with those that came within `waitMs`, maybe none.
   * Rejects while there is no connection.
   */
  request(subject: string, payload: string, how: { answersMax: number; waitMs: number }): Promise<string[]>;
  close(): Promise<void>;
}

/** @throws when none of the servers lets the cloud in, with the reason of each */
export async function openNatsLink(options: NatsLinkOptions): Promise<NatsLink> {
  const { urls, clock, logger } = options;
  const stop = new AbortController();
  const pauses = createLinkWaits({ limits: PAUSES, goodAfterMs: GOOD_AFTER_MS, clock, random: Math.random });
  let connection: NatsConnection | null = null;

  /** Connects to the first server that can be reached. */
  async function connectToAny(): Promise<NatsConnection> {
    const reasons: string[] = [];
    for (const url of urls) {
      try {
        return await connectNats({ ...options, url }, clock);
      } catch (error) {
        reasons.push(`${url}: ${errorText(error)}`);
      }
    }
    throw new Error(reasons.join('; '));
  }
  async function keep(first: NatsConnection): Promise<void> {
    for (let current: NatsConnection | null = first; current !== null; ) {
      connection = current;
      pauses.opened();
      if (current !== first) options.onReturn();
      const reason: Error = await current.ended;
      connection = null;
      if (stop.signal.aborted) return;
      logger.warn({ reason: errorText(reason) }, 'the connection to NATS ended');
      current = await comeBack();
    }
  }
  async function comeBack(): Promise<NatsConnection | null> {
    for (;;) {
      try {
        await sleep(clock, pauses.lost(), stop.signal);
        const made = await connectToAny();
        if (!stop.signal.aborted) return made;
        made.close();
      } catch (error) {
        if (!stop.signal.aborted) logger.warn({ err: error }, 'NATS cannot be reached');
      }
      if (stop.signal.aborted) return null;
    }
  }
  const kept = keep(await connectToAny());

  return {
    async request(subject, payload, how) {
      if (connection === null) throw new Error('there is no connection to NATS');
      return answersTo(connection, clock, { subject, payload, ...how });
    },
    async close() {
      stop.abort(new Error('closed'));
      connection?.close();
      await kept;
    },
  };
}

async function answersTo(
  over: NatsConnection,
  clock: Clock,
  { subject, payload, answersMax, waitMs }: { subject: string; payload: string; answersMax: number; waitMs: number },
): Promise<string[]> {
  const answers: string[] = [];
  let isEnough: () => void = () => undefined;
  const enough = new Promise<void>((resolve) => {
    isEnough = resolve;
  });
  const inbox = `_INBOX.${randomUUID()}`;
  const subscription = over.subscribe(inbox, (answer) => {
    answers.push(answer);
    if (answers.length >= answersMax) isEnough();
  });
  const timer = clock.setTimer(waitMs, isEnough);
  over.publish(subject, payload, inbox);
  const failure = await Promise.race([enough, over.ended]);
  timer.cancel();
  subscription.cancel();
  if (failure instanceof Error) throw failure;
  return answers;
}
