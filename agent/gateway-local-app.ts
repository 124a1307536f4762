/** Serves the gateway's own port: cameras, programs on the device, and people at its console. */
import { hostname, totalmem } from 'node:os';
import type { ProductItem } from '../shared/gateway-config.js';
import type { RecentAction } from './command/local-actions.js';
import { LET_IN_MS } from './command/local-operations.js';
import type { LocalActionView } from './console/view/local-view.js';
import { createPageRoutes } from './console/page-routes.js';
import { buildLocalView } from './console/view/build-local-view.js';
import { supportFileText } from './console/view/support-file.js';
import { lastReadsOf, refusedOf, sightingsOf } from './console/view/seen-vehicles.js';
import { createViewCache } from './console/view/view-cache.js';
import { createViewRoutes } from './console/view/view-routes.js';
import type { LogChoice } from './health/log-ring.js';
import { listQuarantine, readQuarantined } from './lpr/push/quarantine.js';
import { getConnInfo } from '@hono/node-server/conninfo';
import { type Context, Hono } from 'hono';
import { errorText } from '../shared/error-text.js';
import { refuse } from './console/api-answers.js';
import { deviceNames } from './console/device-names.js';
import { createDoctorRoutes } from './console/doctor-routes.js';
import type { KnownAddresses } from './console/known-addresses.js';
import { createLifeRoutes, type LifeOfThis } from './console/life-routes.js';
import {
  createCameraClockRoute,
  createCameraSetupRoute,
  createCameraTestRoute,
  createDisplayTestRoute,
  createLogsRoute,
  createQueueRoute,
  createReleaseRoute,
  createStatusRoute,
  createUpdateRoute,
} from './console/local-routes.js';
import { createMetricsRoute } from './console/metrics-route.js';
import { createActionRoutes } from './console/page-actions.js';
import { type ConsolePassword, consoleHeaders, createPageDoor, type PageDoor } from './console/page-door.js';
import type { GatewayDoctor } from './doctor/gateway-doctor.js';
import type { Memory } from './access/compose-memory.js';
import type { CameraTools } from './gateway-answers.js';
import type { GatewayDeps, Rooms } from './gateway-rooms.js';
import { countWaiting } from './store/count-waiting.js';
import { type QueueChoice, type QueueView, readQueue } from './health/queue.js';
import type { GatewayStatus } from './health/status.js';
import { findNamed } from './access/find-named.js';
import { createBodyBudget } from './lpr/push/body-budget.js';
import { createPushListener } from './lpr/push/push-listener.js';
import { createThreadShare } from './lpr/push/thread-share.js';
import { leaveCloud } from './commissioning/standing.js';

/** As many as one asks for; their bytes are bounded beside it. */
const SUPPORT_LINES_MAX = 5_000;
const NOT_IN_A_FILE_NAME = /[^A-Za-z0-9]+/g;
const FILE_NAME_LENGTH_MAX = 40;

/** Builds the local HTTP interface: camera pushes, what programs on the device ask, and the local console. */
export function createLocalApp(
  deps: GatewayDeps,
  rooms: Rooms,
  of: { known: KnownAddresses; status: () => Promise<GatewayStatus>; doctor: GatewayDoctor; tools: CameraTools },
): Hono {
  const { known, status, doctor } = of;
  const { clock, logger, quarantine } = deps;
  const { memory, reads, cameras, onSite } = rooms;
  const app = new Hono();
  const door = createPageDoor({
    password: () => consolePassword(deps, rooms),
    deviceNames,
    clock,
    onSignIn: (address) => void rooms.localActions.note('sign_in', { by: 'console', address }),
    onRefused: (address) => rooms.localActions.noteRefusedSignIn({ by: 'console', address }),
  });
  for (const path of ['/', '/console/*', '/api/*']) app.use(path, consoleHeaders);
  app.route('/', door.routes);
  app.route(
    '/',
    createPushListener({
      drivers: deps.cameraDrivers,
      camera: memory.rules.camera,
      cameras: memory.rules.cameras,
      plateReads: reads.plateReads,
      quarantine,
      states: cameras.states,
      misdirected: cameras.misdirected,
      budget: createBodyBudget({ clock }),
      share: createThreadShare({ clock }),
      remoteAddress,
      onAuthorized: (push) => known.note(remoteAddress(push)),
      clock,
      logger,
    }),
  );
  app.route('/', createActionRoutes(door, { operations: onSite.localOperations, release: onSite.lotRelease }));
  for (const route of deps.localRoutes) app.route('/', route);
  app.route('/', createStatusRoute(status));
  app.route('/', createMetricsRoute(status));
  app.route(
    '/',
    createQueueRoute((choice) => queueOf(deps, rooms, choice)),
  );
  app.route('/', createLogsRoute(deps.logs));
  app.route('/', createLifeRoutes(door, lifeOf(deps, memory)));
  app.route('/', createReleaseRoute(onSite.lotRelease));
  app.route('/', createDoctorRoutes(door, doctor));
  app.route('/', createDisplayTestRoute(rooms.displays));
  app.route('/', createCameraRoutes(rooms, of.tools));
  app.route('/', createUpdateRoute(rooms.updates));
  app.route('/', createPage(deps, rooms, { door, status, doctor }));
  app.all('/api/*', (context) => refuse(context, 404, 'There is nothing at this address'));
  app.onError((error, context) => {
    logger.error({ err: error, method: context.req.method }, 'a local request failed');
    return context.body(null, 500);
  });
  return app;
}

/** Builds the routes for programs on the device that ask about cameras: tests, clocks, setup. */
function createCameraRoutes({ memory, cameras }: Rooms, { tests, setups }: CameraTools): Hono {
  const app = new Hono();
  app.route('/', createCameraTestRoute(tests));
  app.route(
    '/',
    createCameraClockRoute({
      camera: (name) => findNamed(memory.rules.cameras(), name, 'camera'),
      clocks: cameras.clocks,
    }),
  );
  app.route('/', createCameraSetupRoute(setups));
  return app;
}

/** Builds the claiming and erasing of this gateway. */
function lifeOf({ identity, store, logger, life }: GatewayDeps, { rules }: Memory): LifeOfThis {
  const cloudKey = () => rules.gateway()?.cloud_key;
  return {
    life,
    name: () => rules.gateway()?.name ?? identity.uuid,
    cloudKey,
    leave: async () =>
      leaveCloud({ identity, cloudKey: cloudKey(), waiting: await countWaiting(store) }).catch((error: unknown) =>
        logger.warn({ reason: errorText(error) }, 'the cloud could not be told that this gateway is erased'),
      ),
  };
}

function consolePassword({ identity }: GatewayDeps, { memory }: Rooms): ConsolePassword {
  if (identity.cloud === null) return { is: 'unclaimed' };
  const verifier = memory.rules.gateway()?.console_password ?? null;
  return verifier === null ? { is: 'missing' } : { is: 'set', verifier };
}

const remoteAddress = (push: Context): string => getConnInfo(push).remote.address ?? '';

export const queueOf = (deps: GatewayDeps, rooms: Rooms, choice: QueueChoice): Promise<QueueView> =>
  readQueue(
    {
      store: deps.store,
      cloud: cloudOf(deps, rooms),
      acknowledgedMonoMs: rooms.uplink.state().acknowledged_mono_ms,
      clock: deps.clock,
      knownTimeMs: rooms.clockGuard.knownTime(),
    },
    choice,
  );

/** The link to the cloud, as the status says it. */
export function cloudOf({ identity }: GatewayDeps, { uplink }: Rooms): GatewayStatus['cloud'] {
  const { connected, since_ms } = uplink.state();
  const since = since_ms === null ? null : new Date(since_ms).toISOString();
  return { url: identity.cloud?.url ?? null, connected, since };
}

/** Builds the gateway's own page: its files and its data, behind its door. */
function createPage(
  deps: GatewayDeps,
  rooms: Rooms,
  of: { door: PageDoor; status: () => Promise<GatewayStatus>; doctor: Pick<GatewayDoctor, 'last'> },
): Hono {
  const { door, status, doctor } = of;
  const { clock, identity, version } = deps;
  const logs = (choice: LogChoice) => deps.logs.lines(choice);
  const { rules } = rooms.memory;
  const { watch } = rooms.products;
  const { seen } = rooms.reads;
  const list = () => listQuarantine(deps.quarantineDir);
  const waitingFacts = () => ({ now_ms: clock.now(), letInMs: LET_IN_MS, handled: rooms.memory.handled });
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
          rooms.memory.handled,
        ),
        sightings: sightingsOf(seen, waitingFacts()),
        refused: refusedOf(seen, waitingFacts()),
        actions: rooms.localActions.recent().map((action) => actionView(action, rules.products())),
      }),
  });
  const app = new Hono();
  app.route('/', createPageRoutes());
  app.route(
    '/',
    createViewRoutes({
      signedIn: door.signedIn,
      device: () =>
        identity.cloud === null
          ? { is_claimed: false }
          : {
              is_claimed: true,
              name: rules.gateway()?.name ?? null,
              has_password: (rules.gateway()?.console_password ?? null) !== null,
              version,
            },
      view,
      picture: seen.picture,
      quarantine: { list, read: (name) => readQuarantined(deps.quarantineDir, name) },
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
