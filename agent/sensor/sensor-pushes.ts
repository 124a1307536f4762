/** Takes what sensors, or services that collect from them, post to this gateway: `POST /sensors/{name of the parking gateway}/{key}`. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { Hono } from 'hono';
import { readSmallBody } from '../../shared/node/request-body.js';
import { parseBounded } from './bounded-json-parser.js';

const BODY_BYTES_MAX = 256 * 1024;

/** Takes one pushed body, parsed JSON, and what its query calls `event`. false: nothing in it is understood. */
type PushHandler = (body: unknown, event: string | undefined) => boolean;

export interface SensorPushes {
  /** The route. It answers 404 for an unknown parking gateway or key, 413 above 256 KiB, 415 for a coding other than gzip, 400 for what is not understood. */
  readonly app: Hono;
  /** Begins to take pushes for a parking gateway. Returns how to stop. */
  add(parkingGateway: { name: string; key: string }, handle: PushHandler): () => void;
}

export function createSensorPushes(): SensorPushes {
  const handlers = new Map<string, { key: string; handle: PushHandler }>();
  const app = new Hono();
  app.post('/sensors/:name/:key', async (context) => {
    const { name, key } = context.req.param();
    const handler = handlers.get(name);
    // The keys are compared even for a parking gateway that does not exist, so that the time of the answer does not show which exist.
    const isKeyRight = sameSecret(key, handler?.key ?? '');
    if (handler === undefined || !isKeyRight || handler.key === '') return context.body(null, 404);
    const read = await readSmallBody(context, BODY_BYTES_MAX);
    if (typeof read === 'number') return context.body(null, read);
    const body = parseBounded(read);
    return context.body(null, body !== undefined && handler.handle(body, context.req.query('event')) ? 200 : 400);
  });
  return {
    app,
    add({ name, key }, handle) {
      const handler = { key, handle };
      handlers.set(name, handler);
      return () => {
        if (handlers.get(name) === handler) handlers.delete(name);
      };
    },
  };
}

/** Compares in constant time, also texts of different lengths. */
function sameSecret(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected));
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
