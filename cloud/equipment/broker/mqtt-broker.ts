/** Driver: an external broker of any kind. Each process hears its own gateways by their own topics, and speaks to whichever it wants. */
import type { Registry } from 'prom-client';
import { createBoundedLog } from '../../../shared/bounded-log.js';
import type { Clock, Timer } from '../../../shared/clock.js';
import type { GatewayUuid } from '../../../shared/ids.js';
import type { Logger } from '../../../shared/logger.js';
import { downTopic, parseTopic } from '../../../shared/topics.js';
import { MESSAGE_BYTES_MAX } from '../../../shared/uplink-bounds.js';
import { createAccountKeeper } from './account-keeper.js';
import type { BrokerAccounts, GatewayCredentials } from './broker-accounts.js';
import type { BrokerAddress } from './broker-address.js';
import { type BrokerMessage, type MqttConnection, openMqttConnection } from './mqtt-connection.js';
import type { Broker, UpMessage } from './broker.js';
import { createGatewayInbox, INBOX_LIMITS, type InboxLimits } from './gateway-inbox.js';

export interface MqttBrokerOptions {
  address: BrokerAddress;
  accounts: BrokerAccounts;
  credentials: GatewayCredentials;
  clock: Clock;
  logger: Logger;
  limits?: InboxLimits;
  /** Left out: it is not measured. */
  registry?: Registry | undefined;
}

/** How long after a gateway's messages were dropped it is asked what was in them. */
const DROPPED_PAUSE_MS = 10_000;
const SUBSCRIBE_AGAIN_MS = 5_000;
const FILTERS_AT_ONCE = 100;

const upFilter = (uuid: GatewayUuid): string => `gw/${uuid}/up/+`;

/** Connects, and brings the broker's accounts to the database's. Rejects with what to do when the broker cannot be used. */
export async function createMqttBroker(options: MqttBrokerOptions): Promise<Broker> {
  const { address, accounts, clock, logger, registry } = options;
  const outsiders = createBoundedLog({ logger, clock });
  const metrics = registry === undefined ? undefined : { registry, clock };
  const inbox = createGatewayInbox({ logger, limits: options.limits ?? INBOX_LIMITS, metrics });
  const keeper = createAccountKeeper(options);
  const hearingListeners = new Set<(uuids: readonly GatewayUuid[]) => void>();
  /** Gateways of which messages were dropped. */
  const dropped = new Map<GatewayUuid, Timer>();
  let isClosed = false;

  const notifyHearing = (uuids: readonly GatewayUuid[]) => {
    for (const listener of hearingListeners) listener(uuids);
  };

  const subscriptions = createSubscriptions({ over: () => connection, clock, logger, onHearing: notifyHearing });

  function handleMessage({ topic, payload, isRetained }: BrokerMessage): void {
    const parsed = parseTopic(topic);
    if (parsed?.direction !== 'up' || !subscriptions.wants(parsed.uuid)) return;
    const { uuid, channel } = parsed;
    const refuse = (reason: string) =>
      outsiders.from(uuid).warn({ uuid, channel, reason }, 'message of a gateway dropped');
    // Nothing but presence should be retained; what is has been heard before.
    if (isRetained && channel !== 'presence') return refuse('it is retained');
    const bytesMax = MESSAGE_BYTES_MAX[channel];
    if (payload.byteLength > bytesMax) return refuse(`larger than ${bytesMax} bytes`);
    // The bytes are copied, because those of the library are part of a larger buffer, which would live as long.
    const message: UpMessage = { uuid, channel, payload: new Uint8Array(payload), isRetained };
    if (inbox.deliver(message) !== null) return;
    refuse('more waits already than a gateway sends without an answer');
    drop(uuid);
  }

  /** Lets a gateway say anew what was dropped. One that floods is cut off first. */
  function drop(uuid: GatewayUuid): void {
    if (dropped.has(uuid) || isClosed) return;
    if (inbox.isOverfull(uuid)) {
      accounts
        .kick(uuid)
        .catch((error: unknown) => logger.warn({ err: error, uuid }, 'a gateway that floods could not be cut off'));
    }
    const timer = clock.setTimer(DROPPED_PAUSE_MS, () => {
      dropped.delete(uuid);
      if (subscriptions.wants(uuid)) notifyHearing([uuid]);
    });
    dropped.set(uuid, timer);
  }

  const connection = await openMqttConnection({
    address,
    purpose: 'gateways',
    clock,
    logger,
    onMessage: handleMessage,
    onReopen() {
      subscriptions.beginAnew();
      // The broker may be another one, or have forgotten what it was told last.
      keeper.reconcile();
    },
  });
  keeper.reconcile();

  async function stop(): Promise<void> {
    isClosed = true;
    subscriptions.stop();
    for (const timer of dropped.values()) timer.cancel();
    await connection.close();
    await subscriptions.idle();
    await keeper.close();
    await inbox.idle();
  }
  let stopped: Promise<void> | undefined;

  return {
    get ready() {
      return connection.isOpen && subscriptions.isCaughtUp;
    },
    passwordFor: (credential) => accounts.passwordFor(credential),
    hear: subscriptions.add,
    leave: subscriptions.remove,
    hears: subscriptions.wants,
    onHearing(listener) {
      hearingListeners.add(listener);
      return () => void hearingListeners.delete(listener);
    },
    onMessage: (listener) => inbox.onMessage(listener),
    publish: (uuid, channel, payload) => connection.publish(downTopic(uuid, channel), payload),
    disconnect: (uuid) => keeper.settle(uuid),
    close: () => (stopped ??= stop()),
  };
}

/**
 * The up topics of the gateways that are wanted. What fails with its connection is done on the next one.
 * @param options.onHearing called with gateways that are heard from now on
 */
function createSubscriptions(options: {
  over: () => MqttConnection;
  clock: Clock;
  logger: Logger;
  onHearing: (uuids: readonly GatewayUuid[]) => void;
}) {
  const { over, clock, logger, onHearing } = options;
  const wanted = new Set<GatewayUuid>();
  const subscribed = new Set<GatewayUuid>();
  /** Gateways whose subscription may have to be made or ended. */
  const changed = new Set<GatewayUuid>();
  let subscribing: Promise<void> | null = null;
  /** Whether all that is wanted was heard once on this connection. */
  let isCaughtUp = true;
  let again: Timer | undefined;
  let isStopped = false;

  function subscribe(): void {
    if (isStopped || subscribing !== null) return;
    again?.cancel();
    subscribing = subscribeNow().then(
      () => {
        subscribing = null;
        if (changed.size > 0) subscribe();
      },
      (error: unknown) => {
        subscribing = null;
        if (isStopped || !over().isOpen) return;
        logger.error({ err: error }, 'gateways cannot be heard; it is tried again');
        again = clock.setTimer(SUBSCRIBE_AGAIN_MS, subscribe);
      },
    );
  }

  async function subscribeNow(): Promise<void> {
    while (changed.size > 0) {
      const some = [...changed].slice(0, FILTERS_AT_ONCE);
      const gone = some.filter((uuid) => subscribed.has(uuid) && !wanted.has(uuid));
      const next = some.filter((uuid) => wanted.has(uuid) && !subscribed.has(uuid));
      await over().unsubscribe(gone.map(upFilter));
      await over().subscribe(next.map(upFilter));
      for (const uuid of gone) subscribed.delete(uuid);
      for (const uuid of next) subscribed.add(uuid);
      // One that changed again meanwhile stays.
      for (const uuid of some) if (wanted.has(uuid) === subscribed.has(uuid)) changed.delete(uuid);
      if (next.length > 0) onHearing(next);
    }
    isCaughtUp = true;
  }

  function change(uuids: readonly GatewayUuid[], isWanted: boolean): void {
    for (const uuid of uuids) {
      if (isWanted) wanted.add(uuid);
      else wanted.delete(uuid);
      changed.add(uuid);
    }
    subscribe();
  }

  return {
    get isCaughtUp() {
      return isCaughtUp;
    },
    wants: (uuid: GatewayUuid): boolean => wanted.has(uuid),
    add: (uuids: readonly GatewayUuid[]) => change(uuids, true),
    remove: (uuids: readonly GatewayUuid[]) => change(uuids, false),
    /** On a new connection, which knows of no subscription. */
    beginAnew() {
      subscribed.clear();
      isCaughtUp = wanted.size === 0;
      change([...wanted], true);
    },
    stop() {
      isStopped = true;
      again?.cancel();
    },
    /** Resolves when nothing is being subscribed. */
    idle: async () => subscribing,
  };
}
