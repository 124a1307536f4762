/** Puts the cloud together from its rooms. Database, broker and image store come in as ports. */
import * as nodeCrypto from 'node:crypto';
import { domainToASCII } from 'node:url';
import type { Registry } from 'prom-client';
import { type Clock, sleep } from '../shared/clock.js';
import type { PaceLimits } from '../shared/connection-pace.js';
import type { ClaimAnswer } from '../shared/gateway-config.js';
import type { Logger } from '../shared/logger.js';
import type { Tracer } from '../shared/tracer.js';
import { httpEndpoints } from './all-endpoints.js';
import { createAuthenticator } from './kernel/auth/authenticator.js';
import { createGateways, type GatewaysOverrides } from './gateways.js';
import { createFailedSignIns } from './site/user-token/failed-sign-ins.js';
import { createLogin, createSignInDelay } from './site/user-token/login.js';
import { startSignInUpkeep } from './site/user-token/sign-in-upkeep.js';
import { createUserTokenUses } from './site/user-token/user-token-uses.js';
import { createTokenRevocations, type TokenRevocations } from './kernel/auth/token-revocations.js';
import type { Broker } from './equipment/broker/broker.js';
import { measuredBroker } from './equipment/broker/broker-metrics.js';
import type { CommandDispatcher } from './equipment/command/command-dispatcher.js';
import { type CloudConfig, publicAddresses } from './config.js';
import type { ClaimRequest } from './equipment/gateway/claim-body.js';
import { measureGateways } from './equipment/gateway/gateway-metrics.js';
import { createHttpApp } from './rest/http/app.js';
import type { Endpoint, HttpApp } from './rest/http/endpoint.js';
import { createBadRequests } from './rest/http/bad-requests.js';
import { createAddressOf, createIsProxy } from './rest/http/client-address.js';
import { type HttpServer, startHttpServer } from './rest/http/http-server.js';
import { createImageLinks, type ImageLinks } from './traffic/image/image-links.js';
import type { ImageStore } from './traffic/image/image-store.js';
import { measureEarlyRecords } from './traffic/ingest/ingest-metrics.js';
import { createMailDispatcher, MAIL_LIMITS } from './site/mail/mail-dispatcher.js';
import { createMailMeasurement, measureMails } from './site/mail/mail-metrics.js';
import type { MailSender } from './site/mail/mail-sender.js';
import { unsubscribeUrl } from './site/mail/unsubscribe-links.js';
import { createMailWriter } from './site/mail/write-mail.js';
import { createProcessMetrics } from './kernel/measure/process-metrics.js';
import type { ProductReceptions } from './equipment/product/product-receptions.js';
import { CONNECTION_LIMITS, type ConnectionLimits } from './doors/realtime/connection.js';
import { startJournalRetention } from './doors/realtime/journal-retention.js';
import { createRealtimeHub, type RealtimeHub } from './doors/realtime/realtime-hub.js';
import { createRealtimeMeasurement } from './doors/realtime/realtime-metrics.js';
import type { RoomLimits } from './doors/realtime/realtime-rooms.js';
import { createRealtimeServer } from './doors/realtime/ws-realtime-server.js';
import { countSharing } from './kernel/limit/shared-counts.js';
import { type SocketBudget, socketBudget } from './kernel/limit/socket-budget.js';
import type { Passwords } from './kernel/secrets/passwords.js';
import { createSecrets, hashToken, type Secrets } from './kernel/secrets/secrets.js';
import type { TlsFiles } from './kernel/secrets/tls-files.js';
import { generatePublicId } from './traffic/session/public-id.js';
import { createSessionChanges } from './traffic/session/session-changes.js';
import type { CloudStore } from './kernel/store/cloud-store.js';
import { measureJournal } from './kernel/store/journal-metrics.js';
import type { TerminalLink } from './equipment/terminal/terminal-link.js';
import { shareTerminals } from './equipment/terminal/shared-terminals.js';
import { startTerminalPresence } from './equipment/terminal/terminal-presence.js';
import { createTerminalRegistrations } from './equipment/terminal/terminal-registrations.js';
import { createEventSpans, traceJournal } from './traffic/trace/event-spans.js';
import {
  createWebhookDispatcher,
  WEBHOOK_LIMITS,
  type WebhookDispatcher,
  type WebhookLimits,
} from './doors/webhook/webhook-dispatcher.js';
import { createWebhookMeasurement, measureDeliveries } from './doors/webhook/webhook-metrics.js';
import type { WebhookSender } from './doors/webhook/webhook-sender.js';
import { weblinkToken, weblinkUrl } from './guests/weblink/weblink-tokens.js';
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
  /** null: mails stay in the queue, and another program on the same database sends them. */
  mailSender: MailSender | null;
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

/** What tests replace of it. Whatever is left out is as it ships. */
export interface CloudOverrides {
  /** Spreads the tries of webhooks and mails: 0 to 1. */
  random?: () => number;
  /** Answers claims of gateways in place of the cloud. */
  claim?: ((claim: ClaimRequest) => Promise<ClaimAnswer>) | undefined;
  connectionLimits?: Partial<ConnectionLimits> | undefined;
  roomLimits?: Partial<RoomLimits> | undefined;
  /** Of realtime connections without a token. */
  pace?: Partial<PaceLimits> | undefined;
  webhookLimits?: Partial<WebhookLimits> | undefined;
  gateways?: GatewaysOverrides;
}

/** Pieces of a running cloud, for tests that look at what cannot be seen from outside or stand in for a gateway. */
export interface CloudParts {
  app: HttpApp;
  server: HttpServer;
  hub: RealtimeHub;
  imageLinks: ImageLinks;
  revocations: TokenRevocations;
  secrets: Secrets;
  /** What gateways heard lately. */
  receptions: ProductReceptions;
  dispatcher: CommandDispatcher;
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
  const { random = Math.random } = overrides;
  const { store, images, clock, logger, sockets = socketBudget(null), registry = createProcessMetrics() } = deps;
  const measuring = { registry, clock, logger };
  const broker = measuredBroker(deps.broker, measuring);
  const secrets = createSecrets(deps.serverKey);
  let baseUrl = '';
  let webhooks: WebhookDispatcher | undefined;

  const imageLinks = createImageLinks({ derive: secrets.derive, baseUrl: () => baseUrl, clock });
  const { tracer } = deps;
  const spans = tracer === undefined ? undefined : createEventSpans({ tracer, store, logger });
  if (spans !== undefined) traceJournal(store, { spans, clock });
  measureGateways(store, measuring);
  measureJournal(store, measuring);
  measureEarlyRecords(store, measuring);
  measureDeliveries(store, measuring);
  measureMails(store, measuring);
  store.writes?.start();
  let onExpelled = () => {};
  const expelled = new Promise<void>((resolve) => (onExpelled = resolve));
  let isStopping = false;
  const gateways = await createGateways(config, {
    ...deps,
    broker,
    mqttPort: deps.broker.port,
    registry,
    onExpelled,
    overrides: overrides.gateways,
  });
  const link = await shareTerminals({ link: deps.broker.terminals, store, clock, logger });
  const generateRequestId = nodeCrypto.randomUUID;
  const terminals = createTerminalRegistrations({ link, clock, waitMs: config.terminalWaitMs, generateRequestId });
  const terminalPresence = await startTerminalPresence({ store, link, clock, logger });
  const revocations = createTokenRevocations();
  const lifeMs = config.userTokenDays * DAY_MS;
  const { noteUse } = createUserTokenUses({ store, clock, logger, lifeMs });
  const isProxy = createIsProxy(config.trustedProxies);
  const addressOf = createAddressOf(isProxy);
  const shareCounts = countSharing({ peers: store.peers, clock });
  const badRequests = createBadRequests({
    requestsPerMin: config.rateRequestsPerMin,
    clock,
    shared: shareCounts('bad requests'),
  });
  const authenticate = createAuthenticator({ store, hashToken, guesses: badRequests, clock, noteUse });
  const rest = {
    store,
    broker,
    isStopping: () => isStopping,
    images,
    imageLinks,
    authenticate,
    addressOf,
    badRequests,
    shareCounts,
    passwords: deps.passwords,
    hashToken,
    revocations,
    metrics: { registry, isPublic: config.metricsPublic },
    corsOrigins: config.corsOrigins,
    login: createLogin({
      store,
      passwords: deps.passwords,
      hashToken,
      revocations,
      failedSignIns: createFailedSignIns({ store, clock, logger }),
      delay: createSignInDelay({
        failuresPerMin: config.rateLoginFailuresPerMin,
        clock,
        shared: shareCounts('sign-ins'),
      }),
      lifeMs,
      clock,
    }),
    baseUrl: () => baseUrl,
    claimGateway: overrides.claim ?? gateways.claim,
    gateways,
    secrets,
    crypto: gateways.crypto,
    webhooks: { changed: () => webhooks?.changed() },
    webhookAllowPrivate: config.webhookAllowPrivate,
    commands: gateways.commands,
    terminals,
    isTerminalConnected: link.isConnected,
    sessionChanges: createSessionChanges({
      clock,
      generatePublicId,
      generateUid: nodeCrypto.randomUUID,
      configChanged: gateways.configChanged,
    }),
    clock,
    logger,
    limits: {
      requestsPerMin: config.rateRequestsPerMin,
      loginFailuresPerMin: config.rateLoginFailuresPerMin,
      publicPerMin: config.ratePublicPerMin,
    },
  };
  const app = createHttpApp(rest, [...httpEndpoints(rest), ...(deps.brokerEndpoints ?? [])]);
  const hub = createRealtimeHub({
    store,
    imageLinks,
    clock,
    logger,
    limits: { ...CONNECTION_LIMITS, ...overrides.connectionLimits },
    measurement: createRealtimeMeasurement(registry),
    spans,
  });
  revocations.onRevoked((tokens) => hub.closeTokens(tokens));
  revocations.onLotsChanged(hub.followLots);
  const stopMissed = store.peers?.onMissed(() => void hub.followLots());
  const realtime = createRealtimeServer({
    hub,
    authenticate,
    addressOf,
    origins: () => ({ allowed: config.corsOrigins, own: baseUrl }),
    clock,
    logger,
    limits: { connectionsMax: sockets.realtime, ...overrides.roomLimits },
    pace: overrides.pace ?? {},
    registry,
  });
  await hub.ready;
  const signInUpkeep = startSignInUpkeep({ store, revocations, clock, logger, lifeMs });
  const retention = startJournalRetention({ store, clock, logger, retentionHours: config.eventRetentionHours });
  const server = await startHttpServer({
    app,
    realtime,
    host: config.host,
    port: config.port,
    clock,
    tls: deps.tls,
    socketsMax: sockets.http,
    isProxy,
  });
  baseUrl = publicAddresses(config, { http: server.port, mqtt: deps.broker.port }).baseUrl;
  // Image links begin with the service's address, which is known only now.
  webhooks = createWebhookDispatcher({
    store,
    sender: deps.webhookSender,
    openSecret: (sealed) => secrets.open('webhook_secret', sealed).toString('utf8'),
    signLinks: imageLinks.signJson,
    clock,
    random,
    logger,
    limits: { ...WEBHOOK_LIMITS, ...overrides.webhookLimits },
    measurement: createWebhookMeasurement(registry),
    spans,
  });
  const { mailSender } = deps;
  const mails =
    mailSender === null ? null : createMails(config, { ...deps, mailSender, secrets, baseUrl, registry, random });

  return {
    baseUrl,
    port: server.port,
    expelled,
    parts: {
      app,
      server,
      hub,
      imageLinks,
      revocations,
      secrets,
      receptions: gateways.receptions,
      dispatcher: gateways.dispatcher,
    },
    async close() {
      isStopping = true;
      if (config.stopDelayMs > 0) await sleep(clock, config.stopDelayMs);
      await gateways.leave();
      stopMissed?.();
      retention.cancel();
      terminals.close();
      await server.close();
      await webhooks?.close();
      await mails?.close();
      await signInUpkeep.close();
      await gateways.close();
      await broker.close();
      await terminalPresence.close();
      link.close();
      await gateways.endMembership();
      await store.close();
      await tracer?.close();
    },
  };
}

/** Sends mails, whose links begin with the service's address. */
function createMails(
  config: Pick<CloudConfig, 'mailFrom'>,
  deps: Pick<CloudDeps, 'store' | 'clock' | 'logger'> & {
    mailSender: MailSender;
    random: () => number;
    secrets: Pick<Secrets, 'derive'>;
    baseUrl: string;
    registry: Registry;
  },
) {
  const { store, mailSender, secrets, clock, logger, baseUrl, registry, random } = deps;
  const images = createImageLinks({
    derive: secrets.derive,
    baseUrl: () => baseUrl,
    clock,
    lifetimeMs: MAIL_IMAGE_LINK_MS,
  });
  const domain = domainToASCII(config.mailFrom.address.replace(/^.*@/, ''));
  return createMailDispatcher({
    store,
    sender: mailSender,
    write: createMailWriter({
      weblink: (link) => weblinkUrl(baseUrl, { id: link.id, token: weblinkToken(secrets, link) }),
      image: (uid) => ({ url: images.sign(uid), until: clock.now() + MAIL_IMAGE_LINK_MS }),
      unsubscribe: (receiver_id) => unsubscribeUrl(secrets, baseUrl, receiver_id),
    }),
    generateMessageId: () => `<${nodeCrypto.randomUUID()}@${domain === '' ? 'localhost' : domain}>`,
    clock,
    random,
    logger,
    limits: MAIL_LIMITS,
    isAlone: store.peers === null,
    measurement: createMailMeasurement(registry),
  });
}
