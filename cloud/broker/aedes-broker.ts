/** Driver: the embedded broker (aedes, MQTT 3.1.1). Default deny: a gateway reaches its own topics and nothing else. */
import { createServer, type Server, type Socket } from 'node:net';
import { Aedes, type AuthenticateError, type Client, type ConnectPacket, type PublishPacket } from 'aedes';
import { gatewayUuidSchema, type GatewayUuid } from '../../shared/ids.js';
import type { Logger } from '../../shared/logger.js';
import { downTopic, mayGatewayPublish, mayGatewaySubscribe, parseTopic, upTopic } from '../../shared/topics.js';
import type { Broker, GatewayAuthenticator, UpMessage } from './broker.js';
import { INITIAL_LENGTH_STATE, nextLength, type LengthState } from './mqtt-length-machine.js';

export interface AedesBrokerOptions {
  host: string;
  /** 0: any free port. */
  port: number;
  authenticate: GatewayAuthenticator;
  logger: Logger;
  limits?: Partial<BrokerLimits>;
}

export interface BrokerLimits {
  /** A picture of the largest body a camera may send (8 MiB) fits as base64. */
  messageBytesMax: number;
  /** Before the password was checked. */
  connectBytesMax: number;
  connectTimeoutMs: number;
  /** A link that died without a word is found after one and a half times this. */
  keepaliveMaxS: number;
  /** What may wait to be sent to one gateway; one that reads slower is cut off and says hello again. */
  sendBufferBytesMax: number;
  drainTimeoutMs: number;
  connectionsMax: number;
}

const DEFAULT_LIMITS: BrokerLimits = {
  messageBytesMax: 12 * 1024 * 1024,
  connectBytesMax: 4 * 1024,
  connectTimeoutMs: 10_000,
  keepaliveMaxS: 30,
  sendBufferBytesMax: 32 * 1024 * 1024,
  drainTimeoutMs: 120_000,
  connectionsMax: 20_000,
};

/** MQTT 3.1.1, table 3.1. */
const RETURN_CODE = { identifierRejected: 2, badCredentials: 4, notAuthorised: 5 } as const;

/** The listening broker. Rejects with a clear error when the port is taken. */
export async function createAedesBroker(options: AedesBrokerOptions): Promise<Broker & { readonly port: number }> {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const { logger } = options;
  const listeners = new Set<(message: UpMessage) => Promise<void>>();
  /** The connection whose password was accepted last, per gateway: the last will of any other is stale. */
  const newest = new Map<string, Client>();
  const connected = new Map<string, Client>();
  const tails = new Map<GatewayUuid, Promise<void>>();
  const refusals = new WeakMap<Client, string>();
  let closing: Promise<void> | undefined;

  const deliver = (message: UpMessage): Promise<void> => {
    const previous = tails.get(message.uuid) ?? Promise.resolve();
    const tail = previous.then(async () => {
      for (const listener of listeners) {
        await listener(message).catch((error: unknown) =>
          logger.error({ error, uuid: message.uuid, channel: message.channel }, 'message of a gateway was not taken'),
        );
      }
    });
    tails.set(message.uuid, tail);
    void tail.then(() => {
      if (tails.get(message.uuid) === tail) tails.delete(message.uuid);
    });
    return tail;
  };

  const isStaleWill = (client: Client): boolean => {
    const current = newest.get(client.id);
    return closing !== undefined || (current !== undefined && current !== client);
  };

  const aedes = await Aedes.createBroker({
    connectTimeout: limits.connectTimeoutMs,
    drainTimeout: limits.drainTimeoutMs,
    keepaliveLimit: limits.keepaliveMaxS,
    maxTopicLevels: 8,
    preConnect(client, packet, answer) {
      const problem = connectProblem(packet);
      if (problem !== null) refusals.set(client, problem);
      answer(null, true);
    },
    authenticate(client, username, password, answer) {
      const refuse = (returnCode: number, reason: string): void => {
        logger.warn({ client_id: client.id, reason }, 'gateway connection refused');
        answer(Object.assign(new Error(reason), { returnCode }) as AuthenticateError, false);
      };
      const problem = refusals.get(client);
      const uuid = gatewayUuidSchema.safeParse(client.id);
      if (problem !== undefined || !uuid.success) {
        refuse(RETURN_CODE.identifierRejected, problem ?? 'the client id is no gateway uuid');
        return;
      }
      if (username !== client.id || password === undefined) {
        refuse(RETURN_CODE.badCredentials, 'the user name is not the client id, or there is no password');
        return;
      }
      options.authenticate(uuid.data, password.toString('utf8')).then(
        (accepted) => {
          if (!accepted) {
            refuse(RETURN_CODE.notAuthorised, 'wrong user name or password');
            return;
          }
          newest.set(client.id, client);
          answer(null, true);
        },
        (error: unknown) => {
          logger.error({ error, client_id: client.id }, 'gateway password could not be checked');
          refuse(RETURN_CODE.notAuthorised, 'the password could not be checked');
        },
      );
    },
    authorizePublish(client, packet, answer) {
      if (client === null) {
        answer(new Error('nobody but gateways publishes'));
        return;
      }
      const message = acceptedMessage(client, packet);
      if ('refused' in message) {
        logger.warn({ client_id: client.id, topic: packet.topic, reason: message.refused }, 'publish refused');
        answer(new Error(message.refused));
        return;
      }
      if (client.closed && isStaleWill(client)) {
        answer(new Error('the last will of a connection that was replaced, or of a broker that stops'));
        return;
      }
      // The socket is not read again until this is called: the gateway waits for the cloud, and nothing piles up here
      // but what one read of the socket brought.
      void deliver(message).then(() => answer(null));
    },
    authorizeSubscribe(client, subscription, done) {
      const uuid = gatewayUuidSchema.safeParse(client.id);
      if (uuid.success && mayGatewaySubscribe(uuid.data, subscription.topic)) {
        done(null, subscription);
        return;
      }
      logger.warn({ client_id: client.id, topic: subscription.topic }, 'subscription refused');
      done(null, null);
    },
  });

  aedes.on('clientReady', (client) => {
    const replaced = connected.get(client.id);
    connected.set(client.id, client);
    // aedes forgets the old connection when a newer one dies half made, and would then leave it open.
    if (replaced !== undefined && !replaced.closed) replaced.close();
    logger.info({ uuid: client.id }, 'gateway connected');
  });
  aedes.on('clientDisconnect', (client) => {
    if (connected.get(client.id) === client) connected.delete(client.id);
    if (newest.get(client.id) === client) newest.delete(client.id);
    logger.info({ uuid: client.id }, 'gateway disconnected');
  });
  aedes.on('clientError', (client, error) =>
    logger.warn({ uuid: client.id, reason: error.message }, 'gateway link ended'),
  );
  aedes.on('connectionError', (_client, error) => logger.warn({ reason: error.message }, 'connection refused'));

  const sockets = new Set<Socket>();
  const server = createServer({ keepAlive: true, keepAliveInitialDelay: 15_000, noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    const client = aedes.handle(socket);
    refuseLongPackets({
      socket,
      bytesMax: () => (client.connected ? limits.messageBytesMax : limits.connectBytesMax),
      logger,
    });
  });
  server.maxConnections = limits.connectionsMax;
  const port = await listen(server, options).catch((error: unknown) => {
    aedes.close();
    throw error;
  });
  server.on('error', (error) => logger.error({ error }, 'MQTT listener failed'));
  logger.info({ host: options.host, port }, 'MQTT broker listens');

  return {
    port,
    get ready() {
      return server.listening && !aedes.closed;
    },
    onMessage(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async publish(uuid, channel, payload) {
      const client = connected.get(uuid);
      if (client === undefined || client.closed) return;
      const socket = client.conn;
      if (socket.writableLength > limits.sendBufferBytesMax) {
        logger.warn({ uuid, waiting_bytes: socket.writableLength }, 'gateway reads too slowly and is disconnected');
        await closeClient(client);
        return;
      }
      // Straight to the client and not through the broker's matcher: there one stalled gateway would hold up all others.
      await new Promise<void>((resolve, reject) => {
        const packet: PublishPacket = {
          cmd: 'publish',
          topic: downTopic(uuid, channel),
          payload,
          qos: 0,
          retain: false,
          dup: false,
        };
        client.publish(packet, (error) => (error ? reject(error) : resolve()));
      });
    },
    async disconnect(uuid) {
      const client = connected.get(uuid);
      if (client !== undefined) await closeClient(client);
    },
    close() {
      closing ??= (async () => {
        const closed = new Promise<void>((resolve) => server.close(() => resolve()));
        await new Promise<void>((resolve) => aedes.close(() => resolve()));
        for (const socket of sockets) socket.destroy();
        await closed;
        await Promise.all(tails.values());
      })();
      return closing;
    },
  };
}

/** Why a connection is refused before its password is looked at, or null. */
function connectProblem(packet: ConnectPacket): string | null {
  const uuid = gatewayUuidSchema.safeParse(packet.clientId);
  if (!uuid.success) return 'the client id is no gateway uuid';
  if (packet.clean !== true) return 'the session must be clean: nothing is kept for an absent gateway';
  const { will } = packet;
  if (will === undefined) return null;
  if (will.topic !== upTopic(uuid.data, 'presence')) return 'the last will is not the own presence';
  return null;
}

/** The message as the cloud takes it, or why it is refused. */
function acceptedMessage(client: Client, packet: PublishPacket): UpMessage | { refused: string } {
  const uuid = gatewayUuidSchema.safeParse(client.id);
  const parsed = parseTopic(packet.topic);
  if (!uuid.success || parsed?.direction !== 'up' || !mayGatewayPublish(uuid.data, packet.topic)) {
    return { refused: 'the topic is not of this gateway' };
  }
  if (packet.qos > 1) return { refused: 'QoS 2 is not spoken here' };
  if (packet.retain && parsed.channel !== 'presence') return { refused: 'only presence is retained' };
  const payload = typeof packet.payload === 'string' ? Buffer.from(packet.payload) : packet.payload;
  return { uuid: uuid.data, channel: parsed.channel, payload };
}

/** Sees each piece before the broker's parser does: 'data' is emitted by the read the parser's listener makes. */
function refuseLongPackets(options: { socket: Socket; bytesMax: () => number; logger: Logger }): void {
  let state: LengthState = INITIAL_LENGTH_STATE;
  const { socket } = options;
  socket.on('data', (bytes: Uint8Array) => {
    const next = nextLength(state, bytes, options.bytesMax());
    if ('state' in next) {
      state = next.state;
      return;
    }
    options.logger.warn({ remote: socket.remoteAddress, reason: next.refused }, 'MQTT packet refused');
    socket.destroy(new Error(next.refused));
  });
}

function closeClient(client: Client): Promise<void> {
  return new Promise((resolve) => client.close(() => resolve()));
}

function listen(server: Server, options: { host: string; port: number }): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const where = `${options.host}:${options.port}`;
      const hint =
        error.code === 'EADDRINUSE'
          ? 'another program listens there: stop it, or choose another MQTT_PORT'
          : 'check MQTT_HOST and MQTT_PORT';
      reject(
        new Error(`MQTT broker cannot listen on ${where} (${error.code ?? error.message}): ${hint}`, { cause: error }),
      );
    });
    server.listen(options.port, options.host, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : options.port);
    });
  });
}
