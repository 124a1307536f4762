/** The cloud as it ships, on loopback and SQLite. Only time is a fake clock, and the broker is in memory. */
import * as nodeCrypto from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { MIGRATIONS } from '../../../cloud/all-migrations.js';
import type { TokenRevocations } from '../../../cloud/kernel/auth/token-revocations.js';
import { createCloud } from '../../../cloud/cloud.js';
import type { CloudDeps } from '../../../cloud/ground.js';
import type { GatewayParts, GatewaysOverrides } from '../../../cloud/gateways.js';
import type { Broker } from '../../../cloud/equipment/broker/broker.js';
import type { CommandDispatcher } from '../../../cloud/equipment/command/command-dispatcher.js';
import { type CloudConfig, loadCloudConfig } from '../../../cloud/config.js';
import type { ClaimRequest } from '../../../cloud/equipment/gateway/claim-body.js';
import type { Endpoint, HttpApp } from '../../../cloud/rest/request/endpoint.js';
import type { HttpServer } from '../../../cloud/rest/server/http-server.js';
import { createFileImageStore } from '../../../cloud/traffic/image/file-image-store.js';
import type { ImageLinks } from '../../../cloud/traffic/image/image-links.js';
import type { ImageStore } from '../../../cloud/traffic/image/image-store.js';
import { socketBudget } from '../../../cloud/kernel/limit/socket-budget.js';
import type { ProductReceptions } from '../../../cloud/equipment/product/product-receptions.js';
import type { ConnectionLimits } from '../../../cloud/doors/realtime/connection.js';
import type { RealtimeHub } from '../../../cloud/doors/realtime/realtime-hub.js';
import type { RoomLimits } from '../../../cloud/doors/realtime/realtime-rooms.js';
import type { Passwords } from '../../../cloud/kernel/secrets/passwords.js';
import { createSecrets, type Secrets } from '../../../cloud/kernel/secrets/secrets.js';
import type { CloudStore } from '../../../cloud/kernel/store/cloud-store.js';
import { openCloudStore } from '../../../cloud/kernel/store/open-cloud-store.js';
import type { CommittedChange } from '../../../cloud/kernel/store/transaction.js';
import type { TerminalLink } from '../../../cloud/equipment/terminal/terminal-link.js';
import { createHttpWebhookSender } from '../../../cloud/doors/webhook/http-webhook-sender.js';
import type { Resolve } from '../../../cloud/doors/webhook/name-resolver.js';
import type { WebhookLimits } from '../../../cloud/doors/webhook/webhook-dispatcher.js';
import type { PaceLimits } from '../../../shared/connection-pace.js';
import type { ClaimAnswer, ConfigSection } from '../../../shared/gateway-config.js';
import type { GatewayUuid } from '../../../shared/ids.js';
import type { Logger } from '../../../shared/logger.js';
import {
  type CommandMessage,
  commandMessageSchema,
  type PairingMessage,
  pairingMessageSchema,
} from '../../../shared/uplink-orders.js';
import { fetchChecked } from '../../contract/checked-fetch.js';
import { FakeClock } from '../../world/fake-clock.js';
import { createMemoryBroker } from '../../world/memory-broker.js';
import { openMigratedStore } from '../../world/migrated-store.js';
import { quickPasswords } from '../../world/quick-passwords.js';
import { createTestLog, type LogLine } from '../../world/test-log.js';
import { cloudDeps } from '../../world/cloud-deps.js';

export type Notified = { lot_id: number | null; sections: readonly ConfigSection[] | 'all' } | { disconnected: string };

export interface CommandParts {
  readonly receptions: ProductReceptions;
  readonly dispatcher: CommandDispatcher;
  /** Commands that gateways were asked to do. */
  readonly sent: { uuid: GatewayUuid; message: CommandMessage }[];
  /** Steps of pairings that gateways were told. */
  readonly pairings: { uuid: GatewayUuid; message: PairingMessage }[];
  readonly secrets: Secrets;
}

export interface CloudWorld {
  readonly clock: FakeClock;
  readonly store: CloudStore;
  readonly images: ImageStore;
  readonly imageLinks: ImageLinks;
  readonly revocations: TokenRevocations;
  readonly hub: RealtimeHub;
  readonly app: HttpApp;
  readonly server: HttpServer;
  readonly base: string;
  readonly broker: { ready: boolean };
  readonly commandParts: CommandParts;
  readonly gatewayParts: GatewayParts;
  readonly directory: string;
  readonly logger: Logger;
  readonly log: LogLine[];
  /** What gateways were to be told, in order. */
  readonly notified: Notified[];
  /** Products that were to be told what to refuse, in order. */
  readonly denied: number[];
  readonly secrets: Secrets;
  /** Lots whose gateways were to be told of their sessions, in order. */
  readonly changedLots: number[];
  /** Asks the cloud over HTTP; `token` becomes the bearer, `json` the body. */
  ask(method: string, path: string, options?: AskOptions): Promise<Answer>;
  /** Stops the cloud and starts another one on the same data. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export interface AskOptions {
  token?: string;
  json?: unknown;
  body?: string | Uint8Array | ReadableStream;
  headers?: Record<string, string>;
}

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** Of what is no JSON, a file: whether it was sent. */
  body: { success: boolean; data?: unknown; errors?: { code: number; message: string; field?: string }[] };
}

export interface WorldOptions {
  /** Where the data is, and stays; one of its own, gone with the world, when left out. */
  directory?: string;
  /** Of a database that the test has by itself; the directory's when left out. */
  databaseUrl?: string;
  corsOrigins?: string[];
  /** Unless a test says otherwise webhooks may go to this machine. */
  webhooks?: { allowPrivate?: boolean; resolve?: Resolve; limits?: Partial<WebhookLimits> };
  claimGateway?: (claim: ClaimRequest) => Promise<ClaimAnswer>;
  limits?: Partial<ConnectionLimits>;
  rooms?: Partial<RoomLimits>;
  /** Of connections of which nothing was accepted yet. No limit when left out: an address would be held to it by a clock that stands still. */
  pace?: Partial<PaceLimits>;
  /** Of the REST listener. */
  socketsMax?: number;
  loginFailuresPerMin?: number;
  publicPerMin?: number;
  commandsPerMin?: number;
  /** No limit when left out. */
  requestsPerMin?: number;
  trustedProxies?: string[];
  /** They cost nothing when left out. */
  passwords?: Passwords;
  metricsPublic?: boolean;
  /** Beside all that a cloud has. */
  furtherEndpoints?: readonly Endpoint[];
  /** Nobody is connected when left out. */
  terminalLink?: TerminalLink;
  onCommitted?: (change: CommittedChange) => void;
  /** What is logged stands in `log` when left out. */
  logger?: Logger;
  serverKey?: Uint8Array;
  /** Whether the cloud looks at the disk of its database; it does not when left out. */
  watchesDisk?: boolean;
  /** PRODUCT_SEEN_WITHIN_MS */
  seenWithinMs?: number;
  /** What is to be done with the database before each start of the cloud. */
  onOpened?: (store: CloudStore) => Promise<void>;
  /** Opens the broker of gateways; it is in memory when left out. */
  openBroker?: (deps: { store: CloudStore; clock: FakeClock; logger: Logger }) => Promise<CloudDeps['broker']>;
  gateways?: GatewaysOverrides;
}

export async function startCloudWorld(options: WorldOptions = {}): Promise<CloudWorld> {
  const directory = options.directory ?? (await mkdtemp(join(tmpdir(), 'cloud-http-')));
  const { serverKey = nodeCrypto.randomBytes(32) } = options;
  const clock = new FakeClock();
  const begin = () => start({ ...options, directory, serverKey, clock });
  let { close, ...running } = await begin();
  const world: CloudWorld = {
    clock,
    ...running,
    ask(method, path, asked) {
      const send = () => ask(running.base, method, path, asked);
      return isNotifying(method, path, asked) ? askAndNotify(running.store, send) : send();
    },
    async restart() {
      await close();
      ({ close, ...running } = await begin());
      Object.assign(world, running);
    },
    async close() {
      await close();
      if (options.directory === undefined) await rm(directory, { recursive: true, force: true });
    },
  };
  return world;
}

/** Starts the cloud as it ships, on a store and a broker of the test's own. */
async function start(options: WorldOptions & { directory: string; serverKey: Uint8Array; clock: FakeClock }) {
  const { directory, serverKey, clock } = options;
  const { lines: log, logger: collecting } = createTestLog();
  const logger = options.logger ?? collecting;
  const registry = new Registry();
  const store = await openStore(options, { logger, registry });
  await options.onOpened?.(store);
  const notified: Notified[] = [];
  const denied: number[] = [];
  const changedLots: number[] = [];
  const sent: CommandParts['sent'] = [];
  const pairings: CommandParts['pairings'] = [];
  const broker = createMemoryBroker({
    terminals: options.terminalLink,
    onDisconnected: (uuid) => void notified.push({ disconnected: uuid }),
  });
  const images = createFileImageStore({ directory: join(directory, 'images') });
  const { allowPrivate = true, resolve, limits: webhookLimits } = options.webhooks ?? {};
  const config = configOf(options);
  const cloud = await createCloud(
    { ...config, webhookAllowPrivate: allowPrivate },
    await cloudDeps(config, {
      // A day of the fake clock has 43,200 looks at the disk.
      store: options.watchesDisk === true ? store : Object.assign(store, { writes: null }),
      broker: listening((await options.openBroker?.({ store, clock, logger })) ?? broker, (uuid, channel, payload) => {
        const message: unknown = JSON.parse(payload);
        if (channel === 'pairing') pairings.push({ uuid, message: pairingMessageSchema.parse(message) });
        if (channel === 'command') sent.push({ uuid, message: commandMessageSchema.parse(message) });
      }),
      images,
      passwords: options.passwords ?? quickPasswords,
      webhookSender: createHttpWebhookSender({ allowPrivate, clock, ...(resolve === undefined ? {} : { resolve }) }),
      serverKey,
      clock,
      logger,
      registry,
      sockets: { ...socketBudget(null), ...(options.socketsMax === undefined ? {} : { http: options.socketsMax }) },
    }),
    {
      // Tries are as early as they may be.
      random: () => 0,
      claim: options.claimGateway,
      furtherEndpoints: options.furtherEndpoints,
      connectionLimits: options.limits,
      roomLimits: options.rooms,
      pace: options.pace ?? { burst: 1_000_000 },
      webhookLimits,
      // Tests of mails have a dispatcher of their own.
      sendsMails: false,
      gateways: {
        onConfigChanged({ lot_id }, sections) {
          notified.push({ lot_id, sections: sections ?? 'all' });
          if (sections?.includes('sessions') === true && lot_id !== null) changedLots.push(lot_id);
        },
        onKeysDenied: (product_ids) => void denied.push(...product_ids),
        // Gateways of tests are online because the database says so.
        startGraceMs: null,
        ingestEveryMs: 0,
        ...options.gateways,
      },
    },
  );
  const { app, server, hub, imageLinks, revocations, secrets, receptions, dispatcher } = cloud.parts;
  return {
    directory,
    store,
    images,
    imageLinks,
    revocations,
    hub,
    app,
    server,
    base: cloud.baseUrl,
    broker,
    commandParts: { receptions, dispatcher, sent, pairings, secrets },
    gatewayParts: cloud.parts,
    logger,
    log,
    notified,
    denied,
    secrets,
    changedLots,
    close: cloud.close,
  };
}

/** Returns the broker with a listener to what is published. */
function listening(
  broker: CloudDeps['broker'],
  onPublish: (...published: Parameters<Broker['publish']>) => void,
): CloudDeps['broker'] {
  return {
    ...broker,
    get ready() {
      return broker.ready;
    },
    publish(...published) {
      onPublish(...published);
      return broker.publish(...published);
    },
  };
}

async function openStore(
  {
    databaseUrl,
    onCommitted,
    directory,
    clock,
    serverKey,
  }: WorldOptions & { directory: string; serverKey: Uint8Array; clock: FakeClock },
  { logger, registry }: { logger: Logger; registry: Registry },
): Promise<CloudStore> {
  const { derive } = createSecrets(serverKey);
  const options = { clock, logger, registry, derive, ...(onCommitted === undefined ? {} : { onCommitted }) };
  if (databaseUrl === undefined) return openMigratedStore({ ...options, url: `sqlite:${join(directory, 'cloud.db')}` });
  const store = await openCloudStore({ ...options, url: databaseUrl });
  await store.migrate(MIGRATIONS);
  return store;
}

/** The settings as they are without any, on free ports of this machine. */
function configOf(options: WorldOptions & { directory: string }): CloudConfig {
  const { directory } = options;
  const config = loadCloudConfig({
    environment: { HOST: '127.0.0.1', PORT: '0', DATA_DIR: directory },
    workingDirectory: directory,
  });
  return {
    ...config,
    corsOrigins: options.corsOrigins ?? [],
    trustedProxies: options.trustedProxies ?? [],
    metricsPublic: options.metricsPublic ?? false,
    rateRequestsPerMin: options.requestsPerMin ?? 0,
    rateLoginFailuresPerMin: options.loginFailuresPerMin ?? config.rateLoginFailuresPerMin,
    productSeenWithinMs: options.seenWithinMs ?? config.productSeenWithinMs,
    ratePublicPerMin: options.publicPerMin ?? config.ratePublicPerMin,
    rateCommandsPerMin: options.commandsPerMin ?? config.rateCommandsPerMin,
  };
}

/** How long a user token lives after its last use. */
export const USER_TOKEN_DAYS = 30;
export const TERMINAL_WAIT_MS = 10_000;

/** Of a repeat with a key the first request was told; asking for a status or a preview changes nothing; claims are made up by some tests; a new password is answered before it is looked whose. */
const isNotifying = (method: string, path: string, asked?: AskOptions): boolean =>
  ['POST', 'PUT', 'PATCH', 'DELETE'].includes(method) &&
  asked?.headers?.['idempotency-key'] === undefined &&
  !/^\/v2\/(weblinks\/[^/]+\/status|rgb-displays\/\d+\/preview|gateways\/claim|auth\/password-reset)\b/.test(path);

/** Whatever any test changes this way, the audit log must tell. */
async function askAndNotify(store: CloudStore, work: () => Promise<Answer>): Promise<Answer> {
  const lastEntry = async () => {
    const { id } = await store.reader
      .selectFrom('audit_log')
      .select(({ fn }) => fn.max('id').as('id'))
      .executeTakeFirstOrThrow();
    return Number(id ?? 0);
  };
  const before = await lastEntry();
  const answer = await work();
  if (answer.status === 200 && (await lastEntry()) === before) throw new Error('The audit log does not tell of it');
  return answer;
}

async function ask(base: string, method: string, path: string, options: AskOptions = {}): Promise<Answer> {
  const body = options.json === undefined ? options.body : JSON.stringify(options.json);
  const response = await fetchChecked(`${base}${path}`, {
    method,
    headers: {
      ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...options.headers,
    },
    ...(body === undefined ? {} : { body }),
    ...(body instanceof ReadableStream ? { duplex: 'half' } : {}),
  } as RequestInit);
  const text = await response.text();
  const type = response.headers.get('content-type')?.split(';', 1)[0] ?? '';
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: (type === 'application/json' ? JSON.parse(text) : { success: response.ok }) as Answer['body'],
  };
}
