import { Hono } from 'hono';
import { z } from 'zod';
import type { CameraTests } from '../lpr/setup/camera-tests.js';
import { isOwnProgram } from './own-program.js';
import { errorText } from '../../shared/error-text.js';

export const TEST_SECONDS_MAX = 240;
const bodySchema = z.union([
  z.strictObject({ name: z.string(), step: z.literal('probe') }),
  z.strictObject({ name: z.string(), step: z.literal('read'), seconds: z.number().positive().max(TEST_SECONDS_MAX) }),
]);

/**
 * `POST /camera-test` `{name, step: "probe"}` or `{name, step: "read", seconds}`, which waits for the camera's next read, is for programs on
 * the device itself: what comes from the LAN is answered with 404.
 */
export function createCameraTestRoute(tests: CameraTests): Hono {
  const app = new Hono();
  app.post('/camera-test', async (context) => {
    if (!isOwnProgram(context)) return context.notFound();
    const body = bodySchema.safeParse(await context.req.json().catch(() => null));
    if (!body.success)
      return context.json(
        { fault: 'the body must be {"name", "step": "probe"} or {"name", "step": "read", "seconds"}' },
        422,
      );
    const { data } = body;
    const { signal } = context.req.raw;
    const tested =
      data.step === 'probe'
        ? tests.probe(data.name)
        : tests.next(data.name, { withinMs: data.seconds * 1_000, signal });
    return tested.then(
      (answer) => context.json({ fault: null, ...answer }),
      (error: unknown) => context.json({ fault: errorText(error) }),
    );
  });
  return app;
}
