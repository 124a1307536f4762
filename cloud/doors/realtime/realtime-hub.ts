import type { Clock } from '../../../shared/clock.js';
import { groupBy } from '../../../shared/grouping.js';
import type { Logger } from '../../../shared/logger.js';
import { startWatch } from '../../../shared/tracer.js';
import { type Caller, type CloudStore, eventsAfter, type TokenReference } from '../../kernel/entry.js';
import type { EventSpans, ImageLinks } from '../../traffic/entry.js';
import { type Audience, createAudience } from './audience.js';
import { watchCallers } from './caller-watch.js';
import { type Connection, type ConnectionLimits, openConnection } from './connection.js';
import { type FedEvent, startEventFeed } from './event-feed.js';
import { outgoingEvent } from './outgoing-event.js';
import { CLOSE_RESTART } from './realtime-frames.js';
import { type RealtimeMeasurement, UNMEASURED } from './realtime-metrics.js';
import { createPacedPush } from './paced-push.js';
import type { RealtimeSocket } from './realtime-socket.js';
import type { Journal } from './replay.js';

/** All open realtime connections of this process, and the events on their way to them. */
export interface RealtimeHub {
  /** Resolves when connections that are opened from then on miss nothing. */
  readonly ready: Promise<void>;
  /** Opens a connection for an accepted token. */
  open(socket: RealtimeSocket, caller: Caller, cursor: number | 'unknown' | null): Connection;
  /** Closes the connections of revoked tokens (4401). */
  closeTokens(tokens: readonly TokenReference[]): void;
  /** Asks the database whether the tokens still exist and which lots their users have now. It also runs by itself. */
  checkCallers(): Promise<void>;
  /** The same, now: a failure is logged, and what was missed is found the next time. */
  followLots(): Promise<void>;
  readonly size: number;
  close(): void;
}

export function createRealtimeHub(deps: {
  store: CloudStore;
  imageLinks: ImageLinks;
  clock: Clock;
  logger: Logger;
  limits: ConnectionLimits;
  /** Left out: nothing is measured. */
  measurement?: RealtimeMeasurement;
  /** Left out: nothing is traced. */
  spans?: EventSpans | undefined;
}): RealtimeHub {
  const { store, imageLinks, clock, logger, limits, measurement = UNMEASURED, spans } = deps;
  /** By account. */
  const audiences = new Map<number, Audience>();
  /** By account: the newest event that its connections were sent. A connection that opens now gets all that follow it. */
  const sentUpTo = new Map<number, number>();

  const journal: Journal = {
    after: async (scope, cursor, limit) =>
      (await eventsAfter(store.reader, { scope, cursor, limit }))?.map((row) => outgoingEvent(row, imageLinks)) ?? null,
  };

  const paced = createPacedPush<FedEvent>({
    clock,
    send(pushed) {
      const watch = startWatch(clock);
      for (const [accountId, events] of groupBy(pushed, ({ account_id }) => account_id)) {
        const last = events.findLast(({ id }) => id !== null)?.id;
        if (typeof last === 'number') sentUpTo.set(accountId, last);
        audiences.get(accountId)?.push(events.map((event) => outgoingEvent(event, imageLinks)));
      }
      const heard = pushed.filter(({ account_id }) => audiences.has(account_id));
      measurement.pushed(heard.map(({ created_at }) => clock.now() - created_at));
      for (const event of spans === undefined ? [] : heard) {
        const connections = audiences.get(event.account_id)?.size ?? 0;
        spans?.add(event, { name: 'push', ...watch(), attributes: { event: event.event, connections } });
      }
    },
    onError: (error) => logger.error({ err: error }, 'Events could not be pushed to the realtime connections'),
  });
  const feed = startEventFeed({
    store,
    clock,
    logger,
    deliver: paced.push,
    // What waits is pushed first.
    isWanted: (accountId) => audiences.has(accountId) || paced.isWaiting,
    passed: (accountId, upTo) => void sentUpTo.set(accountId, upTo),
  });

  const audienceOf = (accountId: number) => {
    const audience = audiences.get(accountId) ?? createAudience(limits.bufferedBytesMax);
    audiences.set(accountId, audience);
    return audience;
  };

  const callers = watchCallers({ store, clock, logger });

  return {
    ready: feed.ready,
    open(socket, caller, cursor) {
      const audience = audienceOf(caller.account_id);
      const connection = openConnection({
        socket,
        caller,
        cursor,
        liveCursor: () => sentUpTo.get(caller.account_id) ?? feed.beganAfter(caller.account_id),
        journal,
        clock,
        logger,
        limits,
        onScope: audience.place,
        onTooSlow: measurement.tooSlow,
        onEnded: () => {
          audience.delete(connection);
          if (audience.size === 0) audiences.delete(caller.account_id);
          callers.delete(connection);
        },
      });
      callers.add(connection);
      return connection;
    },
    closeTokens: callers.closeTokens,
    checkCallers: callers.check,
    followLots: callers.follow,
    get size() {
      return [...audiences.values()].reduce((sum, { size }) => sum + size, 0);
    },
    close() {
      callers.close();
      feed.close();
      paced.close();
      for (const connection of [...audiences.values()].flatMap((audience) => [...audience])) {
        connection.close(CLOSE_RESTART, 'the service stops: connect again');
      }
    },
  };
}
