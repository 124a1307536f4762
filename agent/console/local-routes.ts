/**
 * The routes of the local listener for programs on the device itself. Requests from the LAN, where cameras push, are
 * answered with 404.
 */
import { getConnInfo } from '@hono/node-server/conninfo';
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { errorText } from '../../shared/error-text.js';
import type { CameraItem } from '../../shared/gateway-config.js';
import { HOST, SETUP_MODES, TEST_TEXT_MAX } from '../../shared/uplink-asks.js';
import type { Asking } from '../command/local-actions.js';
import type { LotRelease, ReleasedProduct } from '../command/lot-release.js';
import type { Displays } from '../display/displays.js';
import { LOG_LEVELS, type LogRing } from '../health/log-ring.js';
import { LISTED_MAX, type QueueChoice, type QueueView } from '../health/queue.js';
import type { GatewayStatus } from '../health/status.js';
import type { CameraClocks } from '../lpr/presence/camera-clocks.js';
import type { CameraSetups } from '../lpr/setup/camera-setups.js';
import type { CameraTests } from '../lpr/setup/camera-tests.js';
import type { Updates } from '../update/updates.js';
import { isOwnProgram } from './own-program.js';

export const TEST_SECONDS_MAX = 240;
export const LOG_LINES_MAX = 10_000;

const displayTestSchema = z.strictObject({ name: z.string(), text: z.string().max(TEST_TEXT_MAX) });
const countSchema = (max: number) => z.coerce.number().int().min(0).max(max);
const queueSchema = z.object({
  list: countSchema(LISTED_MAX).default(0),
  plates: z.enum(['true', 'false']).default('false'),
});
const logsSchema = z.object({
  level: z.enum(LOG_LEVELS).optional(),
  lines: countSchema(LOG_LINES_MAX).default(100),
  since_ms: countSchema(Number.MAX_SAFE_INTEGER).optional(),
  ring: z.string().optional(),
  after: countSchema(Number.MAX_SAFE_INTEGER).optional(),
});
const cameraTestSchema = z.union([
  z.strictObject({ name: z.string(), step: z.literal('probe') }),
  z.strictObject({ name: z.string(), step: z.literal('read'), seconds: z.number().positive().max(TEST_SECONDS_MAX) }),
]);
const cameraClockSchema = z.strictObject({ name: z.string(), was_live: z.boolean().optional() });
const updateSchema = z.strictObject({ path: z.string().min(1).nullable(), mode: z.enum(['check', 'install']) });
const cameraSetupSchema = z.strictObject({
  name: z.string(),
  mode: z.enum(SETUP_MODES),
  time_server: z.string().regex(HOST, 'must be a host name or an address').optional(),
});

/** `GET /status` */
export function createStatusRoute(status: () => Promise<GatewayStatus>): Hono {
  const app = new Hono();
  app.get('/status', async (context) => (isOwnProgram(context) ? context.json(await status()) : context.notFound()));
  return app;
}

/**
 * Serves `GET /queue?list=&plates=`, the records that wait for the cloud: with `list` that many of each lane, with
 * `plates=true` also their plates.
 */
export function createQueueRoute(queue: (choice: QueueChoice) => Promise<QueueView>): Hono {
  const app = new Hono();
  app.get('/queue', async (context) => {
    if (!isOwnProgram(context)) return context.notFound();
    const query = queueSchema.safeParse(context.req.query());
    if (!query.success) return context.json({ fault: z.prettifyError(query.error) }, 422);
    return context.json(await queue({ listed: query.data.list, plates: query.data.plates === 'true' }));
  });
  return app;
}

/**
 * `GET /logs?level=&lines=&since_ms=`: the newest lines of the log, as `{ring, lines}`. With `ring` and `after`, of an earlier answer, those that
 * came since; all of them if the program was started anew meanwhile.
 */
export function createLogsRoute(logs: LogRing): Hono {
  const app = new Hono();
  app.get('/logs', (context) => {
    if (!isOwnProgram(context)) return context.notFound();
    const query = logsSchema.safeParse(context.req.query());
    if (!query.success) return context.json({ fault: z.prettifyError(query.error) }, 422);
    const { level, lines: linesMax, since_ms: sinceMs, ring, after } = query.data;
    const afterSeq = ring === logs.id ? after : undefined;
    return context.json({ ring: logs.id, lines: logs.lines({ level, linesMax, sinceMs, afterSeq }) });
  });
  return app;
}

/**
 * `POST /release` opens every product of the lot and holds it open, `POST /release/clear` ends that. Each answers with the outcome at each
 * product. Web pages that a browser on the device shows are answered with 404, too.
 */
export function createReleaseRoute(release: LotRelease): Hono {
  const app = new Hono();
  const serve = (path: string, work: (asking: Asking) => Promise<ReleasedProduct[]>) =>
    app.post(path, async (context) => {
      if (!isOwnProgram(context)) return context.notFound();
      return context.json(await work(askingProgram(context)));
    });
  serve('/release', release.release);
  serve('/release/clear', release.clear);
  return app;
}

/** `POST /update` `{path, mode}`: says what a file would do, or begins to install it. `path` null: the newest on a stick. */
export function createUpdateRoute(updates: Pick<Updates, 'check' | 'install'>): Hono {
  return createPostRoute({
    path: '/update',
    schema: updateSchema,
    faultOf: () => 'the body must be {"path", "mode"}',
    run: ({ path, mode }) => updates[mode](path),
  });
}

/** `POST /display-test` `{name, text}` */
export function createDisplayTestRoute(displays: Pick<Displays, 'test'>): Hono {
  return createPostRoute({
    path: '/display-test',
    schema: displayTestSchema,
    faultOf: () => 'the body must be {"name", "text"}',
    run: ({ name, text }) => displays.test(name, text),
  });
}

/** `POST /camera-test` `{name, step: "probe"}`, or `{name, step: "read", seconds}`, which waits for the camera's next read. */
export function createCameraTestRoute(tests: CameraTests): Hono {
  return createPostRoute({
    path: '/camera-test',
    schema: cameraTestSchema,
    faultOf: () => 'the body must be {"name", "step": "probe"} or {"name", "step": "read", "seconds"}',
    run: (body, signal): Promise<object> =>
      body.step === 'probe'
        ? tests.probe(body.name)
        : tests.next(body.name, { withinMs: body.seconds * 1_000, signal }),
  });
}

/** `POST /camera-setup` `{name, mode, time_server?}` */
export function createCameraSetupRoute(setups: CameraSetups): Hono {
  return createPostRoute({
    path: '/camera-setup',
    schema: cameraSetupSchema,
    faultOf: ({ issues }) =>
      issues.some(({ path }) => path[0] === 'time_server')
        ? 'the time server must be a host name or an address'
        : 'the body must be {"name", "mode"}',
    run: ({ name, mode, time_server: timeServer }) => setups[mode](name, { timeServer }),
  });
}

/** `POST /camera-clock` `{name, was_live?}` */
export function createCameraClockRoute(of: {
  camera: (deviceId: string) => CameraItem | undefined;
  clocks: Pick<CameraClocks, 'measure'>;
}): Hono {
  return createPostRoute({
    path: '/camera-clock',
    schema: cameraClockSchema,
    faultOf: () => 'the body must be {"name"}',
    async run({ name, was_live: isLastLive = false }) {
      const camera = of.camera(name);
      if (camera === undefined) throw new Error(`there is no camera ${name}; parking-agent cameras list shows them`);
      return of.clocks.measure(camera, { isLastLive });
    },
  });
}

const askingProgram = (context: Context): Asking => ({
  by: 'program',
  address: getConnInfo(context).remote.address ?? '',
});

/**
 * Answers `{fault: null}` with the result, or `{fault}` with the reason, for people, why there is none.
 * @param of.faultOf says what is wrong with a body
 * @param of.run its signal is aborted when the caller has gone
 */
export function createPostRoute<Body>(of: {
  path: string;
  schema: z.ZodType<Body>;
  faultOf(error: z.ZodError): string;
  run(body: Body, signal: AbortSignal, asking: Asking): Promise<object | void>;
}): Hono {
  const app = new Hono();
  app.post(of.path, async (context) => {
    if (!isOwnProgram(context)) return context.notFound();
    const body = of.schema.safeParse(await context.req.json().catch(() => null));
    if (!body.success) return context.json({ fault: of.faultOf(body.error) }, 422);
    return of.run(body.data, context.req.raw.signal, askingProgram(context)).then(
      (result) => context.json({ fault: null, ...result }),
      (error: unknown) => context.json({ fault: errorText(error) }),
    );
  });
  return app;
}
