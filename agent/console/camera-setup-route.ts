import { Hono } from 'hono';
import { z } from 'zod';
import type { CameraSetups } from '../lpr/setup/camera-setups.js';
import { isOwnProgram } from './own-program.js';
import { errorText } from '../../shared/error-text.js';

/** A host name or an address. */
const HOST = /^[A-Za-z0-9][A-Za-z0-9.:-]{0,252}$/;
const bodySchema = z.strictObject({
  name: z.string(),
  mode: z.enum(['plan', 'apply', 'undo']),
  time_server: z.string().regex(HOST, 'must be a host name or an address').optional(),
});

/** `POST /camera-setup` `{name, mode, time_server?}` is for programs on the device itself: what comes from the LAN is answered with 404. */
export function createCameraSetupRoute(setups: CameraSetups): Hono {
  const app = new Hono();
  app.post('/camera-setup', async (context) => {
    if (!isOwnProgram(context)) return context.notFound();
    const body = bodySchema.safeParse(await context.req.json().catch(() => null));
    if (!body.success) {
      const isHost = body.error.issues.some(({ path }) => path[0] === 'time_server');
      const fault = isHost ? 'the time server must be a host name or an address' : 'the body must be {"name", "mode"}';
      return context.json({ fault }, 422);
    }
    const { name, mode, time_server: timeServer } = body.data;
    return setups[mode](name, { timeServer }).then(
      (report) => context.json({ fault: null, ...report }),
      (error: unknown) => context.json({ fault: errorText(error) }),
    );
  });
  return app;
}
