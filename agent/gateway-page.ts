/** Puts together what the gateway's own page is served and reads. */
import { hostname, totalmem } from 'node:os';
import { Hono } from 'hono';
import type { ProductItem } from '../shared/gateway-config.js';
import type { RecentAction } from './command/local-actions.js';
import { LET_IN_MS } from './command/local-operations.js';
import type { PageDoor } from './console/page-door.js';
import type { LocalActionView } from './console/view/local-view.js';
import { createPageRoutes } from './console/page-routes.js';
import { buildLocalView } from './console/view/build-local-view.js';
import { supportFileText } from './console/view/support-file.js';
import { lastReadsOf, sightingsOf } from './console/view/seen-vehicles.js';
import { createViewCache } from './console/view/view-cache.js';
import { createViewRoutes } from './console/view/view-routes.js';
import type { GatewayDoctor } from './doctor/gateway-doctor.js';
import type { GatewayDeps } from './gateway-deps.js';
import type { Rooms } from './gateway-rooms.js';
import type { LogChoice } from './health/log-ring.js';
import type { GatewayStatus } from './health/status.js';
import { listQuarantine, readQuarantined } from './lpr/push/quarantine.js';

/** As many as one asks for; their bytes are bounded beside it. */
const SUPPORT_LINES_MAX = 5_000;
const NOT_IN_A_FILE_NAME = /[^A-Za-z0-9]+/g;
const FILE_NAME_LENGTH_MAX = 40;

/** @param of.door behind which the page reads */
export function createPage(
  deps: GatewayDeps,
  rooms: Rooms,
  of: { door: PageDoor; status: () => Promise<GatewayStatus>; doctor: Pick<GatewayDoctor, 'last'> },
): Hono {
  const { door, status, doctor } = of;
  const { clock, identity, version } = deps;
  const logs = (choice: LogChoice) => deps.logs?.lines(choice) ?? [];
  const { rules } = rooms.memory;
  const { watch } = rooms.products;
  const { seen } = rooms.reads;
  const directory = deps.quarantineDir;
  const list = () => (directory === undefined ? Promise.resolve([]) : listQuarantine(directory));
  const view = createViewCache({
    clock,
    build: async () =>
      buildLocalView({
        status: await status(),
        reports: watch.reports(),
        isMoving: watch.isMoving,
        rules,
        lastReads: lastReadsOf(
          seen,
          [...rules.cameras()].map(({ device_id }) => device_id),
        ),
        sightings: sightingsOf(seen, { now_ms: clock.now(), letInMs: LET_IN_MS }),
        actions: rooms.localActions.recent().map((action) => actionView(action, rules.products())),
      }),
  });
  const app = new Hono();
  app.route('/', createPageRoutes());
  app.route(
    '/',
    createViewRoutes({
      signedIn: door.signedIn,
      device: () => ({
        name: rules.gateway()?.name ?? null,
        is_claimed: identity.cloud !== null,
        has_password: (rules.gateway()?.console_password ?? null) !== null,
        version,
      }),
      view,
      picture: seen.picture,
      quarantine: {
        list,
        read: (name) => (directory === undefined ? Promise.resolve(null) : readQuarantined(directory, name)),
      },
      logs,
      async supportFile() {
        const made_at = new Date(rooms.clockGuard.knownTime() ?? clock.now()).toISOString();
        const name = (rules.gateway()?.name ?? identity.uuid).replaceAll(NOT_IN_A_FILE_NAME, '-');
        const text = supportFileText({
          made_at,
          machine: machineFacts(),
          status: await status(),
          rules,
          doctor: doctor.last(),
          logs: logs({ linesMax: SUPPORT_LINES_MAX }),
          quarantine: await list(),
          secrets: identity.cloud === null ? [] : [identity.cloud.mqtt.password],
        });
        return { name: `support-${name.slice(0, FILE_NAME_LENGTH_MAX)}-${made_at.slice(0, 10)}.json`, text };
      },
    }),
  );
  return app;
}

function actionView(action: RecentAction, products: Iterable<ProductItem>): LocalActionView {
  const product = [...products].find(({ id }) => id === action.product_id);
  return {
    at: new Date(action.at_ms).toISOString(),
    operation: action.action === 'operation' ? (action.operation ?? action.action) : action.action,
    product: product?.name ?? null,
    is_failed: action.outcome === 'failed',
  };
}

const machineFacts = () => ({
  node: process.version,
  platform: process.platform,
  architecture: process.arch,
  host_name: hostname(),
  memory_bytes: totalmem(),
  used_bytes: process.memoryUsage.rss(),
});
