/** Driver: the embedded broker (aedes, MQTT 3.1.1). By default everything is denied: a gateway reaches only its own topics. */
import type { Server } from 'node:net';
import { Aedes } from 'aedes';
import type { Registry } from 'prom-client';
import { createAddressSeats } from '../../../shared/address-seats.js';
import { createBoundedLog } from '../../../shared/bounded-log.js';
import type { Clock } from '../../../shared/clock.js';
import { createSemaphore } from '../../../shared/flow/semaphore.js';
import type { Logger } from '../../../shared/logger.js';
import { downTopic } from '../../../shared/topics.js';
import type { PaceLimits } from '../../../shared/connection-pace.js';
import { createSocketRoom } from '../../kernel/limit/entry.js';
import type { TlsFiles } from '../../kernel/secrets/entry.js';
import type { TerminalLink } from '../terminal/terminal-link.js';
import { admission } from './aedes-admission.js';
import { closeClient, followConnections, publishTo, refuseLongPackets } from './aedes-connections.js';
import { createPacedListener } from './aedes-listener.js';
import { type BrokerLimits, type BrokerState, DEFAULT_LIMITS } from './aedes-state.js';
import { createReadGate } from './read-gate.js';
import { topicRules } from './aedes-topic-rules.js';
import type { Broker, GatewayAuthenticator, IsTerminalRegistered } from './broker.js';
import { createGatewayInbox } from './gateway-inbox.js';
import { createTerminalDoor } from './terminal-door.js';
import { errorText } from '../../../shared/error-text.js';

export interface AedesBrokerOptions {
  host: string;
  /** 0: any free port. */
  port: number;
  authenticate: GatewayAuthenticator;
  isTerminalRegistered: IsTerminalRegistered;
  clock: Clock;
  logger: Logger;
  /** Left out: it speaks without TLS. */
  tls?: TlsFiles | undefined;
  /** Whether an address is that of a proxy, through which many come. */
  isProxy?: (address: string) => boolean;
  limits?: Partial<BrokerLimits>;
  pace?: Partial<PaceLimits>;
  /** Left out: it is not measured. */
  registry?: Registry;
}

/** How many passwords are looked up at once. */
const CHECKS_AT_ONCE = 8;

function createState(options: AedesBrokerOptions): BrokerState {
  const { logger, clock, registry } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const metrics = registry === undefined ? undefined : { registry, clock };
  const inbox = createGatewayInbox({ logger, limits, metrics });
  const state: BrokerState = {
    logger,
    outsiders: createBoundedLog({ logger, clock }),
    limits,
    inbox,
    strangers: createSocketRoom({ placesMax: limits.strangersMax, isProxy: options.isProxy }),
    newTerminals: createAddressSeats({ placesMax: limits.newTerminalsMax }),
    checks: createSemaphore({
      name: 'connections to be checked',
      permits: CHECKS_AT_ONCE,
      waitingMax: limits.strangersMax,
    }),
    terminals: createTerminalDoor({
      messageBytesMax: limits.connectBytesMax,
      send: (clientId, message) => publishTo(state, clientId, message),
    }),
    newest: new Map(),
    connected: new Map(),
    revocations: new Map(),
    peers: new WeakMap(),
    refused: new WeakSet(),
    stopping: false,
  };
  return state;
}

/** Starts the broker. Rejects with a clear error when the port is in use. */
export async function createAedesBroker(
  options: AedesBrokerOptions,
): Promise<Broker & { readonly port: number; readonly terminals: TerminalLink }> {
  const { logger } = options;
  const state = createState(options);
  const { limits, inbox } = state;
  const aedes = await Aedes.createBroker({
    connectTimeout: limits.connectTimeoutMs,
    drainTimeout: limits.drainTimeoutMs,
    keepaliveLimit: limits.keepaliveMaxS,
    maxTopicLevels: 8,
    ...admission(state, options),
    ...topicRules(state),
  });
  followConnections(state, aedes);
  const door = openDoor(state, aedes, options);
  const { server } = door;
  server.maxConnections = limits.connectionsMax;
  const port = await listen(server, options).catch((error: unknown) => {
    aedes.close();
    door.end();
    throw error;
  });
  server.on('error', (error) => logger.error({ err: error }, 'MQTT listener failed'));
  logger.info({ host: options.host, port }, 'MQTT broker listens');

  async function stop(): Promise<void> {
    state.stopping = true;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    await new Promise<void>((resolve) => aedes.close(() => resolve()));
    door.end();
    await closed;
    await inbox.idle();
  }
  let stopped: Promise<void> | undefined;

  return {
    port,
    get ready() {
      return server.listening && !state.stopping;
    },
    passwordFor: ({ password }) => password,
    hear: () => undefined,
    leave: () => undefined,
    hears: () => true,
    onHearing: () => () => undefined,
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

/** The listener whose connections the broker serves. */
function openDoor(
  state: BrokerState,
  aedes: Aedes,
  options: AedesBrokerOptions,
): ReturnType<typeof createPacedListener> {
  return createPacedListener({
    ...options,
    strangers: state.strangers,
    handshakeTimeoutMs: state.limits.connectTimeoutMs,
    serve(socket, proved) {
      const client = aedes.handle(socket);
      const remote = socket.remoteAddress ?? '';
      state.peers.set(client, { socket, reading: createReadGate(socket), remote, proved });
      socket.once('close', () => state.newTerminals.leave(client));
      refuseLongPackets(state, { socket, client });
    },
  });
}

function listen(server: Server, options: { host: string; port: number }): Promise<number> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException): void => {
      const where = `${options.host}:${options.port}`;
      const hint =
        error.code === 'EADDRINUSE'
          ? 'another program listens there: stop it, or choose another MQTT_PORT'
          : 'check MQTT_HOST and MQTT_PORT';
      const what = `MQTT broker cannot listen on ${where} (${error.code ?? errorText(error)}): ${hint}`;
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
