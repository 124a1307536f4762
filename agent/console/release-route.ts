import { Hono } from 'hono';
import type { LotRelease, ReleasedProduct } from '../command/lot-release.js';
import { isOwnProgram } from './own-program.js';

/**
 * `POST /release` opens every product of the lot and holds it open, `POST /release/clear` ends that; each answers what came of it at each
 * product. They are for programs on the device itself: others, and web pages that a browser on the device shows, are answered with 404.
 */
export function createReleaseRoute(release: LotRelease): Hono {
  const app = new Hono();
  const serve = (path: string, work: () => Promise<ReleasedProduct[]>) =>
    app.post(path, async (context) => (isOwnProgram(context) ? context.json(await work()) : context.notFound()));
  serve('/release', release.release);
  serve('/release/clear', release.clear);
  return app;
}
