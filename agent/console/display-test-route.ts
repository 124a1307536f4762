import { Hono } from 'hono';
import { z } from 'zod';
import type { Displays } from '../display/displays.js';
import { isOwnProgram } from './own-program.js';
import { errorText } from '../../shared/error-text.js';

const TEXT_LENGTH_MAX = 200;
const bodySchema = z.strictObject({ name: z.string(), text: z.string().max(TEXT_LENGTH_MAX) });

/** `POST /display-test` `{name, text}` is for programs on the device itself: what comes from the LAN is answered with 404. */
export function createDisplayTestRoute(displays: Pick<Displays, 'test'>): Hono {
  const app = new Hono();
  app.post('/display-test', async (context) => {
    if (!isOwnProgram(context)) return context.notFound();
    const body = bodySchema.safeParse(await context.req.json().catch(() => null));
    if (!body.success) return context.json({ fault: 'the body must be {"name", "text"}' }, 422);
    const fault = await displays.test(body.data.name, body.data.text).then(
      () => null,
      (error: unknown) => errorText(error),
    );
    return context.json({ fault });
  });
  return app;
}
