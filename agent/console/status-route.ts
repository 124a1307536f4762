import { Hono } from 'hono';
import type { GatewayStatus } from '../health/status.js';
import { isOwnProgram } from './own-program.js';

/** `GET /status` is for programs on the device itself: requests from the LAN, where cameras push, are answered with 404. */
export function createStatusRoute(status: () => Promise<GatewayStatus>): Hono {
  const app = new Hono();
  app.get('/status', async (context) => (isOwnProgram(context) ? context.json(await status()) : context.notFound()));
  return app;
}
