/** A cloud of its real parts on loopback: SQLite, the HTTP app, the realtime server. Only time is a fake clock. */
import * as nodeCrypto from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { createAuthenticator } from '../../../cloud/auth/authenticator.js';
import { createFailedSignIns } from '../../../cloud/user-token/failed-sign-ins.js';
import { createLogin, createSignInDelay } from '../../../cloud/user-token/login.js';
import { createUserTokenUses } from '../../../cloud/user-token/user-token-uses.js';
import { httpEndpoints } from '../../../cloud/all-endpoints.js';
import { createTokenRevocations, type TokenRevocations } from '../../../cloud/auth/token-revocations.js';
import { type CommandDispatcher, createCommandDispatcher } from '../../../cloud/command/command-dispatcher.js';
import { createCommands } from '../../../cloud/command/commands.js';
import { generateEventId } from '../../../cloud/command/event-id.js';
import type { ConfigChanged } from '../../../cloud/resource/config-changed.js';
import { createHttpApp } from '../../../cloud/http/app.js';
import { createBadRequests } from '../../../cloud/http/bad-requests.js';
import { createAddressOf, createIsProxy } from '../../../cloud/http/client-address.js';
import type { Endpoint, HttpApp } from '../../../cloud/http/endpoint.js';
import { type HttpServer, startHttpServer } from '../../../cloud/http/http-server.js';
import type { ClaimRequest } from '../../../cloud/gateway/claim-body.js';
import { createFileImageStore } from '../../../cloud/image/file-image-store.js';
import { createImageLinks, type ImageLinks } from '../../../cloud/image/image-links.js';
import type { ImageStore } from '../../../cloud/image/image-store.js';
import { CONNECTION_LIMITS, type ConnectionLimits } from '../../../cloud/realtime/connection.js';
import { createRealtimeHub, type RealtimeHub } from '../../../cloud/realtime/realtime-hub.js';
import type { PaceLimits } from '../../../shared/connection-pace.js';
import type { RoomLimits } from '../../../cloud/realtime/realtime-rooms.js';
import { createRealtimeServer } from '../../../cloud/realtime/ws-realtime-server.js';
import { createProductReceptions, type ProductReceptions } from '../../../cloud/product/product-receptions.js';
import type { Passwords } from '../../../cloud/secrets/passwords.js';
import { createSecrets, hashToken, type Secrets } from '../../../cloud/secrets/secrets.js';
import { generatePublicId } from '../../../cloud/session/public-id.js';
import { createSessionChanges } from '../../../cloud/session/session-changes.js';
import type { CloudStore } from '../../../cloud/store/cloud-store.js';
import { openCloudStore } from '../../../cloud/store/open-cloud-store.js';
import type { TerminalLink } from '../../../cloud/terminal/terminal-link.js';
import { createTerminalRegistrations } from '../../../cloud/terminal/terminal-registrations.js';
import { createHttpWebhookSender } from '../../../cloud/webhook/http-webhook-sender.js';
import type { Resolve } from '../../../cloud/webhook/name-resolver.js';
import {
  createWebhookDispatcher,
  WEBHOOK_LIMITS,
  type WebhookDispatcher,
  type WebhookLimits,
} from '../../../cloud/webhook/webhook-dispatcher.js';
import type { CommittedChange } from '../../../cloud/store/store-kernel.js';
import { quickPasswords } from '../../sim/world/quick-passwords.js';
import { openMigratedStore } from '../../sim/world/migrated-store.js';
import type { ClaimAnswer, ConfigSection } from '../../../shared/gateway-config.js';
import type { GatewayUuid } from '../../../shared/ids.js';
import type { Logger } from '../../../shared/logger.js';
import { createProtocolCrypto } from '../../../shared/product-protocol/protocol-crypto.js';
import {
  type CommandMessage,
  commandMessageSchema,
  type PairingMessage,
  pairingMessageSchema,
} from '../../../shared/uplink-orders.js';
import { FakeClock } from '../../sim/world/fake-clock.js';
import { fetchChecked } from '../../contract/checked-fetch.js';

export interface LogLine {
  level: keyof Logger;
  fields: Record<string, unknown>;
  message: string;
}

export type Told = { lot_id: number | null; sections: readonly ConfigSection[] | 'all' } | { disconnected: string };

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
  readonly log: LogLine[];
  /** What gateways were to be told, in order. */
  readonly told: Told[];
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
  /** Of realtime connections without a token. */
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
}

export async function startCloudWorld(options: WorldOptions = {}): Promise<CloudWorld> {
  const directory = options.directory ?? (await mkdtemp(join(tmpdir(), 'cloud-http-')));
  const serverKey = nodeCrypto.randomBytes(32);
  const clock = new FakeClock();
  let parts = await startParts({ ...options, directory, serverKey, clock });
  return {
    clock,
    get store() {
      return parts.store;
    },
    get images() {
      return parts.images;
    },
    get imageLinks() {
      return parts.imageLinks;
    },
    get revocations() {
      return parts.revocations;
    },
    get hub() {
      return parts.hub;
    },
    get app() {
      return parts.app;
    },
    get server() {
      return parts.server;
    },
    get base() {
      return parts.base;
    },
    get broker() {
      return parts.broker;
    },
    get commandParts() {
      return parts.commandParts;
    },
    get log() {
      return parts.log;
    },
    get told() {
      return parts.told;
    },
    get denied() {
      return parts.denied;
    },
    get secrets() {
      return parts.secrets;
    },
    get changedLots() {
      return parts.changedLots;
    },
    ask: (method, path, asked) =>
      isToBeTold(method, path, asked)
        ? askAndBeTold(parts.store, () => ask(parts.base, method, path, asked))
        : ask(parts.base, method, path, asked),
    async restart() {
      await parts.close();
      parts = await startParts({ ...options, directory, serverKey, clock });
    },
    async close() {
      await parts.close();
      if (options.directory === undefined) await rm(directory, { recursive: true, force: true });
    },
  };
}

async function startParts(options: WorldOptions & { directory: string; serverKey: Uint8Array; clock: FakeClock }) {
  const { directory, serverKey, clock } = options;
  const log: LogLine[] = [];
  const logger = options.logger ?? collectingLogger(log);
  const registry = new Registry();
  const storeOptions = {
    clock,
    logger,
    registry,
    ...(options.onCommitted === undefined ? {} : { onCommitted: options.onCommitted }),
  };
  const store =
    options.databaseUrl === undefined
      ? await openMigratedStore({ ...storeOptions, url: `sqlite:${join(directory, 'cloud.db')}` })
      : await openCloudStore({ ...storeOptions, url: options.databaseUrl });
  if (options.databaseUrl !== undefined) await store.migrate();
  let base = '';
  let webhooks: WebhookDispatcher | undefined;
  const told: Told[] = [];
  const denied: number[] = [];
  const secrets = createSecrets(serverKey);
  const { derive } = secrets;
  const imageLinks = createImageLinks({ derive, baseUrl: () => base, clock });
  const images = createFileImageStore({ directory: join(directory, 'images') });
  const revocations = createTokenRevocations();
  const lifeMs = USER_TOKEN_DAYS * 86_400_000;
  const { noteUse } = createUserTokenUses({ store, clock, logger, lifeMs });
  const addressOf = createAddressOf(createIsProxy(options.trustedProxies ?? []));
  const badRequests = createBadRequests({ requestsPerMin: options.requestsPerMin ?? 0, clock });
  const authenticate = createAuthenticator({ store, hashToken, guesses: badRequests, clock, noteUse });
  const failuresPerMin = options.loginFailuresPerMin ?? 5;
  const broker = { ready: true };
  const configChanged: ConfigChanged = ({ lot_id }, sections) =>
    void told.push({ lot_id, sections: sections ?? 'all' });
  const commandParts = createCommandParts({ store, clock, logger, configChanged, secrets: createSecrets(serverKey) });
  const changedLots: number[] = [];
  const passwords = options.passwords ?? quickPasswords;
  const terminalLink = options.terminalLink ?? NO_TERMINALS;
  const terminals = createTerminalRegistrations({
    link: terminalLink,
    clock,
    waitMs: TERMINAL_WAIT_MS,
    generateRequestId: nodeCrypto.randomUUID,
  });
  const rest = {
    store,
    isStopping: () => false,
    broker,
    images,
    imageLinks,
    authenticate,
    addressOf,
    badRequests,
    commands: createCommands({
      store,
      dispatcher: commandParts.dispatcher,
      clock,
      generateEventId,
      ratePerMin: options.commandsPerMin ?? 15,
      seenWithinMs: SEEN_WITHIN_MS,
    }),
    terminals,
    isTerminalConnected: terminalLink.isConnected,
    sessionChanges: createSessionChanges({
      store,
      clock,
      generatePublicId,
      generateUid: nodeCrypto.randomUUID,
      configChanged: ({ lot_id }) => void (lot_id !== null && changedLots.push(lot_id)),
    }),
    passwords,
    hashToken,
    revocations,
    metrics: { registry, isPublic: options.metricsPublic ?? false },
    corsOrigins: options.corsOrigins ?? [],
    login: createLogin({
      store,
      passwords,
      hashToken,
      revocations,
      failedSignIns: createFailedSignIns({ store, clock, logger }),
      delay: createSignInDelay({ failuresPerMin, clock }),
      lifeMs,
      clock,
    }),
    claimGateway: options.claimGateway ?? (() => Promise.reject(new Error('no claims in this test'))),
    gateways: {
      configChanged,
      keysDenied: (product_ids: Iterable<number>) => void denied.push(...product_ids),
      cutOffGateway: async ({ uuid }: { uuid: string }) => void told.push({ disconnected: uuid }),
    },
    secrets,
    crypto: createProtocolCrypto(nodeCrypto),
    webhooks: { changed: () => webhooks?.changed() },
    webhookAllowPrivate: options.webhooks?.allowPrivate ?? true,
    baseUrl: () => base,
    clock,
    logger,
    limits: {
      requestsPerMin: options.requestsPerMin ?? 0,
      loginFailuresPerMin: failuresPerMin,
      publicPerMin: options.publicPerMin ?? 10,
    },
  };
  const app = createHttpApp(rest, [...httpEndpoints(rest), ...(options.furtherEndpoints ?? [])]);
  const hub = createRealtimeHub({
    store,
    imageLinks,
    clock,
    logger,
    limits: { ...CONNECTION_LIMITS, ...options.limits },
  });
  await hub.ready;
  revocations.onRevoked((tokens) => hub.closeTokens(tokens));
  revocations.onLotsChanged(hub.followLots);
  const realtime = createRealtimeServer({
    hub,
    authenticate,
    addressOf,
    origins: () => ({ allowed: options.corsOrigins ?? [], own: base }),
    clock,
    logger,
    limits: options.rooms ?? {},
    pace: options.pace ?? {},
  });
  const server = await startHttpServer({
    app,
    realtime,
    host: '127.0.0.1',
    port: 0,
    clock,
    ...(options.socketsMax === undefined ? {} : { socketsMax: options.socketsMax }),
  });
  base = `http://127.0.0.1:${server.port}`;
  webhooks = startWebhooks({ store, clock, logger, secrets, imageLinks, ...options.webhooks });
  return {
    store,
    images,
    imageLinks,
    revocations,
    hub,
    app,
    server,
    base,
    broker,
    commandParts,
    log,
    told,
    denied,
    secrets,
    changedLots,
    async close() {
      await server.close();
      await webhooks?.close();
      await commandParts.dispatcher.close();
      await store.close();
    },
  };
}

/** Real HTTP, with tries as early as they may be. */
function startWebhooks(
  deps: Pick<CloudWorld, 'store' | 'clock' | 'secrets' | 'imageLinks'> & { logger: Logger } & WorldOptions['webhooks'],
): WebhookDispatcher {
  const { store, clock, logger, secrets, imageLinks, allowPrivate = true, resolve, limits } = deps;
  return createWebhookDispatcher({
    store,
    sender: createHttpWebhookSender({ allowPrivate, clock, ...(resolve === undefined ? {} : { resolve }) }),
    openSecret: (sealed) => secrets.open('webhook_secret', sealed).toString('utf8'),
    signLinks: imageLinks.signJson,
    clock,
    random: () => 0,
    logger,
    limits: { ...WEBHOOK_LIMITS, ...limits },
  });
}

/** How long a user token lives after its last use. */
export const USER_TOKEN_DAYS = 30;
const SEEN_WITHIN_MS = 120_000;
export const TERMINAL_WAIT_MS = 10_000;

const NO_TERMINALS: TerminalLink = {
  isConnected: () => false,
  connected: () => [],
  publish: async () => false,
  onMessage: () => () => {},
  onPresence: () => () => {},
};

/** The dispatcher of commands, with an ear where gateways would be. */
function createCommandParts(deps: {
  store: CloudStore;
  clock: FakeClock;
  logger: Logger;
  secrets: Secrets;
  configChanged: ConfigChanged;
}): CommandParts {
  const receptions = createProductReceptions({ clock: deps.clock, seenWithinMs: SEEN_WITHIN_MS });
  const sent: CommandParts['sent'] = [];
  const pairings: CommandParts['pairings'] = [];
  const dispatcher = createCommandDispatcher({
    ...deps,
    broker: {
      async publish(uuid, channel, payload) {
        const message: unknown = JSON.parse(payload);
        if (channel === 'pairing') pairings.push({ uuid, message: pairingMessageSchema.parse(message) });
        else sent.push({ uuid, message: commandMessageSchema.parse(message) });
      },
    },
    receptions,
    crypto: createProtocolCrypto(nodeCrypto),
    gatewayWaitMs: 30_000,
    productMinRssi: -95,
  });
  return { receptions, dispatcher, sent, pairings, secrets: deps.secrets };
}

function collectingLogger(log: LogLine[]): Logger {
  const level = (name: keyof Logger) => (fields: Record<string, unknown>, message: string) =>
    void log.push({ level: name, fields, message });
  return { debug: level('debug'), info: level('info'), warn: level('warn'), error: level('error') };
}

/** Of a repeat with a key the first request was told; asking for a status or a preview changes nothing; claims are made up by some tests. */
const isToBeTold = (method: string, path: string, asked?: AskOptions): boolean =>
  ['POST', 'PUT', 'PATCH', 'DELETE'].includes(method) &&
  asked?.headers?.['idempotency-key'] === undefined &&
  !/^\/v2\/(weblinks\/[^/]+\/status|rgb-displays\/\d+\/preview|gateways\/claim)\b/.test(path);

/** Whatever any test changes this way, the audit log must tell. */
async function askAndBeTold(store: CloudStore, work: () => Promise<Answer>): Promise<Answer> {
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
      ...(options.json === undefined ? {} : { 'content-type': 'application/json' }),
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
