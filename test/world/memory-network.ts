/**
 * The network of a world in memory: cables of gateways, and the broker that they lead to. It lets gateways in, keeps their presence and
 * publishes their last wills as the embedded broker does.
 */
import type { Broker, GatewayAuthenticator, UpMessage } from '../../cloud/equipment/broker/broker.js';
import { createGatewayInbox, INBOX_LIMITS } from '../../cloud/equipment/broker/gateway-inbox.js';
import type { Cable } from '../../scripts/sim/double/cable.js';
import type { Clock } from '../../shared/clock.js';
import { type GatewayUuid, gatewayUuidSchema } from '../../shared/ids.js';
import type { Logger } from '../../shared/logger.js';
import { downTopic, mayGatewayPublish, parseTopic, upTopic } from '../../shared/topics.js';
import { type Connection, createMemoryCable, type Door } from './memory-cable.js';
import { createMemoryBroker } from './memory-broker.js';

export interface MemoryNetwork {
  /** Opens a broker. All gateways connect to it until it closes. */
  openBroker(deps: { authenticate: GatewayAuthenticator; logger: Logger }): Broker;
  /** Lays the cable of one gateway. */
  layCable(): Cable;
}

export function createMemoryNetwork({ clock }: { clock: Clock }): MemoryNetwork {
  let door: Door | null = null;
  return {
    openBroker(deps) {
      const opened = createDoor(deps);
      door = opened.door;
      return {
        ...opened.broker,
        async close() {
          if (door === opened.door) door = null;
          await opened.close();
        },
      };
    },
    layCable: () => createMemoryCable(clock, () => door),
  };
}

function createDoor({ authenticate, logger }: { authenticate: GatewayAuthenticator; logger: Logger }) {
  const connected = new Map<GatewayUuid, Connection>();
  const presences = new Map<GatewayUuid, string>();
  /** How often each gateway was disconnected by the cloud: a connection that is being checked meanwhile is refused. */
  const revocations = new Map<GatewayUuid, number>();
  const inbox = createGatewayInbox({ logger, limits: INBOX_LIMITS });
  let isStopping = false;
  const broker = createMemoryBroker({
    onPublished: (uuid, channel, payload) => connected.get(uuid)?.send(downTopic(uuid, channel), payload),
    onDisconnected(uuid) {
      revocations.set(uuid, (revocations.get(uuid) ?? 0) + 1);
      const connection = connected.get(uuid);
      if (connection !== undefined) cutOff(connection);
    },
  });
  inbox.onMessage(broker.say);

  const uuidOf = ({ options }: Connection) => gatewayUuidSchema.parse(options.clientId);
  function cutOff(connection: Connection): void {
    door.left(connection, false);
    connection.end('closed', 'the broker closed the connection');
  }
  function deliver(message: Omit<UpMessage, 'payload'>, payload: string): void {
    void inbox.deliver({ ...message, payload: new TextEncoder().encode(payload) });
  }
  function keepPresence(uuid: GatewayUuid, payload: string): void {
    presences.set(uuid, payload);
    connected.get(uuid)?.send(upTopic(uuid, 'presence'), payload);
    deliver({ uuid, channel: 'presence' }, payload);
  }

  const door: Door = {
    async accept(connection) {
      const uuid = uuidOf(connection);
      const revocation = revocations.get(uuid);
      const isAllowed = await authenticate(uuid, connection.options.password).catch(() => false);
      if (!isAllowed) return connection.end('refused', 'the broker refused the password');
      if (connection.isOver) return;
      if (isStopping || revocations.get(uuid) !== revocation)
        return connection.end('closed', 'the broker changed its mind');
      const replaced = connected.get(uuid);
      connected.set(uuid, connection);
      replaced?.end('closed', 'another connection has the same name');
      connection.opened();
      const presence = presences.get(uuid);
      if (presence !== undefined) connection.send(upTopic(uuid, 'presence'), presence);
      logger.info({ uuid }, 'gateway connected');
    },
    hear(connection, { topic, payload, retain }) {
      const uuid = uuidOf(connection);
      const parsed = parseTopic(topic);
      if (connected.get(uuid) !== connection) return;
      if (parsed?.direction !== 'up' || !mayGatewayPublish(uuid, topic)) return cutOff(connection);
      if (retain) keepPresence(uuid, payload);
      else deliver({ uuid, channel: parsed.channel }, payload);
    },
    left(connection, isGoodbye) {
      const uuid = uuidOf(connection);
      if (connected.get(uuid) !== connection) return;
      connected.delete(uuid);
      if (!isGoodbye && !isStopping) keepPresence(uuid, connection.options.will.payload);
      logger.info({ uuid }, 'gateway disconnected');
    },
  };
  return {
    door,
    broker,
    async close() {
      isStopping = true;
      for (const connection of connected.values()) cutOff(connection);
      await inbox.idle();
      await broker.close();
    },
  };
}
