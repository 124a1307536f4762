/** Driver: an external broker of any kind. Each process hears its own gateways by their own topics, and speaks to whichever it wants. */
import type { Registry } from 'prom-client';
import { createBoundedLog } from '../../../shared/bounded-log.js';
import type { Clock, Timer } from '../../../shared/clock.js';
import type { GatewayUuid } from '../../../shared/ids.js';
import type { Logger } from '../../../shared/logger.js';
import { downTopic, parseTopic, type UpChannel } from '../../../shared/topics.js';
import { messageBytesMax } from '../../../shared/uplink-bounds.js';
import { createAccountKeeper } from './account-keeper.js';
import type { BrokerAccounts, GatewayCredentials } from './broker-accounts.js';
import type { BrokerAddress } from './broker-address.js';
import { type BrokerMessage, openMqttConnection } from './mqtt-connection.js';
import { createSubscriptions } from './mqtt-subscriptions.js';
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

/** Connects, and brings the broker's accounts to the database's. Rejects with what to do when the broker cannot be used. */
export async function createMqttBroker(options: MqttBrokerOptions): Promise<Broker> {
  const { address, accounts, clock, logger, registry } = options;
  const metrics = registry === undefined ? undefined : { registry, clock };
  const inbox = createGatewayInbox({ logger, limits: options.limits ?? INBOX_LIMITS, metrics });
  const keeper = createAccountKeeper(options);
  const hearingListeners = new Set<(uuids: readonly GatewayUuid[]) => void>();
  const notifyHearing = (uuids: readonly GatewayUuid[]) => {
    for (const listener of hearingListeners) listener(uuids);
  };
  const subscriptions = createSubscriptions({ over: () => connection, clock, logger, onHearing: notifyHearing });
  const drops = createDrops(options, (uuid) => {
    if (subscriptions.wants(uuid)) notifyHearing([uuid]);
  });

  function handleMessage(message: BrokerMessage): void {
    const parsed = parseTopic(message.topic);
    if (parsed?.direction !== 'up' || !subscriptions.wants(parsed.uuid)) return;
    const { uuid, channel } = parsed;
    const problem = problemOf(channel, message);
    if (problem !== null) return drops.log(parsed, problem);
    const { payload, isRetained } = message;
    // The bytes are copied: those of the library are part of a larger buffer, which would stay in memory as long as they do.
    if (inbox.deliver({ uuid, channel, payload: new Uint8Array(payload), isRetained }) !== null) return;
    drops.log(parsed, 'more waits already than a gateway sends without an answer');
    drops.add(uuid, { isFlood: inbox.isOverfull(uuid) });
  }

  const connection = await openMqttConnection({
    address,
    purpose: 'gateways',
    clock,
    logger,
    onMessage: handleMessage,
    onReopen() {
      subscriptions.beginAnew();
      // The broker may be another one, or have forgotten the latest accounts.
      keeper.reconcile();
    },
  });
  keeper.reconcile();

  async function stop(): Promise<void> {
    subscriptions.stop();
    drops.close();
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

/** Says why a message is dropped; null: it is not. */
function problemOf(channel: UpChannel, { payload, isRetained }: BrokerMessage): string | null {
  // Only presence should be retained. Any other retained message was handled when it was published.
  if (isRetained && channel !== 'presence') return 'it is retained';
  const bytesMax = messageBytesMax(channel, payload);
  return payload.byteLength > bytesMax ? `larger than ${bytesMax} bytes` : null;
}

/** Logs dropped messages, and has gateways repeat what was dropped for want of room. @param onPauseOver called when a gateway may repeat it */
function createDrops({ accounts, clock, logger }: MqttBrokerOptions, onPauseOver: (uuid: GatewayUuid) => void) {
  const outsiders = createBoundedLog({ logger, clock });
  const pauses = new Map<GatewayUuid, Timer>();
  let isClosed = false;
  return {
    log({ uuid, channel }: Pick<UpMessage, 'uuid' | 'channel'>, reason: string): void {
      outsiders.from(uuid).warn({ uuid, channel, reason }, 'message of a gateway dropped');
    },
    /** A gateway that floods is cut off first. */
    add(uuid: GatewayUuid, { isFlood }: { isFlood: boolean }): void {
      if (pauses.has(uuid) || isClosed) return;
      if (isFlood) {
        accounts
          .kick(uuid)
          .catch((error: unknown) => logger.warn({ err: error, uuid }, 'a gateway that floods could not be cut off'));
      }
      const timer = clock.setTimer(DROPPED_PAUSE_MS, () => {
        pauses.delete(uuid);
        onPauseOver(uuid);
      });
      pauses.set(uuid, timer);
    },
    close(): void {
      isClosed = true;
      for (const timer of pauses.values()) timer.cancel();
    },
  };
}
