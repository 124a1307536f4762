/** A cloud with webhooks that may go to this machine, receivers for them, and what their tests ask of it. */
import { expect } from 'vitest';
import { waitUntil } from '../../../scripts/sim/wait-until.js';
import { API_TOKEN, type Site, seedSite, journalEvents, type JournalInput } from '../http/http-site.js';
import { type CloudWorld, startCloudWorld, type WorldOptions } from '../http/http-world.js';
import { startReceiver, type WebhookReceiver } from './webhook-receiver.js';

export interface Webhook {
  id: number;
  url: string;
  events: string[];
  is_active: 0 | 1;
  last_status: number | null;
  disabled_at: string | null;
  secret?: string;
}

export interface Delivery {
  id: number;
  webhook_id: number;
  event: string;
  status_code: number | null;
  error: string | null;
  attempt: number;
  created_at: string;
}

export interface WebhookWorld {
  readonly cloud: CloudWorld;
  readonly site: Site;
  /** A receiver that is closed with the world. */
  listen(answer?: WebhookReceiver['answer']): Promise<WebhookReceiver>;
  /** Asks as the integration of Harbour, or as whose token it is. */
  ask(method: string, path: string, json?: unknown, token?: string): ReturnType<CloudWorld['ask']>;
  /** The same, and expects success. */
  done<T>(method: string, path: string, json?: unknown): Promise<T>;
  create(json: object): Promise<Webhook>;
  get(id: number): Promise<Webhook>;
  deliveries(id: number): Promise<Delivery[]>;
  /** Waits for a condition; what is due at the present time happens. */
  until: typeof waitUntil;
  /** The delivery log, newest first, as soon as it is so. */
  untilLog(id: number, what: string, condition: (log: Delivery[]) => boolean): Promise<Delivery[]>;
  /** Records events, in one transaction. */
  journalEvents(...events: JournalInput[]): Promise<void>;
  /** An event of Harbour's lot North. */
  north(uuid: string): JournalInput;
  close(): Promise<void>;
}

export async function startWebhookWorld(webhooks: WorldOptions['webhooks'] = {}): Promise<WebhookWorld> {
  const cloud = await startCloudWorld({ webhooks });
  const site = await seedSite(cloud.store);
  const receivers: WebhookReceiver[] = [];
  const ask: WebhookWorld['ask'] = (method, path, json, token = API_TOKEN) =>
    cloud.ask(method, path, { token, ...(json === undefined ? {} : { json }) });
  const done: WebhookWorld['done'] = async <T>(method: string, path: string, json?: unknown) => {
    const { status, body } = await ask(method, path, json);
    expect({ method, path, status, errors: body.errors }).toEqual({ method, path, status: 200, errors: undefined });
    return body.data as T;
  };
  const deliveries: WebhookWorld['deliveries'] = (id) => done('GET', `/v2/webhooks/${id}/deliveries?size=300`);
  const until: WebhookWorld['until'] = (what, condition, limitMs) =>
    waitUntil(
      what,
      async () => {
        // A timer that was set for a time that had come already.
        await cloud.clock.advance(0);
        return condition();
      },
      limitMs,
    );
  return {
    cloud,
    site,
    async listen(answer) {
      const receiver = await startReceiver(answer);
      receivers.push(receiver);
      return receiver;
    },
    ask,
    done,
    create: (json) => done('POST', '/v2/webhooks', json),
    get: (id) => done('GET', `/v2/webhooks/${id}`),
    deliveries,
    until,
    untilLog: (id, what, condition) =>
      until(what, async () => {
        const log = await deliveries(id);
        return condition(log) ? log : null;
      }),
    journalEvents: (...events) => journalEvents(cloud.store, ...events),
    north: (uuid) => ({ account_id: site.harbour, lot_id: site.north, uuid }),
    async close() {
      await cloud.close();
      for (const receiver of receivers) await receiver.close();
    },
  };
}

/** The texts of the numbers. */
export const numbers = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => String(from + index));

export const isAcknowledged = ({ status_code }: Delivery): boolean => status_code !== null && status_code < 300;
