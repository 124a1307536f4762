/** Driver: the embedded broker (aedes, MQTT 3.1.1). By default everything is denied: a gateway reaches only its own topics. */
import { createServer, type Server, type Socket } from 'node:net';
import { Aedes } from 'aedes';
import type { Logger } from '../../shared/logger.js';
import { downTopic } from '../../shared/topics.js';
import type { TerminalLink } from '../terminal/terminal-link.js';
import { admission } from './aedes-admission.js';
import { closeClient, followConnections, publishTo, refuseLongPackets } from './aedes-connections.js';
import { type BrokerLimits, type BrokerState, DEFAULT_LIMITS } from './aedes-state.js';
import { topicRules } from './aedes-topic-rules.js';
import type { Broker, GatewayAuthenticator } from './broker.js';
import { createGatewayInbox } from './gateway-inbox.js';
import { createTerminalDoor } from './terminal-door.js';

export interface AedesBrokerOptions {
  host: string;
  /** 0: any free port. */
  port: number;
  authenticate: GatewayAuthenticator;
  logger: Logger;
  limits?: Partial<BrokerLimits>;
}

/** Starts the broker. Rejects with a clear error when the port is in use. */
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
  server.on('error', (error) => logger.error({ err: error }, 'MQTT listener failed'));
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
