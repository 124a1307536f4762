/**
 * Names the operations in the OpenAPI document; generated clients give these names to their functions: `listZones`, `closeSession`.
 * A name follows from method and path; the table has the operations for which these say too little.
 */

const OPERATION_IDS: Readonly<Record<string, string>> = {
  'GET /healthz': 'getHealth',
  'GET /readyz': 'getReadiness',
  'GET /metrics': 'getMetrics',
  'GET /docs': 'getReferencePage',
  'GET /openapi.json': 'getOpenApiDocument',
  'GET /asyncapi.json': 'getAsyncApiDocument',
  'POST /v2/auth/login': 'logIn',
  'POST /v2/auth/logout': 'logOut',
  'POST /v2/auth/password-reset': 'requestPasswordReset',
  'POST /v2/auth/password': 'resetPassword',
  'GET /v2/auth/sign-ins': 'listSignIns',
  'DELETE /v2/auth/sign-ins': 'endOtherSignIns',
  'DELETE /v2/auth/sign-ins/{id}': 'endSignIn',
  'PUT /v2/account/logo': 'setAccountLogo',
  'DELETE /v2/account/logo': 'removeAccountLogo',
  'PATCH /v2/account-users/profile': 'updateProfile',
  'GET /v2/audit-log': 'listAuditEntries',
  'GET /v2/audit-head': 'getAuditHead',
  'GET /v2/events': 'listEvents',
  'POST /v2/gateways/claim': 'claimGateway',
  'POST /v2/gateways/{id}/claim-code': 'renewGatewayClaimCode',
  'GET /v2/gateways/{id}/console-password': 'getGatewayConsolePassword',
  'POST /v2/gateways/{id}/console-password': 'renewGatewayConsolePassword',
  'POST /v2/gateways/{id}/reset': 'resetGateway',
  'POST /v2/gateways/{id}/camera-search': 'searchCameras',
  'POST /v2/gateways/{id}/product-search': 'searchProducts',
  'POST /v2/lpr-cameras/{id}/setup': 'setUpLprCamera',
  'POST /v2/lpr-cameras/{id}/push-address': 'showLprCameraPushAddress',
  'POST /v2/parking-gateways/{id}/sensors': 'askParkingGatewaySensors',
  'PATCH /v2/gateways/{id}/update': 'pauseGatewayUpdates',
  'POST /v2/gateways/{id}/update/now': 'updateGatewayNow',
  'GET /v2/releases': 'listReleases',
  'GET /v2/releases/{id}/gateways': 'listReleaseGateways',
  'POST /v2/releases/{id}/pause': 'pauseRelease',
  'POST /v2/releases/{id}/resume': 'resumeRelease',
  'PUT /v2/groups/{id}/members/{memberId}': 'addGroupMember',
  'DELETE /v2/groups/{id}/members/{memberId}': 'removeGroupMember',
  'POST /v2/members/delete': 'deleteMembers',
  'POST /v2/terminals': 'registerTerminal',
  'POST /v2/products/{id}/state': 'operateProduct',
  'POST /v2/products/{id}/settings': 'changeProductSettings',
  'POST /v2/webhooks/{id}/rotate-secret': 'rotateWebhookSecret',
  'POST /v2/lots/{id}/release/clear': 'clearLotRelease',
  'GET /v2/key-logs/receiver-emails': 'listKeyReceivers',
  'POST /v2/key-logs/resend': 'resendKeyLogs',
  'POST /v2/key-invitations/resend': 'resendKeyInvitations',
  'POST /v2/operation-keys': 'createOperationKeys',
  'POST /v2/weblinks/{id}/operation': 'operateByWeblink',
  'POST /v2/weblinks/{id}/status': 'getWeblinkStatus',
  'GET /v2/sessions/export': 'exportSessions',
  'GET /v2/plate-readings/export': 'exportPlateReadings',
  'GET /v2/openings/export': 'exportOpenings',
  'GET /v2/openings/counts': 'countOpenings',
  'GET /v2/sessions/vehicle-analytics': 'getVehicleAnalytics',
  'GET /v2/sessions/vehicle-analytics/export': 'exportVehicleAnalytics',
};

const VERBS = { get: 'get', post: 'create', put: 'set', patch: 'update', delete: 'delete' } as const;

/** @param method in lower case. @param path with `{name}` parameters. @param isList of a GET: it answers a page of a list */
export function operationIdOf(method: string, path: string, isList: boolean): string {
  const known = OPERATION_IDS[`${method.toUpperCase()} ${path}`];
  if (known !== undefined) return known;
  const steps = path.replace(/^\/v2\//, '').split('/');
  const isParameter = (at: number) => steps[at]?.startsWith('{') === true;
  // A step before a parameter is a collection, and is named by one of its things.
  const nouns = steps.flatMap((step, at) => (isParameter(at) ? [] : [isParameter(at + 1) ? singular(step) : step]));
  const last = nouns.pop() ?? '';
  const isOne = isParameter(steps.length - 1);
  if (isList) return camelCase('list', ...nouns, last);
  if (method === 'post' && !isOne && isParameter(steps.length - 2) && last === singular(last)) {
    return camelCase(last, ...nouns);
  }
  const verb = VERBS[method as keyof typeof VERBS] ?? method;
  return camelCase(verb, ...nouns.map(singular), method === 'post' ? singular(last) : last);
}

const singular = (noun: string): string =>
  noun.endsWith('ies') ? `${noun.slice(0, -3)}y` : noun.endsWith('analytics') ? noun : noun.replace(/s$/, '');

const camelCase = (...words: string[]): string =>
  words
    .flatMap((word) => word.split(/[^A-Za-z0-9]+/))
    .map((word, at) => (at === 0 ? word.toLowerCase() : word.charAt(0).toUpperCase() + word.slice(1)))
    .join('');
