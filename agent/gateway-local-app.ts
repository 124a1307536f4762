/** What the gateway serves at its own port: to cameras, to programs on the device, and to people at its console. */
import { getConnInfo } from '@hono/node-server/conninfo';
import { type Context, Hono } from 'hono';
import { errorText } from '../shared/error-text.js';
import type { GatewayLife } from './commissioning/gateway-life.js';
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
import { createActionRoutes } from './console/page-actions.js';
import { type ConsolePassword, consoleHeaders, createPageDoor } from './console/page-door.js';
import type { GatewayDoctor } from './doctor/gateway-doctor.js';
import type { GatewayDeps } from './gateway-deps.js';
import { createPage } from './gateway-page.js';
import { countWaiting, type Memory, type Rooms } from './gateway-rooms.js';
import { type QueueChoice, type QueueView, readQueue } from './health/queue.js';
import type { GatewayStatus } from './health/status.js';
import { createCameraTests } from './lpr/setup/camera-tests.js';
import { createCameraSetups } from './lpr/setup/camera-setups.js';
import { createBodyBudget } from './lpr/push/body-budget.js';
import { createPushListener } from './lpr/push/push-listener.js';
import { leaveCloud } from './commissioning/standing.js';

/** Builds the local HTTP interface: camera pushes, what programs on the device ask, and the local console. */
export function createLocalApp(
  deps: GatewayDeps,
  rooms: Rooms,
  { known, status, doctor }: { known: KnownAddresses; status: () => Promise<GatewayStatus>; doctor: GatewayDoctor },
): Hono {
  const { clock, logger, quarantine } = deps;
  const { memory, reads, cameras } = rooms;
  const app = new Hono();
  const door = createPageDoor({
    password: () => consolePassword(deps, rooms),
    deviceNames,
    clock,
    onSignIn: (address) => rooms.localActions.note('sign_in', { by: 'console', address }),
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
      budget: createBodyBudget({ clock }),
      remoteAddress,
      onAuthorized: (push) => known.note(remoteAddress(push)),
      clock,
      logger,
    }),
  );
  app.route('/', createActionRoutes(door, { operations: rooms.localOperations, release: rooms.lotRelease }));
  for (const route of deps.localRoutes ?? []) app.route('/', route);
  app.route('/', createStatusRoute(status));
  app.route(
    '/',
    createQueueRoute((choice) => queueOf(deps, rooms, choice)),
  );
  if (deps.logs !== undefined) app.route('/', createLogsRoute(deps.logs));
  if (deps.life !== undefined) app.route('/', createLifeRoutes(door, lifeOf(deps, deps.life, memory)));
  app.route('/', createReleaseRoute(rooms.lotRelease));
  app.route('/', createDoctorRoutes(door, doctor));
  app.route('/', createDisplayTestRoute(rooms.displays));
  app.route('/', createCameraRoutes(deps, rooms));
  if (rooms.updates !== null) app.route('/', createUpdateRoute(rooms.updates));
  app.route('/', createPage(deps, rooms, { door, status, doctor }));
  app.all('/api/*', (context) => refuse(context, 404, 'There is nothing at this address'));
  app.onError((error, context) => {
    logger.error({ err: error, method: context.req.method }, 'a local request failed');
    return context.body(null, 500);
  });
  return app;
}

/** What programs on the device ask about cameras: tests, clocks, setup. */
function createCameraRoutes(deps: GatewayDeps, rooms: Rooms): Hono {
  const { clock } = deps;
  const { memory, reads, cameras } = rooms;
  const app = new Hono();
  app.route(
    '/',
    createCameraTestRoute(
      createCameraTests({
        camera: memory.rules.camera,
        drivers: deps.cameraDrivers,
        states: cameras.states,
        watch: reads.watch,
        clock,
      }),
    ),
  );
  app.route('/', createCameraClockRoute({ camera: memory.rules.camera, clocks: cameras.clocks }));
  if (deps.cameraSetup !== undefined && deps.cameraClient !== undefined) {
    const setups = createCameraSetups({
      ...deps.cameraSetup,
      camera: memory.rules.camera,
      drivers: deps.cameraDrivers,
      client: deps.cameraClient,
      clock,
      isClockKnown: rooms.clockGuard.isKnown,
      onChanged: cameras.clocks.forget,
    });
    app.route('/', createCameraSetupRoute(setups));
  }
  return app;
}

/** How this gateway is claimed and erased. */
function lifeOf({ identity, store, logger }: GatewayDeps, life: GatewayLife, { rules }: Memory): LifeOfThis {
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

const queueOf = (deps: GatewayDeps, rooms: Rooms, choice: QueueChoice): Promise<QueueView> =>
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
