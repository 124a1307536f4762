/** Driver: the embedded broker (aedes, MQTT 3.1.1). Default deny: a gateway reaches its own topics and nothing else. */
import { createServer, type Server, type Socket } from 'node:net';
import {
  Aedes,
  type AedesOptions,
  type AuthenticateError,
  type Client,
  type ConnectPacket,
  type PublishPacket,
} from 'aedes';
import { gatewayUuidSchema } from '../../shared/ids.js';
import type { Logger } from '../../shared/logger.js';
import { downTopic, mayGatewayPublish, mayGatewaySubscribe, parseTopic, upTopic } from '../../shared/topics.js';
import type { Broker, GatewayAuthenticator, UpMessage } from './broker.js';
import { createGatewayInbox, type GatewayInbox, type InboxLimits } from './gateway-inbox.js';
import { INITIAL_LENGTH_STATE, nextLength, type LengthState } from './mqtt-length-machine.js';
import { createTerminalDoor, type TerminalDoor } from './terminal-door.js';
import type { TerminalLink } from '../terminal/terminal-link.js';

export interface AedesBrokerOptions {
  host: string;
  /** 0: any free port. */
  port: number;
  authenticate: GatewayAuthenticator;
  logger: Logger;
  limits?: Partial<BrokerLimits>;
}

export interface BrokerLimits extends InboxLimits {
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
  terminalsMax: number;
}

const DEFAULT_LIMITS: BrokerLimits = {
  messageBytesMax: 12 * 1024 * 1024,
  connectBytesMax: 4 * 1024,
  connectTimeoutMs: 10_000,
  keepaliveMaxS: 120,
  sendBufferBytesMax: 32 * 1024 * 1024,
  drainTimeoutMs: 120_000,
  connectionsMax: 20_000,
  terminalsMax: 1_000,
  gatewayBytesMax: 10 * 1024 * 1024,
  totalBytesMax: 256 * 1024 * 1024,
};

/** Of a client id in a log: anybody may send one. */
const NAME_LENGTH_MAX = 64;

/** MQTT 3.1.1, table 3.1. */
const RETURN_CODE = { accepted: 0, identifierRejected: 2, badCredentials: 4, notAuthorised: 5 } as const;

/** What the hooks and the port share. */
interface BrokerState {
  logger: Logger;
  limits: BrokerLimits;
  inbox: GatewayInbox;
  terminals: TerminalDoor;
  /** The connection whose password was accepted last, per gateway: the last will of any other is stale. */
  newest: Map<string, Client>;
  /** Connections that were told that they are accepted. */
  connected: Map<string, Client>;
  /** Counts the disconnects of a gateway: a password that was looked up before one counts no more. */
  revocations: Map<string, number>;
  /** Who asked to be let in, for the log: a refused connection has lost its address when it is told. */
  askers: WeakMap<Client, { client_id: string; remote: string | undefined }>;
  /** Connections whose refusal was logged: that they end tells nothing more. */
  refused: WeakSet<Client>;
  stopping: boolean;
}

/** The listening broker. Rejects with a clear error when the port is taken. */
export async function createAedesBroker(
  options: AedesBrokerOptions,
): Promise<Broker & { readonly port: number; readonly terminals: TerminalLink }> {
  const { logger } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const inbox = createGatewayInbox({ logger, limits });
  const state: BrokerState = {
    logger,
    limits,
    inbox,
    terminals: createTerminalDoor({
      terminalsMax: limits.terminalsMax,
      messageBytesMax: limits.connectBytesMax,
      send: (clientId, message) => publishTo(state, clientId, message),
    }),
    newest: new Map(),
    connected: new Map(),
    revocations: new Map(),
    askers: new WeakMap(),
    refused: new WeakSet(),
    stopping: false,
  };
  const aedes = await Aedes.createBroker({
    connectTimeout: limits.connectTimeoutMs,
    drainTimeout: limits.drainTimeoutMs,
    keepaliveLimit: limits.keepaliveMaxS,
    maxTopicLevels: 8,
    ...admission(state, options.authenticate),
    ...topicRules(state),
  });
  followConnections(state, aedes);
  const sockets = new Set<Socket>();
  const server = createServer({ keepAlive: true, keepAliveInitialDelay: 15_000, noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    const client = aedes.handle(socket);
    refuseLongPackets(state, { socket, client });
  });
  server.maxConnections = limits.connectionsMax;
  const port = await listen(server, options).catch((error: unknown) => {
    aedes.close();
    throw error;
  });
  server.on('error', (error) => logger.error({ error }, 'MQTT listener failed'));
  logger.info({ host: options.host, port }, 'MQTT broker listens');

  async function stop(): Promise<void> {
    state.stopping = true;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    await new Promise<void>((resolve) => aedes.close(() => resolve()));
    for (const socket of sockets) socket.destroy();
    await closed;
    await inbox.idle();
  }
  let stopped: Promise<void> | undefined;

  return {
    port,
    get ready() {
      return server.listening && !state.stopping;
    },
    onMessage: (listener) => inbox.onMessage(listener),
    terminals: state.terminals.link,
    async publish(uuid, channel, payload) {
      await publishTo(state, uuid, { topic: downTopic(uuid, channel), payload });
    },
    async disconnect(uuid) {
      state.revocations.set(uuid, (state.revocations.get(uuid) ?? 0) + 1);
      for (const client of new Set([state.newest.get(uuid), state.connected.get(uuid)])) {
        if (client !== undefined) await closeClient(client);
      }
    },
    close: () => (stopped ??= stop()),
  };
}

/** Who is let in: a uuid that is its own user name, with its password and nothing that reaches beyond its topics. */
function admission(
  { logger, newest, revocations, askers, refused, terminals }: BrokerState,
  authenticate: GatewayAuthenticator,
): Required<Pick<AedesOptions, 'preConnect' | 'authenticate'>> {
  const problems = new WeakMap<Client, string>();
  return {
    preConnect(client, packet, answer) {
      const key = terminals.keyOf(packet.clientId);
      const problem = key === null ? connectProblem(packet) : terminalProblem(terminals, key, packet);
      if (problem !== null) problems.set(client, problem);
      askers.set(client, { client_id: packet.clientId.slice(0, NAME_LENGTH_MAX), remote: remoteOf(client) });
      // Refused further on: here the client would get no answer at all.
      answer(null, true);
    },
    authenticate(client, username, password, answer) {
      const who = terminals.keyOf(client.id) === null ? 'gateway' : 'terminal';
      const refuse = (returnCode: number, reason: string): void => {
        logger.warn({ ...askers.get(client), reason }, `${who} connection refused`);
        refused.add(client);
        answer(Object.assign(new Error(reason), { returnCode }) as AuthenticateError, false);
      };
      const problem = problems.get(client);
      if (who === 'terminal') {
        if (problem === undefined) answer(null, true);
        else refuse(RETURN_CODE.notAuthorised, problem);
        return;
      }
      const uuid = gatewayUuidSchema.safeParse(client.id);
      if (problem !== undefined || !uuid.success) {
        refuse(RETURN_CODE.identifierRejected, problem ?? 'the client id is no gateway uuid');
        return;
      }
      if (username !== client.id || password === undefined) {
        refuse(RETURN_CODE.badCredentials, 'the user name is not the client id, or there is no password');
        return;
      }
      const revocation = revocations.get(client.id);
      authenticate(uuid.data, password.toString('utf8')).then(
        (isAccepted) => {
          if (!isAccepted || revocations.get(client.id) !== revocation)
            return refuse(RETURN_CODE.notAuthorised, 'wrong user name or password');
          newest.set(client.id, client);
          answer(null, true);
        },
        (error: unknown) => {
          logger.error({ error, client_id: client.id }, 'gateway password could not be checked');
          refuse(RETURN_CODE.notAuthorised, 'the password could not be checked');
        },
      );
    },
  };
}

function remoteOf({ conn }: Client): string | undefined {
  return 'remoteAddress' in conn && typeof conn.remoteAddress === 'string' ? conn.remoteAddress : undefined;
}

/** Why a connection is refused before its password is looked at, or null. */
function connectProblem(packet: ConnectPacket): string | null {
  const uuid = gatewayUuidSchema.safeParse(packet.clientId);
  if (!uuid.success) return 'the client id is no gateway uuid';
  if (packet.clean !== true) return 'the session must be clean: nothing is kept for an absent gateway';
  const { will } = packet;
  if (will !== undefined && will.topic !== upTopic(uuid.data, 'presence'))
    return 'the last will is not the own presence';
  return null;
}

function terminalProblem(terminals: TerminalDoor, key: string, packet: ConnectPacket): string | null {
  const { username, password, clean, will } = packet;
  const text = password === undefined ? '' : Buffer.from(password).toString('utf8');
  return terminals.problem(key, { username, password: text, clean: clean === true, hasWill: will !== undefined });
}

/** What a gateway may say and hear. A violation is never acknowledged: a publish cuts the gateway off, a subscription fails. */
function topicRules(state: BrokerState): Required<Pick<AedesOptions, 'authorizePublish' | 'authorizeSubscribe'>> {
  const { logger, newest, terminals } = state;
  const isStaleWill = (client: Client): boolean => {
    const current = newest.get(client.id);
    return client.closed && (state.stopping || (current !== undefined && current !== client));
  };
  return {
    authorizePublish(client, packet, answer) {
      const key = client === null ? null : terminals.keyOf(client.id);
      if (key !== null) {
        const payload = typeof packet.payload === 'string' ? Buffer.from(packet.payload) : packet.payload;
        const { topic, qos, retain } = packet;
        const reason = terminals.hear(key, { topic, payload, qos, retain });
        if (reason !== null) logger.warn({ client_id: client?.id, topic, reason }, 'publish refused');
        answer(reason === null ? null : new Error(reason));
        return;
      }
      const message =
        client === null ? { refused: 'nobody but gateways publishes' } : acceptedMessage(state, client, packet);
      if (client === null || 'refused' in message) {
        const reason = 'refused' in message ? message.refused : '';
        logger.warn({ client_id: client?.id, topic: packet.topic, reason }, 'publish refused');
        answer(new Error(reason));
        return;
      }
      if (isStaleWill(client)) {
        answer(new Error('the last will of a connection that was replaced, or of a broker that stops'));
        return;
      }
      // The socket is not read again until this is answered: while there is room that is at once, so that pings are heard
      // behind records; afterwards the gateway waits for the cloud, and nothing piles up here.
      void state.inbox.deliver(message).then(() => answer(null));
    },
    authorizeSubscribe(client, subscription, answer) {
      const uuid = gatewayUuidSchema.safeParse(client.id);
      const key = terminals.keyOf(client.id);
      if (
        (uuid.success && mayGatewaySubscribe(uuid.data, subscription.topic)) ||
        (key !== null && terminals.maySubscribe(key, subscription.topic))
      ) {
        answer(null, subscription);
        return;
      }
      logger.warn({ client_id: client.id, topic: subscription.topic }, 'subscription refused');
      answer(null, null);
    },
  };
}

/** The message as the cloud takes it, or why it is refused. */
function acceptedMessage(
  { limits }: BrokerState,
  client: Client,
  packet: PublishPacket,
): UpMessage | { refused: string } {
  const uuid = gatewayUuidSchema.safeParse(client.id);
  const parsed = parseTopic(packet.topic);
  if (!uuid.success || parsed?.direction !== 'up' || !mayGatewayPublish(uuid.data, packet.topic)) {
    return { refused: 'the topic is not of this gateway' };
  }
  if (packet.qos > 1) return { refused: 'QoS 2 is not spoken here' };
  if (packet.retain && parsed.channel !== 'presence') return { refused: 'only presence is retained' };
  const payload = typeof packet.payload === 'string' ? Buffer.from(packet.payload) : packet.payload;
  if (payload.byteLength > limits.messageBytesMax) return { refused: `larger than ${limits.messageBytesMax} bytes` };
  return { uuid: uuid.data, channel: parsed.channel, payload };
}

function followConnections(state: BrokerState, aedes: Aedes): void {
  const { connected, newest, askers, refused, terminals, logger } = state;
  const tell = (client: Client, isConnected: boolean) => {
    const key = terminals.keyOf(client.id);
    const text = isConnected ? 'connected' : 'disconnected';
    if (key === null) logger.info({ uuid: client.id }, `gateway ${text}`);
    else logger.info({ client_id: client.id }, `terminal ${text}`);
  };
  aedes.on('connackSent', (packet, client) => {
    if (packet.returnCode !== RETURN_CODE.accepted) return;
    const replaced = connected.get(client.id);
    connected.set(client.id, client);
    // aedes forgets the old connection when a newer one dies half made, and would then leave it open.
    if (replaced !== undefined && !replaced.closed) replaced.close();
    const key = terminals.keyOf(client.id);
    if (key !== null) terminals.cameOrWent(key, true);
    tell(client, true);
  });
  aedes.on('clientDisconnect', (client) => {
    const key = terminals.keyOf(client.id);
    if (key !== null && connected.get(client.id) === client) terminals.cameOrWent(key, false);
    if (connected.get(client.id) === client) connected.delete(client.id);
    if (newest.get(client.id) === client) newest.delete(client.id);
    tell(client, false);
  });
  aedes.on('clientError', (client, error) => {
    if (!refused.has(client)) logger.warn({ uuid: client.id, reason: error.message }, 'gateway link ended');
  });
  // Refused by what the broker itself asks for (protocol, keepalive), or never an MQTT client.
  aedes.on('connectionError', (client, error) => {
    logger.warn({ ...askers.get(client), reason: error.message }, 'connection refused');
  });
}

/** @returns false when nobody is connected under this name */
async function publishTo(
  { connected, limits, terminals, logger }: BrokerState,
  clientId: string,
  { topic, payload }: { topic: string; payload: string },
): Promise<boolean> {
  const client = connected.get(clientId);
  if (client === undefined || client.closed) return false;
  const waiting_bytes = client.conn.writableLength;
  if (waiting_bytes > limits.sendBufferBytesMax) {
    const who = terminals.keyOf(clientId) === null ? 'gateway' : 'terminal';
    logger.warn({ client_id: clientId, waiting_bytes }, `${who} reads too slowly and is disconnected`);
    await closeClient(client);
    return false;
  }
  const packet: PublishPacket = { cmd: 'publish', topic, payload, qos: 0, retain: false, dup: false };
  // Straight to the client and not through the broker's matcher: there one stalled gateway would hold up all others.
  await new Promise<void>((resolve, reject) => {
    client.publish(packet, (error) => (error ? reject(error) : resolve()));
  });
  return true;
}

/** Sees each piece before the broker's parser does: 'data' is emitted by the read the parser's listener makes. */
function refuseLongPackets(
  { limits, terminals, logger }: BrokerState,
  { socket, client }: { socket: Socket; client: Client },
): void {
  let length: LengthState = INITIAL_LENGTH_STATE;
  socket.on('data', (bytes: Uint8Array) => {
    // Besides the payload a packet holds its topic and number.
    const isGateway = client.connected && terminals.keyOf(client.id) === null;
    const payloadBytesMax = isGateway ? limits.messageBytesMax : client.connected ? limits.connectBytesMax : 0;
    const bytesMax = payloadBytesMax + limits.connectBytesMax;
    const next = nextLength(length, bytes, bytesMax);
    if ('state' in next) {
      length = next.state;
      return;
    }
    logger.warn({ remote: socket.remoteAddress, reason: next.refused }, 'MQTT packet refused');
    socket.destroy(new Error(next.refused));
  });
}

function closeClient(client: Client): Promise<void> {
  return new Promise((resolve) => client.close(() => resolve()));
}

function listen(server: Server, options: { host: string; port: number }): Promise<number> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException): void => {
      const where = `${options.host}:${options.port}`;
      const hint =
        error.code === 'EADDRINUSE'
          ? 'another program listens there: stop it, or choose another MQTT_PORT'
          : 'check MQTT_HOST and MQTT_PORT';
      const what = `MQTT broker cannot listen on ${where} (${error.code ?? error.message}): ${hint}`;
      reject(new Error(what, { cause: error }));
    };
    server.once('error', fail);
    server.listen(options.port, options.host, () => {
      server.off('error', fail);
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : options.port);
    });
  });
}
