/** Creates every endpoint of the service. */
import * as nodeCrypto from 'node:crypto';
import type { Registry } from 'prom-client';
import type { Clock } from '../shared/clock.js';
import { ApiError } from '../shared/errors.js';
import type { ClaimAnswer } from '../shared/gateway-config.js';
import type { Logger } from '../shared/logger.js';
import type { ProtocolCrypto } from '../shared/product-protocol/protocol-crypto.js';
import { accessEndpoints } from './traffic/access/access-routes.js';
import { RESOURCES } from './all-resources.js';
import { accountEndpoints } from './site/account/account-routes.js';
import { accountUserEndpoints } from './site/account/account-user-routes.js';
import { createAccountUsers } from './site/account/account-users.js';
import { alertReceiverEndpoint } from './guests/alert/alert-routes.js';
import { createUnsubscribe } from './guests/alert/unsubscribe.js';
import { apiTokenEndpoints } from './site/api-token/api-token-routes.js';
import { auditLogEndpoints } from './rest/audit-log/audit-log-routes.js';
import type { TokenRevocations } from './kernel/auth/token-revocations.js';
import type { Broker } from './equipment/broker/broker.js';
import { cameraHealthEndpoint } from './equipment/camera/camera-health-routes.js';
import { commandEndpoints } from './equipment/command/command-routes.js';
import type { Commands } from './equipment/command/commands.js';
import type { ClaimRequest } from './equipment/gateway/claim-body.js';
import { consoleEndpoints } from './console/console-routes.js';
import { displayEndpoints } from './equipment/display/display-routes.js';
import { gatewayClaimEndpoints } from './equipment/gateway/claim-routes.js';
import { gatewayDoctorEndpoints } from './equipment/gateway/gateway-doctor-routes.js';
import { gatewayHealthEndpoint } from './equipment/gateway/gateway-health-routes.js';
import { consolePasswordEndpoints } from './equipment/gateway/console-password-routes.js';
import { gatewayStandingEndpoint } from './equipment/gateway/standing-routes.js';
import { gatewayEndpoints } from './equipment/gateway/gateway-routes.js';
import { gatewayUpdateEndpoints } from './equipment/release/gateway-update-routes.js';
import type { ReleaseFiles } from './equipment/release/release-files.js';
import type { ReleaseLinks } from './equipment/release/release-links.js';
import { releaseEndpoint } from './equipment/release/release-routes.js';
import type { KeyChangeDeps } from './guests/guest-key/change-keys.js';
import { keyLogEndpoints } from './guests/guest-key/key-log-routes.js';
import { operationKeyEndpoints } from './guests/guest-key/operation-key-routes.js';
import { operationTokenEndpoints } from './guests/guest-key/operation-token-routes.js';
import { guestPageEndpoints } from './guests/guest-page/guest-page-routes.js';
import { healthEndpoints } from './doors/health/health-routes.js';
import type { Endpoint } from './rest/request/endpoint.js';
import { metricsEndpoints } from './rest/server/request-metrics.js';
import type { ImageLinks } from './traffic/image/image-links.js';
import { imageEndpoints } from './traffic/image/image-routes.js';
import type { ImageStore } from './traffic/image/image-store.js';
import { createFailureLimiter } from './kernel/limit/failure-limiter.js';
import { createFailurePace } from './kernel/limit/failure-pace.js';
import { unknownZones } from './site/lot/lot-queries.js';
import { mailEndpoints } from './site/mail/mail-routes.js';
import { unsubscribeEndpoints } from './site/mail/unsubscribe-routes.js';
import { lotReleaseEndpoints } from './equipment/command/lot-release-routes.js';
import { membershipEndpoints } from './guests/member/group-routes.js';
import { planEndpoints } from './site/plan/plan-routes.js';
import { signalEndpoint } from './equipment/product/signal-routes.js';
import { boundLicenseEndpoints } from './equipment/product/bound-license-routes.js';
import { lotEntryEndpoints } from './traffic/lot-entry/lot-entry-routes.js';
import { plateReadingEndpoints } from './traffic/reading/plate-reading-routes.js';
import { requireLiveVehicle } from './traffic/reading/live-vehicle-queries.js';
import { sightingEndpoints } from './traffic/reading/sighting-routes.js';
import { asyncApiEndpoints } from './doors/realtime/asyncapi-routes.js';
import { eventEndpoints } from './doors/realtime/event-routes.js';
import { revealEndpoints } from './traffic/reveal/reveal-routes.js';
import type { RestServices } from './rest/resource/resource.js';
import { type ResourceDeps, resourceEndpoints } from './rest/endpoints/resource-endpoints.js';
import { isRestResource } from './rest/endpoints/rest-resource.js';
import type { ShareCounts } from './kernel/limit/shared-counts.js';
import { occupancyEndpoints } from './traffic/occupancy/occupancy-routes.js';
import type { Passwords } from './kernel/secrets/passwords.js';
import type { Secrets } from './kernel/secrets/secrets.js';
import { correctSessionPlate } from './traffic/session/entry-plate.js';
import { sessionAnalyticsEndpoints } from './traffic/session/session-analytics-routes.js';
import { sessionChangeEndpoints } from './traffic/session/session-change-routes.js';
import { generatePublicId } from './traffic/session/public-id.js';
import { createSessionChanges } from './traffic/session/session-changes.js';
import { sessionExportEndpoints } from './traffic/session/session-export-routes.js';
import { sessionPaymentEndpoint } from './traffic/session/session-payment-routes.js';
import { sessionEndpoints } from './traffic/session/session-routes.js';
import type { Change, CloudStore } from './kernel/store/cloud-store.js';
import { pingDatabase } from './kernel/store/ping-queries.js';
import { tariffQuoteEndpoints } from './traffic/tariff/tariff-quote-routes.js';
import { type TerminalDeps, terminalRegistrationEndpoint } from './equipment/terminal/terminal-routes.js';
import { loginEndpoints } from './site/user-token/login-routes.js';
import { createKnownUsers, isWrong, type Login } from './site/user-token/login.js';
import type { WebhookDispatcher } from './doors/webhook/webhook-dispatcher.js';
import { webhookEndpoints } from './doors/webhook/webhook-routes.js';
import { weblinkOperationEndpoints } from './guests/weblink/weblink-operation-routes.js';
import { weblinkQrEndpoints } from './guests/weblink/weblink-qr-routes.js';
import { weblinkEndpoints } from './guests/weblink/weblink-routes.js';
import { recountEndpoint } from './site/zone/recount-routes.js';

export interface AllEndpointsDeps
  extends Pick<ResourceDeps, 'configChanged'>,
    Pick<RestServices, 'cutOffGateway'>,
    Pick<KeyChangeDeps, 'keysDenied'> {
  store: CloudStore;
  broker: Pick<Broker, 'ready' | 'publish'>;
  /** Whether it was told to stop. */
  isStopping: () => boolean;
  shareCounts: ShareCounts;
  images: ImageStore;
  imageLinks: ImageLinks;
  releaseFiles: ReleaseFiles;
  releaseLinks: ReleaseLinks;
  login: Login;
  passwords: Passwords;
  hashToken: (token: string) => string;
  revocations: TokenRevocations;
  /** The measurements of this app and of the process. */
  metrics: { registry: Registry; isPublic: boolean };
  claimGateway: (claim: ClaimRequest, change: Change) => Promise<ClaimAnswer>;
  webhooks: Pick<WebhookDispatcher, 'changed'>;
  /** WEBHOOK_ALLOW_PRIVATE */
  webhookAllowPrivate: boolean;
  secrets: Pick<Secrets, 'seal' | 'open' | 'derive'>;
  crypto: ProtocolCrypto;
  /** Returns the address at which people and programs reach the service. */
  baseUrl: () => string;
  commands: Commands;
  terminals: TerminalDeps['terminals'];
  isTerminalConnected: TerminalDeps['isTerminalConnected'];
  clock: Clock;
  logger: Logger;
  limits: {
    /** RATE_LOGIN_FAILURES_PER_MIN, per email and address; 0: no limit. */
    loginFailuresPerMin: number;
    /** RATE_PUBLIC_PER_MIN: refused claims, weblink requests and picture links per address, operations per weblink; 0: no limit. */
    publicPerMin: number;
  };
}

const REST_RESOURCES = RESOURCES.filter(isRestResource);

/** Creates every endpoint of the service, except those of the documents about them. The first route that fits a request answers. */
export function httpEndpoints(deps: AllEndpointsDeps): Endpoint[] {
  const parts = { ...deps, managed: managedDeps(deps), publicRefusals: createPublicRefusals(deps) };
  return [...serviceEndpoints(parts), ...siteEndpoints(parts), ...guestEndpoints(parts), ...trafficEndpoints(parts)];
}

/** Picks what the endpoints of resources need. */
function managedDeps(deps: AllEndpointsDeps) {
  return {
    store: deps.store,
    clock: deps.clock,
    secrets: deps.secrets,
    baseUrl: deps.baseUrl,
    configChanged: deps.configChanged,
    keysDenied: deps.keysDenied,
    lists: new Map(REST_RESOURCES.map(({ table, rest }) => [table as string, rest.list])),
    services: {
      lotsChanged: () => deps.revocations.lotsChanged(),
      webhooksChanged: () => deps.webhooks.changed(),
      cutOffGateway: deps.cutOffGateway,
    },
  };
}

const isRefusal = (error: unknown) => error instanceof ApiError && error.status < 500;

/** Returns how to limit the requests to a public endpoint that are refused, by address. */
function createPublicRefusals({ limits, clock, shareCounts }: AllEndpointsDeps) {
  return (name: string, countsAsFailure: (error: unknown) => boolean = isRefusal) =>
    createFailureLimiter({ failuresPerMin: limits.publicPerMin, clock, shared: shareCounts(name), countsAsFailure });
}

/** Six addresses that spend all of their refusals have spent those of all addresses together. */
const CLAIMS_BUDGET = 6;

function createClaimPace({ limits, clock }: AllEndpointsDeps) {
  const failuresPerMin = CLAIMS_BUDGET * limits.publicPerMin;
  return createFailurePace({ failuresPerMin, clock, countsAsFailure: isRefusal });
}

interface EndpointParts extends AllEndpointsDeps {
  managed: ReturnType<typeof managedDeps>;
  publicRefusals: ReturnType<typeof createPublicRefusals>;
}

/** The endpoints of the service itself, of its users and programs, and of what it tells them. */
function serviceEndpoints({ managed, publicRefusals, ...deps }: EndpointParts): Endpoint[] {
  const { store, clock, limits, shareCounts } = deps;
  const loginFailures = (name: string, countsAsFailure: (error: unknown) => boolean) =>
    createFailureLimiter({
      failuresPerMin: limits.loginFailuresPerMin,
      clock,
      countsAsFailure,
      shared: shareCounts(name),
    });
  const isWrongPassword = (error: unknown) =>
    error instanceof ApiError && error.errors.some(({ field }) => field === 'old_password');
  return [
    ...healthEndpoints({
      ...deps,
      writes: store.writes,
      pingDatabase: () => pingDatabase(store.reader, clock),
      unknownZones: () => unknownZones(store.reader),
    }),
    ...metricsEndpoints(deps.metrics),
    ...loginEndpoints({
      ...deps,
      failures: loginFailures('logins', isWrong),
      knownUsers: createKnownUsers({ store, clock }),
    }),
    ...gatewayClaimEndpoints({ ...deps, refusals: publicRefusals('claims'), pace: createClaimPace(deps) }),
    ...apiTokenEndpoints({ ...deps, ...managed }),
    ...accountEndpoints(deps),
    ...accountUserEndpoints({
      store,
      clock,
      users: createAccountUsers({ ...deps, failures: loginFailures('old passwords', isWrongPassword) }),
    }),
    ...auditLogEndpoints(deps),
    ...eventEndpoints(deps),
    ...webhookEndpoints({ ...managed, webhookAllowPrivate: deps.webhookAllowPrivate }),
    ...asyncApiEndpoints(deps),
    ...imageEndpoints({ ...deps, refusals: publicRefusals('pictures') }),
  ];
}

/** The endpoints of what a car park is made of. */
function siteEndpoints({ managed, publicRefusals, ...deps }: EndpointParts): Endpoint[] {
  return [
    ...REST_RESOURCES.flatMap((resource) => resourceEndpoints(managed, resource)),
    ...gatewayEndpoints(managed),
    ...consolePasswordEndpoints(managed),
    gatewayStandingEndpoint({ ...deps, ...managed, refusals: publicRefusals('standings') }),
    gatewayHealthEndpoint(deps),
    ...gatewayDoctorEndpoints(deps),
    ...gatewayUpdateEndpoints(deps),
    releaseEndpoint({
      ...deps,
      files: deps.releaseFiles,
      links: deps.releaseLinks,
      refusals: publicRefusals('releases'),
    }),
    ...boundLicenseEndpoints(managed),
    signalEndpoint(deps),
    cameraHealthEndpoint(deps),
    ...membershipEndpoints(managed),
    alertReceiverEndpoint(managed),
    ...mailEndpoints(deps),
    ...unsubscribeEndpoints({
      ...deps,
      removeReceiver: createUnsubscribe(deps),
      refusals: publicRefusals('unsubscribing'),
    }),
    terminalRegistrationEndpoint({ ...deps, ...managed }),
  ];
}

/** The endpoints of guests and their keys, and the pages. */
function guestEndpoints({ managed, publicRefusals, ...deps }: EndpointParts): Endpoint[] {
  const { commands, limits, shareCounts } = deps;
  const { publicPerMin } = limits;
  // Who guesses at the tokens of weblinks has as few guesses at all of their endpoints together.
  const refusals = publicRefusals('weblinks', (error) => error instanceof ApiError);
  return [
    ...weblinkEndpoints(managed),
    ...weblinkQrEndpoints(managed),
    ...weblinkOperationEndpoints({ ...managed, commands, publicPerMin, shareCounts, refusals }),
    ...consoleEndpoints(),
    ...guestPageEndpoints({ ...managed, refusals }),
    ...keyLogEndpoints({ ...deps, ...managed }),
    ...operationKeyEndpoints({ ...deps, ...managed, publicPerMin }),
    ...operationTokenEndpoints(deps),
  ];
}

/** The endpoints of what happens at a car park: reads, commands, sessions and occupancy. */
function trafficEndpoints({ managed, ...deps }: EndpointParts): Endpoint[] {
  const changes = createSessionChanges({ ...deps, generatePublicId, generateUid: nodeCrypto.randomUUID });
  return [
    ...plateReadingEndpoints({ ...deps, plateCorrected: correctSessionPlate(managed) }),
    ...planEndpoints(deps),
    ...revealEndpoints(deps),
    ...accessEndpoints(deps),
    ...lotEntryEndpoints(deps),
    ...sightingEndpoints(deps),
    ...commandEndpoints({ ...deps, requireLiveVehicle: (of) => requireLiveVehicle(deps.store.reader, of, deps.clock) }),
    ...lotReleaseEndpoints(deps),
    // These come before the session by id.
    ...sessionAnalyticsEndpoints(deps),
    ...sessionExportEndpoints(deps),
    ...sessionEndpoints(deps),
    sessionPaymentEndpoint(deps),
    ...sessionChangeEndpoints({ ...deps, changes }),
    ...tariffQuoteEndpoints(deps),
    recountEndpoint(managed),
    ...occupancyEndpoints(deps),
    ...displayEndpoints(deps),
  ];
}
