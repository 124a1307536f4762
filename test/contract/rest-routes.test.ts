/** The served routes beside those that the specification and the contract name. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CloudWorld, startCloudWorld } from '../integration/http/http-world.js';
import { fetchDocument } from './openapi-document.js';
import { CONTRACT_ROUTES, SPECIFICATION_ROUTES } from './rest-routes.js';

/** Routes that are named but not served yet, and why. */
const GAPS: readonly { routes: RegExp; reason: string }[] = [];

/** Routes that are served but named by neither, and why. */
const BEYOND = new Map<string, string>([
  ['GET /v2/images/{uid}', 'what image_url and cropped_image_url point to'],
  ['GET /v2/images/{uid}/thumbnail', 'the same, small enough for a list'],
  ['GET /v2/webhooks/{id}/deliveries', 'what became of the calls of a webhook'],
  ['POST /v2/webhooks/{id}/deliveries/{deliveryId}/redeliver', 'for a receiver that was mended'],
  ['GET /v2/gateways/{id}/update', 'which software a gateway has and shall have'],
  ['PATCH /v2/gateways/{id}/update', 'for who wants no change of it now'],
  ['POST /v2/gateways/{id}/update/now', 'for who does not want to wait for the hours'],
  ['GET /v2/releases', 'which releases there are, and how far they are'],
  ['GET /v2/releases/{id}/gateways', 'which gateways have one, get it, wait or failed'],
  ['POST /v2/releases/{id}/pause', 'for who sees one fail'],
  ['POST /v2/releases/{id}/resume', 'for who has seen why'],
  ['GET /v2/products/{id}/receptions', 'whether a gateway hears one that is not paired yet'],
  ['GET /v2/releases/{id}/bundle', 'what the configuration of a gateway points to'],
  ['GET /v2/account', 'whether the console masks plates, and what Attendants may do with money'],
  ['PATCH /v2/account', 'the same, for Super Admins'],
  ...['plate-readings', 'sessions', 'members', 'license-plate-alerts', 'key-logs', 'lots'].map(
    (list) => [`POST /v2/${list}/{id}/reveal`, 'who asks for a masked plate is in the audit log'] as const,
  ),
  ['GET /v2/payments/export', 'what an accountant books'],
  ['PATCH /v2/members', 'several at once'],
  ['POST /v2/members/delete', 'the same'],
  ['GET /v2/member-imports', 'files of members, which the service writes by itself'],
  ['POST /v2/member-imports', 'the same, begun'],
  ['GET /v2/member-imports/{id}', 'the same, how far it is'],
  ['GET /v2/member-imports/{id}/lines', 'what became of each line'],
  ['POST /v2/member-imports/{id}/cancel', 'by a person'],
  ['GET /v2/openings', 'what moved a product, and how that ended'],
  ['GET /v2/openings/counts', 'how often, by hour'],
  ['GET /v2/openings/export', 'the same as a file'],
  ['GET /v2/plate-readings/export', 'what a search over all reads finds'],
  ['GET /v2/parking-places/{id}/occupancy', 'the history of a place beside that of its zone'],
]);

describe('the routes', () => {
  let cloud: CloudWorld;
  let served: string[];

  beforeAll(async () => {
    cloud = await startCloudWorld();
    const document = await fetchDocument(cloud.base);
    served = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
  });
  afterAll(() => cloud.close());

  it('are those that the specification and the contract name, but for the known gaps', () => {
    const named = new Set<string>([...SPECIFICATION_ROUTES, ...CONTRACT_ROUTES]);
    const missing = [...named].filter((route) => !served.includes(route));
    const reasonOf = (route: string) => GAPS.find(({ routes }) => routes.test(route))?.reason;
    process.stdout.write(
      [
        `\nRoutes: ${served.length} served; of the specification ${count(SPECIFICATION_ROUTES)}, of the contract ${count(CONTRACT_ROUTES)}`,
        ...missing.map((route) => `  not served: ${route} (${reasonOf(route) ?? 'no reason told'})`),
        ...[...BEYOND].map(([route, reason]) => `  served beyond both: ${route} (${reason})`),
        '',
      ].join('\n'),
    );
    expect(
      missing.filter((route) => reasonOf(route) === undefined),
      'named, not served',
    ).toEqual([]);
    expect(
      served.filter((route) => !named.has(route)),
      'served, named by nobody',
    ).toEqual(served.filter((route) => BEYOND.has(route)));
  });

  const count = (routes: readonly string[]) =>
    `${routes.filter((each) => served.includes(each)).length}/${routes.length}`;
});
