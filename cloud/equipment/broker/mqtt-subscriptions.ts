/** The subscriptions of one connection to an external broker: the up topics of the gateways that this process wants to hear. */
import type { Clock, Timer } from '../../../shared/clock.js';
import type { GatewayUuid } from '../../../shared/ids.js';
import type { Logger } from '../../../shared/logger.js';
import type { MqttConnection } from './mqtt-connection.js';

const SUBSCRIBE_AGAIN_MS = 5_000;
const FILTERS_AT_ONCE = 100;

const upFilter = (uuid: GatewayUuid): string => `gw/${uuid}/up/+`;

export interface Subscriptions {
  /** Whether all that is wanted was heard once on this connection. */
  readonly isCaughtUp: boolean;
  wants(uuid: GatewayUuid): boolean;
  add(uuids: readonly GatewayUuid[]): void;
  remove(uuids: readonly GatewayUuid[]): void;
  /** Call it on a new connection, which knows of no subscription. */
  beginAnew(): void;
  stop(): void;
  /** Resolves when nothing is being subscribed. */
  idle(): Promise<void>;
}

/**
 * Makes and ends subscriptions one packet after the other. A change that fails because the connection was lost is made on the next one.
 * @param options.onHearing called with gateways that are heard from now on
 */
export function createSubscriptions(options: {
  over: () => MqttConnection;
  clock: Clock;
  logger: Logger;
  onHearing: (uuids: readonly GatewayUuid[]) => void;
}): Subscriptions {
  const { over, clock, logger, onHearing } = options;
  const topics = createWantedTopics();
  let subscribing: Promise<void> | null = null;
  let isCaughtUp = true;
  let again: Timer | undefined;
  let isStopped = false;

  function subscribe(): void {
    if (isStopped || subscribing !== null || topics.isSettled) return;
    again?.cancel();
    subscribing = subscribeAll();
  }

  async function subscribeAll(): Promise<void> {
    try {
      while (!topics.isSettled) {
        const changes = topics.someDue();
        await over().unsubscribe(changes.gone.map(upFilter));
        await over().subscribe(changes.fresh.map(upFilter));
        topics.noteMade(changes);
        if (changes.fresh.length > 0) onHearing(changes.fresh);
      }
      isCaughtUp = true;
    } catch (error) {
      if (isStopped || !over().isOpen) return;
      logger.error({ err: error }, 'gateways cannot be heard: it is tried again');
      again = clock.setTimer(SUBSCRIBE_AGAIN_MS, subscribe);
    } finally {
      subscribing = null;
    }
  }

  function change(uuids: readonly GatewayUuid[], isWanted: boolean): void {
    topics.change(uuids, isWanted);
    subscribe();
  }

  return {
    get isCaughtUp() {
      return isCaughtUp;
    },
    wants: topics.wants,
    add: (uuids) => change(uuids, true),
    remove: (uuids) => change(uuids, false),
    beginAnew() {
      isCaughtUp = !topics.beginAnew();
      subscribe();
    },
    stop() {
      isStopped = true;
      again?.cancel();
    },
    idle: async () => subscribing ?? undefined,
  };
}

/** Which gateways are wanted, which are subscribed, and for which that differs. */
function createWantedTopics() {
  const wanted = new Set<GatewayUuid>();
  const subscribed = new Set<GatewayUuid>();
  /** Gateways whose subscription may have to be made or ended. */
  const changed = new Set<GatewayUuid>();

  return {
    get isSettled() {
      return changed.size === 0;
    },
    wants: (uuid: GatewayUuid): boolean => wanted.has(uuid),
    change(uuids: readonly GatewayUuid[], isWanted: boolean): void {
      for (const uuid of uuids) {
        if (isWanted) wanted.add(uuid);
        else wanted.delete(uuid);
        changed.add(uuid);
      }
    },
    /** Counts all gateways as not subscribed. @returns whether any is wanted */
    beginAnew(): boolean {
      subscribed.clear();
      for (const uuid of wanted) changed.add(uuid);
      return wanted.size > 0;
    },
    /** Lists some gateways whose subscription changed: those to be ended, and those to be made. */
    someDue() {
      const some = [...changed].slice(0, FILTERS_AT_ONCE);
      const gone = some.filter((uuid) => subscribed.has(uuid) && !wanted.has(uuid));
      const fresh = some.filter((uuid) => wanted.has(uuid) && !subscribed.has(uuid));
      return { some, gone, fresh };
    },
    /** Notes that the broker has made these changes. A gateway that changed again meanwhile stays due. */
    noteMade({ some, gone, fresh }: Record<'some' | 'gone' | 'fresh', readonly GatewayUuid[]>): void {
      for (const uuid of gone) subscribed.delete(uuid);
      for (const uuid of fresh) subscribed.add(uuid);
      for (const uuid of some) if (wanted.has(uuid) === subscribed.has(uuid)) changed.delete(uuid);
    },
  };
}
