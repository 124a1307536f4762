/** Composes the cloud of its rooms. Database, broker and image store come in as ports. */
import { join } from 'node:path';
import type { Registry } from 'prom-client';
import { type Clock, sleep } from '../shared/clock.js';
import type { ClaimAnswer } from '../shared/gateway-config.js';
import type { Logger } from '../shared/logger.js';
import type { Tracer } from '../shared/tracer.js';
import { type AllEndpointsDeps, httpEndpoints } from './all-endpoints.js';
import { type CloudConfig, publicAddresses } from './config.js';
import { composeRealtime, type RealtimeOverrides } from './doors/realtime/compose-realtime.js';
import type { RealtimeHub } from './doors/realtime/realtime-hub.js';
import {
  createWebhookDispatcher,
  measureWebhooks,
  WEBHOOK_ATTEMPTS,
  WEBHOOK_LIMITS,
  type WebhookDispatcher,
  type WebhookLimits,
} from './doors/webhook/webhook-dispatcher.js';
import type { WebhookSender } from './doors/webhook/webhook-sender.js';
import type { Broker } from './equipment/broker/broker.js';
import { measuredBroker } from './equipment/broker/broker-metrics.js';
import type { ClaimRequest } from './equipment/gateway/claim-body.js';
import { measureGateways } from './equipment/gateway/gateway-metrics.js';
import { createReleaseFiles } from './equipment/release/release-files.js';
import { createReleaseLinks } from './equipment/release/release-links.js';
import { composeTerminals } from './equipment/terminal/compose-terminals.js';
import type { TerminalLink } from './equipment/terminal/terminal-link.js';
import { composeGateways, type GatewaysOverrides, type GatewayParts } from './gateways.js';
import { weblinkToken, weblinkUrl } from './guests/weblink/weblink-tokens.js';
import { createAuthenticator } from './site/api-token/authenticator.js';
import type { Caller } from './kernel/auth/caller.js';
import { createTokenRevocations, type TokenRevocations } from './kernel/auth/token-revocations.js';
import { countSharing, type ShareCounts } from './kernel/limit/shared-counts.js';
import { type SocketBudget, socketBudget } from './kernel/limit/socket-budget.js';
import { createAttemptMeasurement } from './kernel/delivery/delivery-metrics.js';
import { createProcessMetrics } from './kernel/measure/process-metrics.js';
import type { Passwords } from './kernel/secrets/passwords.js';
import { createSecrets, hashToken, type Secrets } from './kernel/secrets/secrets.js';
import type { TlsFiles } from './kernel/secrets/tls-files.js';
import type { CloudStore } from './kernel/store/cloud-store.js';
import { measureJournal } from './kernel/store/journal-metrics.js';
import { createHttpApp, type HttpAppDeps } from './rest/http/app.js';
import { createBadRequests } from './rest/http/bad-requests.js';
import { createAddressOf, createIsProxy } from './rest/http/client-address.js';
import type { Endpoint, HttpApp } from './rest/http/endpoint.js';
import { type HttpServer, startHttpServer } from './rest/http/http-server.js';
import { composeMails, measureMails } from './site/mail/compose-mails.js';
import type { MailDispatcher } from './site/mail/mail-dispatcher.js';
import type { MailSender } from './site/mail/mail-sender.js';
import { unsubscribeUrl } from './site/mail/unsubscribe-links.js';
import type { MailLinks } from './site/mail/write-mail.js';
import { composeSignIn } from './site/user-token/compose-sign-in.js';
import { createImageLinks, type ImageLinks } from './traffic/image/image-links.js';
import type { ImageStore } from './traffic/image/image-store.js';
import { measureEarlyRecords } from './traffic/ingest/ingest-metrics.js';
import { createEventSpans, type EventSpans, traceJournal } from './traffic/trace/event-spans.js';
import { DAY_MS } from '../shared/durations.js';

/** A mail is read later than a console. */
const MAIL_IMAGE_LINK_MS = 7 * DAY_MS;

export interface CloudDeps {
  /** The store, already migrated. */
  store: CloudStore;
  /** The broker, already listening. */
  broker: Broker & { readonly port: number; readonly terminals: TerminalLink };
  images: ImageStore;
  passwords: Passwords;
  webhookSender: WebhookSender;
  mailSender: MailSender;
  serverKey: Uint8Array;
  clock: Clock;
  logger: Logger;
  /** Of the REST and WebSocket listener; left out: it speaks without TLS. */
  tls?: TlsFiles | undefined;
  /** Of the broker that gateways use: an authority of its own is told them. */
  mqttTls?: Pick<TlsFiles, 'ca'> | undefined;
  /** What the broker asks the cloud over HTTP; left out: nothing. */
  brokerEndpoints?: readonly Endpoint[];
  /** How many connections its listeners may hold; left out: as many as they hold at most. */
  sockets?: SocketBudget;
  /** The measurements, to which database and broker add theirs; left out: one of its own. */
  registry?: Registry;
  /** Left out: nothing is traced. */
  tracer?: Tracer | undefined;
}

/** The parts that tests replace. Whatever is left out is as it ships. */
export interface CloudOverrides extends RealtimeOverrides {
  /** Spreads the tries of webhooks and mails: 0 to 1. */
  random?: () => number;
  /** Answers claims of gateways in place of the cloud. */
  claim?: ((claim: ClaimRequest) => Promise<ClaimAnswer>) | undefined;
  webhookLimits?: Partial<WebhookLimits> | undefined;
  /** False: mails stay in the queue, where a test looks at them or sends them itself. */
  sendsMails?: boolean;
  gateways?: GatewaysOverrides;
}

/** Pieces of a running cloud, for tests that look at what cannot be seen from outside or stand in for a gateway. */
export interface CloudParts extends GatewayParts {
  app: HttpApp;
  server: HttpServer;
  hub: RealtimeHub;
  imageLinks: ImageLinks;
  revocations: TokenRevocations;
  secrets: Secrets;
}

export interface Cloud {
  /** The address at which people and programs reach it. */
  readonly baseUrl: string;
  /** The TCP port on which it listens. */
  readonly port: number;
  /** Resolves when other processes took this one for dead: it can write nothing any more, and has to be started again. */
  readonly expelled: Promise<void>;
  /** The product itself uses none of them. */
  readonly parts: CloudParts;
  /** Ends what is under way, the broker and the database last. */
  close(): Promise<void>;
}

/** Starts the service. Throws when its TCP port is in use. From then on it owns the ports that it was given, and closes them. */
export async function createCloud(
  config: CloudConfig,
  deps: CloudDeps,
  overrides: CloudOverrides = {},
): Promise<Cloud> {
  const { store, clock, sockets = socketBudget(null) } = deps;
  const { address, ...shared } = composeGround(config, deps);
  const { broker, secrets, baseUrl, imageLinks, revocations } = shared;
  const stopping = new AbortController();
  const expulsion = new AbortController();
  const expelled = new Promise<void>((resolve) => {
    expulsion.signal.addEventListener('abort', () => resolve());
  });
  store.writes?.start();

  const gatewaysDeps = { ...shared, mqttPort: deps.broker.port, onExpelled: () => expulsion.abort() };
  const gateways = await composeGateways(config, gatewaysDeps, overrides.gateways);
  const terminals = await composeTerminals(config, { ...shared, link: deps.broker.terminals });
  const signIn = composeSignIn(config, shared);
  const callers = composeCallers(config, { ...shared, ...signIn });
  const realtimeDeps = { ...shared, ...callers, connectionsMax: sockets.realtime };
  const realtime = await composeRealtime(config, realtimeDeps, overrides);
  const webhooks = composeWebhooks(shared, overrides);
  const app = composeApp(config, {
    ...shared,
    ...callers,
    ...signIn,
    ...gateways,
    ...terminals,
    webhooks,
    claimGateway: overrides.claim ?? gateways.claim,
    isStopping: () => stopping.signal.aborted,
  });
  const serverDeps = { ...deps, ...callers, app, realtime: realtime.server, socketsMax: sockets.http };
  const { host, port } = config;
  const server = await startHttpServer({ ...serverDeps, host, port, pace: overrides.pace });
  address.listensAt(server.port);
  // The links in events and mails begin with the address.
  webhooks.start();
  const mails = startMails(config, shared, overrides);

  return {
    baseUrl: baseUrl(),
    port: server.port,
    expelled,
    parts: { ...gateways.parts, app, server, hub: realtime.hub, imageLinks, revocations, secrets },
    async close() {
      stopping.abort();
      if (config.stopDelayMs > 0) await sleep(clock, config.stopDelayMs);
      await gateways.leave();
      realtime.close();
      terminals.endWaiting();
      await server.close();
      await webhooks.close();
      await mails?.close();
      await signIn.close();
      await gateways.close();
      await broker.close();
      await terminals.close();
      await gateways.endMembership();
      await store.close();
      await deps.tracer?.close();
    },
  };
}

/** Composes what most parts of the cloud stand on. */
function composeGround(config: CloudConfig, deps: CloudDeps) {
  const { store, clock, registry = createProcessMetrics() } = deps;
  const secrets = createSecrets(deps.serverKey);
  const address = createServiceAddress(config, deps.broker);
  const { baseUrl } = address;
  measureDatabase({ ...deps, registry });
  return {
    ...deps,
    address,
    baseUrl,
    registry,
    secrets,
    broker: measuredBroker(deps.broker, { registry, clock }),
    imageLinks: createImageLinks({ derive: secrets.derive, baseUrl, clock }),
    releaseLinks: createReleaseLinks({ derive: secrets.derive, baseUrl }),
    releaseFiles: createReleaseFiles(join(config.dataDir, 'releases')),
    shareCounts: countSharing({ peers: store.peers, clock }),
    revocations: createTokenRevocations(),
    spans: traceEvents(deps),
  };
}

/** The address of the service. Where the system chooses the port (PORT 0), it is right once the server listens. */
function createServiceAddress(config: CloudConfig, broker: { port: number }) {
  const addressAt = (port: number) => publicAddresses(config, { http: port, mqtt: broker.port }).baseUrl;
  let baseUrl = addressAt(config.port);
  return {
    baseUrl: () => baseUrl,
    listensAt(port: number) {
      baseUrl = addressAt(port);
    },
  };
}

/** Adds the events of the journal to the traces of plate reads. undefined: nothing is traced. */
function traceEvents({ tracer, store, clock, logger }: CloudDeps): EventSpans | undefined {
  if (tracer === undefined) return undefined;
  const spans = createEventSpans({ tracer, store, logger });
  traceJournal(store, { spans, clock });
  return spans;
}

function measureDatabase(measuring: { store: CloudStore; registry: Registry; clock: Clock; logger: Logger }): void {
  const { store } = measuring;
  measureGateways(store, measuring);
  measureJournal(store, measuring);
  measureEarlyRecords(store, measuring);
  measureWebhooks(store, measuring);
  measureMails(store, measuring);
}

/** Composes what tells who calls, and from where. */
function composeCallers(
  { trustedProxies, rateRequestsPerMin: requestsPerMin }: CloudConfig,
  deps: { store: CloudStore; shareCounts: ShareCounts; clock: Clock; noteUse: (caller: Caller) => void },
) {
  const { clock, shareCounts } = deps;
  const isProxy = createIsProxy(trustedProxies);
  const badRequests = createBadRequests({ requestsPerMin, clock, shared: shareCounts('bad requests') });
  return {
    isProxy,
    addressOf: createAddressOf(isProxy),
    badRequests,
    authenticate: createAuthenticator({ ...deps, hashToken, guesses: badRequests }),
  };
}

type AppDeps = AllEndpointsDeps & HttpAppDeps & Pick<CloudDeps, 'brokerEndpoints'>;

/** Composes the REST interface with all of its endpoints. */
function composeApp(
  config: CloudConfig,
  parts: Omit<AppDeps, 'hashToken' | 'corsOrigins' | 'hasOwnTls' | 'webhookAllowPrivate' | 'metrics' | 'limits'> & {
    registry: Registry;
  },
): HttpApp {
  const { corsOrigins, webhookAllowPrivate } = config;
  const metrics = { registry: parts.registry, isPublic: config.metricsPublic };
  const limits = {
    requestsPerMin: config.rateRequestsPerMin,
    loginFailuresPerMin: config.rateLoginFailuresPerMin,
    publicPerMin: config.ratePublicPerMin,
  };
  const deps: AppDeps = {
    ...parts,
    hashToken,
    corsOrigins,
    hasOwnTls: config.tls !== null,
    webhookAllowPrivate,
    metrics,
    limits,
  };
  return createHttpApp(deps, [...httpEndpoints(deps), ...(deps.brokerEndpoints ?? [])]);
}

interface LinkingDeps extends Omit<CloudDeps, 'broker'> {
  secrets: Secrets;
  imageLinks: ImageLinks;
  baseUrl: () => string;
  registry: Registry;
}

function composeWebhooks(
  deps: LinkingDeps & { spans: EventSpans | undefined },
  { random = Math.random, webhookLimits }: CloudOverrides,
): WebhookDispatcher {
  const { secrets, imageLinks, registry } = deps;
  return createWebhookDispatcher({
    ...deps,
    sender: deps.webhookSender,
    openSecret: (sealed) => secrets.open('webhook_secret', sealed).toString('utf8'),
    signLinks: imageLinks.signJson,
    random,
    limits: { ...WEBHOOK_LIMITS, ...webhookLimits },
    measure: createAttemptMeasurement(registry, WEBHOOK_ATTEMPTS),
  });
}

function startMails(
  config: CloudConfig,
  deps: LinkingDeps,
  { random = Math.random, sendsMails = true }: CloudOverrides,
): MailDispatcher | null {
  if (!sendsMails) return null;
  const { secrets, baseUrl, clock } = deps;
  const images = createImageLinks({ derive: secrets.derive, baseUrl, clock, lifetimeMs: MAIL_IMAGE_LINK_MS });
  const links: MailLinks = {
    weblink: (link) => weblinkUrl(baseUrl(), { id: link.id, token: weblinkToken(secrets, link) }),
    image: (uid) => ({ url: images.sign(uid), until: clock.now() + MAIL_IMAGE_LINK_MS }),
    unsubscribe: (receiver_id) => unsubscribeUrl(secrets, baseUrl(), receiver_id),
  };
  return composeMails({ ...deps, random, from: config.mailFrom.address, links });
}
