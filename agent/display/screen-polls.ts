/** Orders for screens behind cameras, which ask for them: `POST /displays/{key}`. */
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';

const BODY_BYTES_MAX = 256 * 1024;

/** What waits until a camera asks for it. */
interface Order {
  channel: number;
  bytes: Uint8Array;
  taken(): void;
}

export interface ScreenPolls {
  /** `POST /displays/{key}`: a camera's heartbeat, whose answer holds its orders. */
  readonly app: Hono;
  /** Keeps an order until the camera has asked for it; a camera with a key that nobody has used yet is answered 404. Returns how to withdraw it. */
  offer(key: string, order: Order): () => void;
}

export function createScreenPolls(): ScreenPolls {
  const orders = new Map<string, Order>();
  const known = new Set<string>();
  const app = new Hono();
  app.post(
    '/displays/:key',
    bodyLimit({ maxSize: BODY_BYTES_MAX, onError: (context) => context.body(null, 413) }),
    async (context) => {
      const { key } = context.req.param();
      if (!known.has(key)) return context.body(null, 404);
      // The heartbeat holds the camera's password: it is read to its end, and looked at no further.
      await context.req.arrayBuffer();
      const order = orders.get(key);
      if (order === undefined) return context.json({ status: 'ok' });
      orders.delete(key);
      order.taken();
      const { channel, bytes } = order;
      const data = Buffer.from(bytes).toString('base64');
      return context.json({ serialData: [{ serialChannel: channel, data, dataLen: bytes.length }] });
    },
  );
  return {
    app,
    offer(key, order) {
      known.add(key);
      orders.set(key, order);
      return () => {
        if (orders.get(key) === order) orders.delete(key);
      };
    },
  };
}
