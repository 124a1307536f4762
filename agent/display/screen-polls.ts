/** Orders for screens behind cameras, which ask for them: `POST /displays/{key}`. */
import { Hono } from 'hono';
import { readSmallBody } from '../../shared/node/request-body.js';

const BODY_BYTES_MAX = 256 * 1024;

/** An order that waits until a camera asks for it. */
interface Order {
  bytes: Uint8Array;
  delivered(): void;
}

export interface ScreenPolls {
  /** `POST /displays/{key}`: a camera's heartbeat, whose answer holds its orders. */
  readonly app: Hono;
  /**
   * Keeps an order until the camera has asked for it, or there is a newer one for the same screen. A camera may have a screen on each of
   * its serial lines; one with a key that nobody has used yet is answered 404.
   */
  offer(screen: { key: string; channel: number }, order: Order): void;
}

export function createScreenPolls(): ScreenPolls {
  /** By key, then by channel. */
  const orders = new Map<string, Map<number, Order>>();
  const app = new Hono();
  app.post('/displays/:key', async (context) => {
    const { key } = context.req.param();
    const waiting = orders.get(key);
    if (waiting === undefined) return context.body(null, 404);
    // The heartbeat holds the camera's password: it is read to its end, and looked at no further.
    const read = await readSmallBody(context, BODY_BYTES_MAX);
    if (typeof read === 'number') return context.body(null, read);
    const delivered = [...waiting];
    if (delivered.length === 0) return context.json({ status: 'ok' });
    waiting.clear();
    for (const [, order] of delivered) order.delivered();
    const serialData = delivered.map(([serialChannel, { bytes }]) => ({
      serialChannel,
      data: Buffer.from(bytes).toString('base64'),
      dataLen: bytes.length,
    }));
    return context.json({ serialData });
  });
  return {
    app,
    offer({ key, channel }, order) {
      const waiting = orders.get(key) ?? new Map<number, Order>();
      waiting.set(channel, order);
      orders.set(key, waiting);
    },
  };
}
