/** Composes the cloud of its rooms. Database, broker and image store come in as ports. */
import { sleep } from '../shared/clock.js';
import type { ClaimAnswer } from '../shared/gateway-config.js';
import { type CloudConfig, publicAddresses } from './config.js';
import { composeRealtime, type RealtimeOverrides } from './doors/realtime/compose-realtime.js';
import type { RealtimeHub } from './doors/realtime/realtime-hub.js';
import {
  createWebhookDispatcher,
  WEBHOOK_ATTEMPTS,
  WEBHOOK_LIMITS,
  type WebhookDispatcher,
  type WebhookLimits,
} from './doors/webhook/webhook-dispatcher.js';
import type { ClaimRequest } from './equipment/gateway/claim-body.js';
import { composeTerminals } from './equipment/terminal/compose-terminals.js';
import { composeGateways, type GatewaysOverrides, type GatewayParts } from './gateways.js';
import { startMemberImports } from './guests/member/member-imports.js';
import { weblinkToken, weblinkUrl } from './guests/weblink/weblink-tokens.js';
import { createAuthenticator } from './site/api-token/authenticator.js';
import type { Caller } from './kernel/auth/caller.js';
import { type TokenRevocations } from './kernel/auth/token-revocations.js';
import { createAttemptMeasurement } from './kernel/delivery/delivery-metrics.js';
import { hashToken, type Secrets } from './kernel/secrets/secrets.js';
import { createHttpApp } from './rest/server/app.js';
import { createBadRequests } from './rest/request/bad-requests.js';
import { createAddressOf, createIsProxy } from './rest/server/client-address.js';
import type { Endpoint, HttpApp } from './rest/request/endpoint.js';
import { type HttpServer, startHttpServer } from './rest/server/http-server.js';
import { composeMails } from './site/mail/compose-mails.js';
import type { MailDispatcher } from './site/mail/mail-dispatcher.js';
import { resetUrl } from './site/password-reset/reset-tokens.js';
import { unsubscribeUrl } from './site/mail/unsubscribe-links.js';
import type { MailLinks } from './site/mail/write-mail.js';
import { composeSignIn } from './site/user-token/compose-sign-in.js';
import { createImageLinks, type ImageLinks } from './traffic/image/image-links.js';
import { DAY_MS } from '../shared/durations.js';
import { type CloudDeps, composeGround, type Ground } from './ground.js';
import { endpointDeps, httpEndpoints } from './all-endpoints.js';

/** A mail is read later than a console. */
const MAIL_IMAGE_LINK_MS = 7 * DAY_MS;

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
  /** Beside those that it has. */
  furtherEndpoints?: readonly Endpoint[] | undefined;
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
  const { store, clock, sockets, tracer } = deps;
  const address = createServiceAddress(config, deps.broker);
  const { baseUrl } = address;
  const ground = composeGround(config, deps, baseUrl);
  const { broker, secrets, imageLinks, revocations } = ground;
  const stopping = new AbortController();
  let onExpelled = () => {};
  const expelled = new Promise<void>((resolve) => (onExpelled = resolve));
  store.writes?.start();

  const gateways = await composeGateways(config, ground, { onExpelled, overrides: overrides.gateways });
  const terminals = await composeTerminals(config, ground, deps.broker.terminals);
  const signIn = composeSignIn(config, ground);
  const callers = composeCallers(config, ground, signIn);
  const realtime = await composeRealtime(config, ground, { callers, connectionsMax: sockets.realtime, overrides });
  const webhooks = composeWebhooks(ground, overrides);
  const endpoints = endpointDeps(config, ground, {
    callers,
    signIn,
    gateways,
    terminals,
    webhooks,
    claimGateway: overrides.claim ?? gateways.claim,
    isStopping: () => stopping.signal.aborted,
  });
  const app = createHttpApp(endpoints, [...httpEndpoints(endpoints), ...(overrides.furtherEndpoints ?? [])]);
  const server = await startHttpServer({
    app,
    realtime: realtime.server,
    host: config.host,
    port: config.port,
    clock,
    tls: deps.tls ?? undefined,
    socketsMax: sockets.http,
    isProxy: callers.isProxy,
    pace: overrides.pace,
  });
  address.listensAt(server.port);
  // The links in events and mails begin with the address.
  webhooks.start();
  const own = [startMails(config, ground, overrides), startImports(endpoints, gateways, overrides)];
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
      for (const each of own) await each?.close();
      await signIn.close();
      await gateways.close();
      await broker.close();
      await terminals.close();
      await gateways.endMembership();
      await store.close();
      await tracer?.close();
    },
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

/** Composes what tells who calls, and from where. */
function composeCallers(
  { trustedProxies, rateRequestsPerMin: requestsPerMin }: CloudConfig,
  { store, shareCounts, clock }: Ground,
  { noteUse }: { noteUse: (caller: Caller) => void },
) {
  const isProxy = createIsProxy(trustedProxies);
  const badRequests = createBadRequests({ requestsPerMin, clock, shared: shareCounts('bad requests') });
  return {
    isProxy,
    addressOf: createAddressOf(isProxy),
    badRequests,
    authenticate: createAuthenticator({ store, hashToken, guesses: badRequests, clock, noteUse }),
  };
}

function composeWebhooks(
  { store, clock, logger, registry, secrets, imageLinks, spans, webhookSender: sender }: Ground,
  { random = Math.random, webhookLimits }: CloudOverrides,
): WebhookDispatcher {
  return createWebhookDispatcher({
    store,
    clock,
    logger,
    random,
    sender,
    openSecret: (sealed) => secrets.open('webhook_secret', sealed).toString('utf8'),
    signLinks: imageLinks.signJson,
    limits: { ...WEBHOOK_LIMITS, ...webhookLimits },
    measure: createAttemptMeasurement(registry, WEBHOOK_ATTEMPTS),
    spans,
  });
}

function startImports(
  { store, clock, logger, secrets, lists, services, configChanged }: ReturnType<typeof endpointDeps>,
  { isFirst, onFirst }: Awaited<ReturnType<typeof composeGateways>>,
  { random = Math.random }: CloudOverrides,
) {
  return startMemberImports({
    store,
    clock,
    random,
    logger,
    secrets,
    lists,
    services,
    configChanged,
    isFirst,
    onFirst,
  });
}

function startMails(
  config: CloudConfig,
  ground: Ground,
  { random = Math.random, sendsMails = true }: CloudOverrides,
): MailDispatcher | null {
  if (!sendsMails) return null;
  const { secrets, baseUrl, clock } = ground;
  const images = createImageLinks({ derive: secrets.derive, baseUrl, clock, lifetimeMs: MAIL_IMAGE_LINK_MS });
  const links: MailLinks = {
    weblink: (link) => weblinkUrl(baseUrl(), { id: link.id, token: weblinkToken(secrets, link) }),
    image: (uid) => ({ url: images.sign(uid), until: clock.now() + MAIL_IMAGE_LINK_MS }),
    reset: (link) => resetUrl(secrets, baseUrl(), link),
    unsubscribe: (receiver_id) => unsubscribeUrl(secrets, baseUrl(), receiver_id),
  };
  return composeMails(ground, { from: config.mailFrom.address, links, random });
}
