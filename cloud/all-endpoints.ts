/** Creates every endpoint of the service. */
import * as nodeCrypto from 'node:crypto';
import { ApiError } from '../shared/errors.js';
import type { ClaimAnswer } from '../shared/gateway-config.js';
import { accessEndpoints } from './traffic/access/access-routes.js';
import { RESOURCES } from './all-resources.js';
import { accountEndpoints } from './site/account/account-routes.js';
import { alertReceiverEndpoint } from './guests/alert/alert-routes.js';
import { createUnsubscribe } from './guests/alert/unsubscribe.js';
import { apiTokenEndpoints } from './site/api-token/api-token-routes.js';
import { auditLogEndpoints } from './rest/audit-log/audit-log-routes.js';
import { cameraHealthEndpoint } from './equipment/camera/camera-health-routes.js';
import { commandEndpoints } from './equipment/command/command-routes.js';
import type { ClaimRequest } from './equipment/gateway/claim-body.js';
import { createConsolePages } from './console/console-routes.js';
import { displayEndpoints } from './equipment/display/display-routes.js';
import { gatewayClaimEndpoints } from './equipment/gateway/claim-routes.js';
import { allAskEndpoints } from './equipment/ask/ask-routes.js';
import { pushAddressEndpoint } from './equipment/ask/push-address-routes.js';
import { gatewayDoctorEndpoints } from './equipment/gateway/gateway-doctor-routes.js';
import { gatewayHealthEndpoint } from './equipment/gateway/gateway-health-routes.js';
import { consolePasswordEndpoints } from './equipment/gateway/console-password-routes.js';
import { gatewayLastRecordsEndpoint } from './equipment/gateway/last-records-routes.js';
import { gatewayStandingEndpoint } from './equipment/gateway/standing-routes.js';
import { gatewayEndpoints } from './equipment/gateway/gateway-routes.js';
import { gatewayUpdateEndpoints } from './equipment/release/gateway-update-routes.js';
import { releaseEndpoint } from './equipment/release/release-routes.js';
import { rollOutEndpoints } from './equipment/release/roll-out-routes.js';
import { keyLogEndpoints } from './guests/guest-key/key-log-routes.js';
import { operationKeyEndpoints } from './guests/guest-key/operation-key-routes.js';
import { operationTokenEndpoints } from './guests/guest-key/operation-token-routes.js';
import { guestPageEndpoints } from './guests/guest-page/guest-page-routes.js';
import { healthEndpoints } from './doors/health/health-routes.js';
import type { Endpoint } from './rest/request/endpoint.js';
import { metricsEndpoints } from './rest/server/request-metrics.js';
import { imageEndpoints } from './traffic/image/image-routes.js';
import { unknownZones } from './site/lot/lot-queries.js';
import { mailEndpoints } from './site/mail/mail-routes.js';
import { unsubscribeEndpoints } from './site/mail/unsubscribe-routes.js';
import { lotReleaseEndpoints } from './equipment/command/lot-release-routes.js';
import { membershipEndpoints } from './guests/member/group-routes.js';
import { memberBulkEndpoints } from './guests/member/member-bulk-routes.js';
import { memberImportEndpoints } from './guests/member/member-import-routes.js';
import { planEndpoints } from './site/plan/plan-routes.js';
import { receptionEndpoint } from './equipment/product/reception-routes.js';
import { signalEndpoint } from './equipment/product/signal-routes.js';
import { boundLicenseEndpoints } from './equipment/product/bound-license-routes.js';
import { lotEntryEndpoints } from './traffic/lot-entry/lot-entry-routes.js';
import { plateReadingEndpoints } from './traffic/reading/plate-reading-routes.js';
import { requireLiveVehicle } from './traffic/reading/live-vehicle-queries.js';
import { sightingEndpoints } from './traffic/reading/sighting-routes.js';
import { asyncApiEndpoints } from './doors/realtime/asyncapi-routes.js';
import { eventEndpoints } from './doors/realtime/event-routes.js';
import { revealEndpoints } from './traffic/reveal/reveal-routes.js';
import { createExports } from './rest/endpoints/export-endpoint.js';
import { openingEndpoints } from './traffic/opening/opening-routes.js';
import { resourceEndpoints } from './rest/endpoints/resource-endpoints.js';
import { isRestResource } from './rest/endpoints/rest-resource.js';
import { occupancyEndpoints } from './traffic/occupancy/occupancy-routes.js';
import { sessionCorrections } from './traffic/session/session-corrections.js';
import { sessionAnalyticsEndpoints } from './traffic/session/session-analytics-routes.js';
import { sessionChangeEndpoints } from './traffic/session/session-change-routes.js';
import { generatePublicId } from './traffic/session/public-id.js';
import { createSessionChanges } from './traffic/session/session-changes.js';
import { sessionExportEndpoints } from './traffic/session/session-export-routes.js';
import { sessionPaymentEndpoint } from './traffic/session/session-payment-routes.js';
import { sessionEndpoints } from './traffic/session/session-routes.js';
import type { Change } from './kernel/store/cloud-store.js';
import { pingDatabase } from './kernel/store/ping-queries.js';
import { tariffQuoteEndpoints } from './traffic/tariff/tariff-quote-routes.js';
import { terminalRegistrationEndpoint } from './equipment/terminal/terminal-routes.js';
import { logoEndpoints } from './site/face/logo-routes.js';
import { allSignInEndpoints } from './sign-in-endpoints.js';
import type { Login } from './site/user-token/login.js';
import { webhookEndpoints } from './doors/webhook/webhook-routes.js';
import { weblinkOperationEndpoints } from './guests/weblink/weblink-operation-routes.js';
import { weblinkQrEndpoints } from './guests/weblink/weblink-qr-routes.js';
import { weblinkEndpoints } from './guests/weblink/weblink-routes.js';
import { recountEndpoint } from './site/zone/recount-routes.js';
import type { WebhookDispatcher } from './doors/webhook/webhook-dispatcher.js';
import type { composeTerminals } from './equipment/terminal/compose-terminals.js';
import type { composeGateways } from './gateways.js';
import { createClaimPace, createPublicRefusals, type PublicRefusals } from './public-refusals.js';
import type { Ground } from './ground.js';
import type { CloudConfig } from './config.js';
import type { HttpAppDeps } from './rest/server/app.js';
import { hashToken } from './kernel/secrets/secrets.js';

const REST_RESOURCES = RESOURCES.filter(isRestResource);

/** The parts that serve, beside the ground. */
interface Served {
  callers: Pick<HttpAppDeps, 'addressOf' | 'authenticate' | 'badRequests'>;
  signIn: { login: Login };
  gateways: Awaited<ReturnType<typeof composeGateways>>;
  terminals: Awaited<ReturnType<typeof composeTerminals>>;
  webhooks: Pick<WebhookDispatcher, 'changed'>;
  claimGateway: (claim: ClaimRequest, change: Change) => Promise<ClaimAnswer>;
  /** Whether the service was told to stop. */
  isStopping: () => boolean;
}

type AllEndpointsDeps = ReturnType<typeof endpointDeps>;

/** Gathers what the REST interface is made of. */
export function endpointDeps(config: CloudConfig, ground: Ground, served: Served) {
  const { revocations } = ground;
  const { callers, gateways, terminals, webhooks } = served;
  const pages = createConsolePages();
  return {
    store: ground.store,
    broker: ground.broker,
    clock: ground.clock,
    logger: ground.logger,
    images: ground.images,
    imageLinks: ground.imageLinks,
    releaseFiles: ground.releaseFiles,
    releaseLinks: ground.releaseLinks,
    passwords: ground.passwords,
    secrets: ground.secrets,
    revocations,
    shareCounts: ground.shareCounts,
    baseUrl: ground.baseUrl,
    addressOf: callers.addressOf,
    authenticate: callers.authenticate,
    badRequests: callers.badRequests,
    login: served.signIn.login,
    hashToken,
    crypto: ground.crypto,
    commands: gateways.commands,
    receptions: gateways.parts.receptions,
    applyFormer: gateways.parts.ingest.applyFormer,
    configChanged: gateways.configChanged,
    keysDenied: gateways.keysDenied,
    claimGateway: served.claimGateway,
    terminals: terminals.terminals,
    isTerminalConnected: terminals.isTerminalConnected,
    /** The list of each resource, by its table. */
    lists: new Map(REST_RESOURCES.map(({ table, rest }) => [table as string, rest.list])),
    services: {
      lotsChanged: () => revocations.lotsChanged(),
      webhooksChanged: webhooks.changed,
      cutOffGateway: gateways.cutOffGateway,
    },
    isStopping: served.isStopping,
    console: pages,
    unknownPage: pages.unknownPage,
    corsOrigins: config.corsOrigins,
    hasOwnTls: config.tls !== null,
    /** Without a mail server mails are files, which nobody gets by itself. */
    sendsMails: config.smtp !== null,
    webhookAllowPrivate: config.webhookAllowPrivate,
    /** The measurements of this app and of the process. */
    metrics: { registry: ground.registry, isPublic: config.metricsPublic },
    /** 0: no limit. */
    limits: {
      requestsPerMin: config.rateRequestsPerMin,
      loginFailuresPerMin: config.rateLoginFailuresPerMin,
      publicPerMin: config.ratePublicPerMin,
    },
  };
}

/** Creates every endpoint of the service, except those of the documents about them. The first route that fits a request answers. */
export function httpEndpoints(deps: AllEndpointsDeps): Endpoint[] {
  const publicRefusals = createPublicRefusals(deps);
  return [
    ...serviceEndpoints(deps, publicRefusals),
    ...siteEndpoints(deps, publicRefusals),
    ...guestEndpoints(deps, publicRefusals),
    ...trafficEndpoints(deps),
  ];
}

/** The endpoints of the service itself, of its users and programs, and of what it tells them. */
function serviceEndpoints(deps: AllEndpointsDeps, publicRefusals: PublicRefusals): Endpoint[] {
  const { store, clock, logger, claimGateway } = deps;
  return [
    ...healthEndpoints({
      broker: deps.broker,
      isStopping: deps.isStopping,
      writes: store.writes,
      pingDatabase: () => pingDatabase(store.reader, clock),
      unknownZones: () => unknownZones(store.reader),
    }),
    ...metricsEndpoints(deps.metrics),
    ...allSignInEndpoints(deps, publicRefusals),
    ...gatewayClaimEndpoints({
      store,
      claimGateway,
      refusals: publicRefusals('claims'),
      pace: createClaimPace(deps),
      clock,
      logger,
    }),
    ...apiTokenEndpoints(deps),
    ...accountEndpoints(deps),
    ...logoEndpoints(deps),
    ...auditLogEndpoints(deps),
    ...eventEndpoints(deps),
    ...webhookEndpoints(deps),
    ...asyncApiEndpoints(deps),
    ...imageEndpoints(deps, publicRefusals('pictures')),
  ];
}

/** The endpoints of what a car park is made of. */
function siteEndpoints(deps: AllEndpointsDeps, publicRefusals: PublicRefusals): Endpoint[] {
  return [
    ...REST_RESOURCES.flatMap((resource) => resourceEndpoints(deps, resource)),
    ...gatewayEndpoints(deps),
    ...consolePasswordEndpoints(deps),
    gatewayStandingEndpoint(deps, publicRefusals('standings')),
    gatewayLastRecordsEndpoint(deps, publicRefusals('last records')),
    gatewayHealthEndpoint(deps),
    ...gatewayDoctorEndpoints(deps),
    ...allAskEndpoints(deps),
    pushAddressEndpoint(deps),
    ...gatewayUpdateEndpoints(deps),
    ...rollOutEndpoints(deps),
    releaseEndpoint(deps, publicRefusals('releases')),
    ...boundLicenseEndpoints(deps),
    signalEndpoint(deps),
    receptionEndpoint(deps),
    cameraHealthEndpoint(deps),
    ...membershipEndpoints(deps),
    ...memberBulkEndpoints(deps),
    ...memberImportEndpoints(deps),
    alertReceiverEndpoint(deps),
    ...mailEndpoints(deps),
    ...unsubscribeEndpoints({
      secrets: deps.secrets,
      removeReceiver: createUnsubscribe(deps),
      refusals: publicRefusals('unsubscribing'),
    }),
    terminalRegistrationEndpoint(deps),
  ];
}

/** The endpoints of guests and their keys, and the pages. */
function guestEndpoints(deps: AllEndpointsDeps, publicRefusals: PublicRefusals): Endpoint[] {
  // Who guesses at the tokens of weblinks has as few guesses at all of their endpoints together.
  const refusals = publicRefusals('weblinks', (error) => error instanceof ApiError);
  return [
    ...weblinkEndpoints(deps),
    ...weblinkQrEndpoints(deps),
    ...weblinkOperationEndpoints(deps, refusals),
    ...deps.console.endpoints,
    ...guestPageEndpoints(deps, refusals),
    ...keyLogEndpoints(deps),
    ...operationKeyEndpoints(deps),
    ...operationTokenEndpoints(deps),
  ];
}

/** The endpoints of what happens at a car park: reads, commands, sessions and occupancy. */
function trafficEndpoints(deps: AllEndpointsDeps): Endpoint[] {
  const { store, clock, commands, configChanged } = deps;
  const generateUid = nodeCrypto.randomUUID;
  const exported = createExports(deps);
  const changes = createSessionChanges({ clock, configChanged, generatePublicId, generateUid });
  return [
    ...plateReadingEndpoints({ store, clock, configChanged, corrections: sessionCorrections(deps), exported }),
    ...planEndpoints(deps),
    ...revealEndpoints(deps),
    ...accessEndpoints(deps),
    ...lotEntryEndpoints(deps),
    ...sightingEndpoints(deps),
    ...commandEndpoints({ store, commands, requireLiveVehicle: (of) => requireLiveVehicle(store.reader, of, clock) }),
    ...lotReleaseEndpoints(deps),
    ...openingEndpoints({ store, clock, exported }),
    // These come before the session by id.
    ...sessionAnalyticsEndpoints(deps),
    ...sessionExportEndpoints({ clock, exported }),
    ...sessionEndpoints(deps),
    sessionPaymentEndpoint(deps),
    ...sessionChangeEndpoints({ store, clock, changes }),
    ...tariffQuoteEndpoints(deps),
    recountEndpoint(deps),
    ...occupancyEndpoints(deps),
    ...displayEndpoints(deps),
  ];
}
