import type { Clock } from '../../../shared/clock.js';
import { groupBy } from '../../../shared/grouping.js';
import type { Logger } from '../../../shared/logger.js';
import { startWatch } from '../../../shared/tracer.js';
import type { Caller, TokenReference } from '../../kernel/auth/entry.js';
import { type CloudStore, eventsAfter } from '../../kernel/store/entry.js';
import { lotsOfAccount } from '../../site/entry.js';
import type { EventSpans, ImageLinks } from '../../traffic/entry.js';
import { type Audience, createAudience } from './audience.js';
import { watchCallers } from './caller-watch.js';
import { type Connection, type ConnectionLimits, openConnection } from './connection.js';
import { type FedEvent, startEventFeed } from './event-feed.js';
import { outgoingEvent } from './outgoing-event.js';
import { CLOSE_RESTART } from './realtime-frames.js';
import type { RealtimeMeasurement } from './realtime-metrics.js';
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
  /** The same, but a failure is logged, and the next check repeats what was missed. */
  followLots(): Promise<void>;
  readonly size: number;
  close(): void;
}

interface RealtimeHubDeps {
  store: CloudStore;
  imageLinks: ImageLinks;
  clock: Clock;
  logger: Logger;
  limits: ConnectionLimits;
  measurement: RealtimeMeasurement;
  /** null: nothing is traced. */
  spans: EventSpans | null;
}

export function createRealtimeHub(deps: RealtimeHubDeps): RealtimeHub {
  const { store, imageLinks, clock, logger, measurement } = deps;
  const audiences = createAudiences(deps);
  const journal: Journal = {
    after: async (scope, cursor, limit) =>
      (await eventsAfter(store.reader, { scope, cursor, limit }))?.map((row) => outgoingEvent(row, imageLinks)) ?? null,
  };
  const paced = createPacedPush<FedEvent>({
    clock,
    send: audiences.push,
    onError: (error) => logger.error({ err: error }, 'events could not be pushed to the realtime connections'),
  });
  const feed = startEventFeed({
    store,
    clock,
    logger,
    deliver: paced.push,
    // While pushes wait, the events of every account are read, because their order is kept.
    isWanted: (accountId) => audiences.has(accountId) || paced.isWaiting,
    passed: audiences.notePassed,
  });
  const callers = watchCallers({ store, clock, logger });

  return {
    ready: feed.ready,
    open(socket, caller, cursor) {
      const { account_id } = caller;
      const connection = openConnection({
        ...deps,
        socket,
        caller,
        cursor,
        liveCursor: () => audiences.sentUpTo(account_id) ?? feed.beganAfter(account_id),
        journal,
        lotsOfAccount: (accountId, ids) => lotsOfAccount(store.reader, { account_id: accountId, ids }),
        onScope: audiences.place,
        onTooSlow: measurement.tooSlow,
        onEnded: () => {
          audiences.delete(connection);
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
      return audiences.size;
    },
    close() {
      callers.close();
      feed.close();
      paced.close();
      for (const connection of audiences.connections()) {
        connection.close(CLOSE_RESTART, 'the service stops: connect again');
      }
    },
  };
}

/** The audiences of all accounts that have connections, and how far each account's events were pushed. */
function createAudiences({ imageLinks, clock, limits, measurement, spans }: RealtimeHubDeps) {
  const byAccount = new Map<number, Audience>();
  /** By account: the newest event that its connections were sent. A connection that opens now gets all that follow it. */
  const sentUpTo = new Map<number, number>();

  return {
    get size() {
      return [...byAccount.values()].reduce((sum, { size }) => sum + size, 0);
    },
    has: (accountId: number) => byAccount.has(accountId),
    sentUpTo: (accountId: number) => sentUpTo.get(accountId),
    /** Notes that the account had events up to this one, to which nobody listened. */
    notePassed: (accountId: number, upTo: number) => void sentUpTo.set(accountId, upTo),
    connections: (): Connection[] => [...byAccount.values()].flatMap((audience) => [...audience]),
    /** Adds a connection, or notes that its `unfiltered` has changed. */
    place(connection: Connection): void {
      const { account_id } = connection.caller;
      const audience = byAccount.get(account_id) ?? createAudience(limits.bufferedBytesMax);
      byAccount.set(account_id, audience);
      audience.place(connection);
    },
    delete(connection: Connection): void {
      const { account_id } = connection.caller;
      const audience = byAccount.get(account_id);
      audience?.delete(connection);
      if (audience?.size === 0) byAccount.delete(account_id);
    },
    /** Pushes events to the connections of their accounts. */
    push(events: readonly FedEvent[]): void {
      const watch = startWatch(clock);
      for (const [accountId, ofAccount] of groupBy(events, ({ account_id }) => account_id)) {
        const last = ofAccount.findLast(({ id }) => id !== null)?.id;
        if (typeof last === 'number') sentUpTo.set(accountId, last);
        byAccount.get(accountId)?.push(ofAccount.map((event) => outgoingEvent(event, imageLinks)));
      }
      const heard = events.filter(({ account_id }) => byAccount.has(account_id));
      measurement.pushed(heard.map(({ created_at }) => clock.now() - created_at));
      for (const event of spans === null ? [] : heard) {
        const connections = byAccount.get(event.account_id)?.size ?? 0;
        spans?.add(event, { name: 'push', ...watch(), attributes: { event: event.event, connections } });
      }
    },
  };
}
