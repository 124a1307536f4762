/** What only the list of troubles needs of the service, read once a minute: sensors, silent places, displays, webhooks, mails. */
import { signal } from '@preact/signals';
import type { MailTroubleFacts } from '../../../shared/troubles/account-troubles.js';
import type { DisplayFacts, WebhookFacts } from '../wording/lot-troubles.js';
import { all, load } from './loading.js';
import type { ParkingGateway, Place } from './records.js';
import { client, mayManage } from './session.js';

/** More are not looked through. */
const PLACES_MAX = 3_000;
const DISPLAYS_MAX = 50;
const WEBHOOKS_MAX = 100;
const UNANSWERED_MAX = 20;
const MAILS_MAX = 100;
const PAGE = 300;

interface Watched {
  sensors: readonly ParkingGateway[];
  /** Those whose sensor is silent. */
  silentPlaces: readonly Place[];
  displays: readonly DisplayFacts[];
  webhooks: readonly WebhookFacts[];
  /** Those that were tried and not sent. */
  mails: readonly MailTroubleFacts[];
}

/** null: it has not been read yet. */
export const watched = signal<Watched | null>(null);

export const parkingGatewayOf = (id: number | null): ParkingGateway | undefined =>
  watched.value?.sensors.find((each) => each.id === id);

export function forgetWatched(): void {
  watched.value = null;
}

export const loadWatched = (): Promise<void> =>
  load('watched', readWatched, (next) => {
    watched.value = next;
  });

async function readWatched(): Promise<Watched> {
  const [sensors, displays, webhooks, mails] = await Promise.all([
    all(client().list('/v2/parking-gateways', { query: { sort: 'id:asc', size: PAGE } })),
    readDisplays(),
    mayManage.value ? readWebhooks() : [],
    mayManage.value ? readMails() : [],
  ]);
  return { sensors, silentPlaces: sensors.length === 0 ? [] : await readSilentPlaces(), displays, webhooks, mails };
}

async function readSilentPlaces(): Promise<Place[]> {
  const places = await all(client().list('/v2/parking-places', { query: { sort: 'id:asc', size: PAGE } }), PLACES_MAX);
  return places.filter(({ stale_since }) => stale_since !== null);
}

/** Those that a gateway writes to, with what they show. */
async function readDisplays(): Promise<DisplayFacts[]> {
  const displays = await all(client().list('/v2/rgb-displays', { query: { sort: 'id:asc', size: PAGE } }));
  const written = displays.filter(({ driver, gateway_id }) => driver !== '' && gateway_id !== null);
  return Promise.all(
    written.slice(0, DISPLAYS_MAX).map(async ({ id, name, lot_id, created_at }) => {
      const { shown_at, is_stale } = await client().get('/v2/rgb-displays/{id}/shown', { path: { id } });
      return { id, name, lot_id, created_at, shown_at, is_stale };
    }),
  );
}

/** A webhook without a status was never called, or nobody answered: its last delivery says which. */
async function readWebhooks(): Promise<WebhookFacts[]> {
  const webhooks = await client().get('/v2/webhooks', { query: { size: WEBHOOKS_MAX, sort: 'id:asc' } });
  const asked = webhooks.filter(({ is_active, last_status }) => is_active === 1 && last_status === null);
  const unanswered = new Map(
    await Promise.all(
      asked.slice(0, UNANSWERED_MAX).map(async ({ id }) => {
        const [last] = await client().get('/v2/webhooks/{id}/deliveries', { path: { id }, query: { size: 1 } });
        return [id, last !== undefined && last.error !== null ? last.created_at : null] as const;
      }),
    ),
  );
  return webhooks.map((webhook) => ({ ...webhook, unanswered_at: unanswered.get(webhook.id) ?? null }));
}

async function readMails(): Promise<MailTroubleFacts[]> {
  const mails = await client().get('/v2/mails', { query: { filter: ['status:in:failed,queued'], size: MAILS_MAX } });
  return mails
    .filter(({ last_error }) => last_error !== null)
    .map(({ status, created_at }) => ({ written_ms: Date.parse(created_at), is_over: status === 'failed' }));
}
