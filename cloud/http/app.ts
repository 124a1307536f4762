import { randomUUID } from 'node:crypto';
import { OpenAPIHono } from '@hono/zod-openapi';
import type { Registry } from 'prom-client';
import type { Clock } from '../../shared/clock.js';
import { ApiError } from '../../shared/errors.js';
import type { ClaimAnswer } from '../../shared/gateway-config.js';
import type { Logger } from '../../shared/logger.js';
import { createAccountUsers } from '../account/account-users.js';
import type { Authenticate } from '../auth/authenticator.js';
import { createFailureLimiter } from '../auth/failure-limiter.js';
import type { Login } from '../auth/login.js';
import { createRequestLimiter } from '../auth/request-limiter.js';
import type { TokenRevocations } from '../auth/token-revocations.js';
import type { Broker } from '../broker/broker.js';
import type { Commands } from '../command/commands.js';
import type { ImageLinks } from '../images/image-links.js';
import type { ImageStore } from '../images/image-store.js';
import type { Secrets } from '../secrets/secrets.js';
import type { SessionChanges } from '../session/session-changes.js';
import type { Passwords } from '../secrets/passwords.js';
import type { CloudStore } from '../store/cloud-store.js';
import { pingDatabase } from '../store/queries/health.js';
import type { WebhookDispatcher } from '../webhook/webhook-dispatcher.js';
import { createAuditLog } from './audit.js';
import { corsFor } from './cors.js';
import { type Endpoint, type HttpApp, mountEndpoints } from './endpoint.js';
import { errorResponse } from './envelope.js';
import type { HttpEnv } from './http-env.js';
import { asyncApiEndpoints } from './routes/asyncapi.js';
import { createIdempotency } from './idempotency.js';
import { documentEndpoints } from './openapi.js';
import { measureRequests, metricsEndpoints } from './request-metrics.js';
import { accountUserEndpoints } from './routes/account-users.js';
import { apiTokenEndpoints } from './routes/api-tokens.js';
import { auditLogEndpoints } from './routes/audit-log.js';
import { loginEndpoints } from './routes/auth-login.js';
import { boundLicenseEndpoints } from './routes/bound-licenses.js';
import { commandEndpoints } from './routes/commands.js';
import { eventEndpoints } from './routes/events.js';
import { type ClaimRequest, gatewayClaimEndpoints } from './routes/gateway-claim.js';
import { type GatewayDeps, gatewayEndpoints } from './routes/gateways.js';
import { groupEndpoints } from './routes/groups.js';
import { healthEndpoints } from './routes/health.js';
import { imageEndpoints } from './routes/image-links.js';
import { licensePlateAlertEndpoints } from './routes/license-plate-alerts.js';
import { lotEntryEndpoints } from './routes/lot-entries.js';
import { lotEndpoints } from './routes/lots.js';
import { lprCameraEndpoints } from './routes/lpr-cameras.js';
import { memberEndpoints } from './routes/members.js';
import { parkingGatewayEndpoints } from './routes/parking-gateways.js';
import { parkingPlaceEndpoints } from './routes/parking-places.js';
import { lotReleaseEndpoints } from './routes/lot-release.js';
import { plateReadingEndpoints } from './routes/plate-readings.js';
import { productEndpoints } from './routes/products.js';
import { rgbDisplayRuleEndpoints } from './routes/rgb-display-rules.js';
import { rgbDisplayEndpoints } from './routes/rgb-displays.js';
import { sessionAnalyticsEndpoints } from './routes/session-analytics.js';
import { sessionChangeEndpoints } from './routes/session-changes.js';
import { sessionExportEndpoints } from './routes/session-exports.js';
import { sessionEndpoints } from './routes/sessions.js';
import { sightingEndpoints } from './routes/sightings.js';
import { tariffEndpoints } from './routes/tariffs.js';
import { type TerminalDeps, terminalEndpoints } from './routes/terminals.js';
import { webhookEndpoints } from './routes/webhooks.js';
import { weblinkOperationEndpoints } from './routes/weblink-operations.js';
import { weblinkEndpoints } from './routes/weblinks.js';
import { zoneEndpoints } from './routes/zones.js';
import { tariffQuoteEndpoints } from './routes/tariff-quotes.js';

export interface HttpAppDeps {
  store: CloudStore;
  broker: Pick<Broker, 'ready'>;
  images: ImageStore;
  imageLinks: ImageLinks;
  authenticate: Authenticate;
  login: Login;
  passwords: Passwords;
  hashToken: (token: string) => string;
  revocations: TokenRevocations;
  /** Of this app's own measurements and the process's. */
  metrics: { registry: Registry; isPublic: boolean };
  /** Of pages that may call it. */
  corsOrigins: readonly string[];
  claimGateway: (claim: ClaimRequest) => Promise<ClaimAnswer>;
  /** Who has to know when REST changes what gateways are made of. */
  gateways: Pick<GatewayDeps, 'configChanged' | 'disconnectGateway'>;
  webhooks: Pick<WebhookDispatcher, 'changed'>;
  /** WEBHOOK_ALLOW_PRIVATE */
  webhookAllowPrivate: boolean;
  secrets: Pick<Secrets, 'seal' | 'derive'>;
  /** Where people and programs reach the service. */
  baseUrl: () => string;
  commands: Commands;
  terminals: TerminalDeps['terminals'];
  isTerminalConnected: TerminalDeps['isTerminalConnected'];
  sessionChanges: SessionChanges;
  clock: Clock;
  logger: Logger;
  limits: {
    /** RATE_REQUESTS_PER_MIN, per token; 0: no limit. */
    requestsPerMin: number;
    /** RATE_LOGIN_FAILURES_PER_MIN, per email and address; 0: no limit. */
    loginFailuresPerMin: number;
    /** RATE_PUBLIC_PER_MIN: refused claims and wrong weblink tokens per address, operations per weblink; 0: no limit. */
    publicPerMin: number;
  };
}

/** A client may name its request; what it says ends up in logs and in a header. */
const REQUEST_ID = /^[\w.:-]{1,128}$/;

/** The REST interface. Serve it with `startHttpServer`. */
export function createHttpApp(deps: HttpAppDeps): HttpApp {
  const { store, clock, logger, limits } = deps;
  const app = new OpenAPIHono<HttpEnv>();

  app.use(async (c, next) => {
    const given = c.req.header('x-request-id') ?? '';
    const requestId = REQUEST_ID.test(given) ? given : randomUUID();
    c.set('requestId', requestId);
    c.header('X-Request-Id', requestId);
    c.header('X-Content-Type-Options', 'nosniff');
    await next();
    // The path only: a query may hold a signature or a token.
    logger.debug({ request_id: requestId, method: c.req.method, path: c.req.path, status: c.res.status }, 'Request');
  });
  app.use(measureRequests({ registry: deps.metrics.registry, clock }));
  if (deps.corsOrigins.length > 0) app.use(corsFor(deps.corsOrigins));
  app.onError((error, c) => errorResponse(c, error, logger));
  app.notFound((c) => errorResponse(c, new ApiError(6), logger));

  const requests = createRequestLimiter({ requestsPerMin: limits.requestsPerMin, clock });
  const endpoints = [...httpEndpoints(deps), ...documentEndpoints(app)];
  mountEndpoints(app, endpoints, {
    ...deps,
    requests,
    idempotency: createIdempotency({ store, clock }),
    audit: createAuditLog({ store, clock }),
  });
  return app;
}

/** Every endpoint of the service, but for the documents about them. */
export function httpEndpoints(deps: HttpAppDeps): Endpoint[] {
  const { store, clock, logger, limits } = deps;
  const loginFailures = (countsAsFailure: (error: ApiError) => boolean) =>
    createFailureLimiter({
      failuresPerMin: limits.loginFailuresPerMin,
      clock,
      countsAsFailure: (error) => error instanceof ApiError && countsAsFailure(error),
    });
  const managed = { ...deps.gateways, store, clock, secrets: deps.secrets, baseUrl: deps.baseUrl };
  return [
    ...healthEndpoints({ broker: deps.broker, pingDatabase: () => pingDatabase(store.reader) }),
    ...metricsEndpoints(deps.metrics),
    ...loginEndpoints({
      login: deps.login,
      failures: loginFailures(({ errors }) => errors.some(({ code }) => code === 8)),
    }),
    ...gatewayClaimEndpoints({
      claimGateway: deps.claimGateway,
      refusals: createFailureLimiter({
        failuresPerMin: limits.publicPerMin,
        clock,
        countsAsFailure: (error) => error instanceof ApiError && error.status < 500,
      }),
      logger,
    }),
    ...apiTokenEndpoints(deps),
    ...accountUserEndpoints({
      store,
      clock,
      users: createAccountUsers({
        ...deps,
        failures: loginFailures(({ errors }) => errors.some(({ field }) => field === 'old_password')),
      }),
    }),
    ...auditLogEndpoints(deps),
    ...eventEndpoints({ store }),
    ...webhookEndpoints(deps),
    ...asyncApiEndpoints(deps),
    ...imageEndpoints(deps),
    ...lotEndpoints({ ...managed, revocations: deps.revocations }),
    ...zoneEndpoints(managed),
    ...parkingPlaceEndpoints(managed),
    ...parkingGatewayEndpoints(managed),
    ...lprCameraEndpoints(managed),
    ...gatewayEndpoints(managed),
    ...productEndpoints(managed),
    ...boundLicenseEndpoints(managed),
    ...memberEndpoints(managed),
    ...groupEndpoints(managed),
    ...tariffEndpoints(managed),
    ...licensePlateAlertEndpoints(managed),
    ...rgbDisplayEndpoints(managed),
    ...rgbDisplayRuleEndpoints(managed),
    ...terminalEndpoints({ ...deps, ...managed }),
    ...weblinkEndpoints(managed),
    ...weblinkOperationEndpoints({ ...managed, commands: deps.commands, publicPerMin: limits.publicPerMin }),
    ...plateReadingEndpoints({ store, clock }),
    ...lotEntryEndpoints({ store, clock }),
    ...sightingEndpoints({ store, clock }),
    ...commandEndpoints(deps),
    ...lotReleaseEndpoints(deps),
    // Before the session of an id: the first route that fits answers.
    ...sessionAnalyticsEndpoints({ store, clock }),
    ...sessionExportEndpoints({ store, clock, logger }),
    ...sessionEndpoints({ store, clock }),
    ...sessionChangeEndpoints({ store, clock, changes: deps.sessionChanges }),
    ...tariffQuoteEndpoints({ store }),
  ];
}
