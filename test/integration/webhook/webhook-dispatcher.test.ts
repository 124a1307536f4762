import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type CloudStore, StoreError } from '../../../cloud/kernel/store/cloud-store.js';
import { insertWebhook } from '../../../cloud/doors/webhook/webhook-queries.js';
import { openMigratedStore } from '../../world/migrated-store.js';
import {
  createWebhookDispatcher,
  WEBHOOK_LIMITS,
  type WebhookDispatcher,
} from '../../../cloud/doors/webhook/webhook-dispatcher.js';
import type { WebhookRequest } from '../../../cloud/doors/webhook/webhook-sender.js';
import { FakeClock } from '../../world/fake-clock.js';
import { waitUntil } from '../../../scripts/sim/wait-until.js';
import { type Site, seedSite, journalEvents } from '../http/http-site.js';
import { createTestLog } from '../../world/test-log.js';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

let directory: string;
let clock: FakeClock;
let store: CloudStore;
let site: Site;
let dispatcher: WebhookDispatcher;
let log: ReturnType<typeof createTestLog>;
let isBroken: boolean;
/** What a turn waits for after its transaction. */
let held: Promise<void> | undefined;
let turns: number;
let openSecret: (sealed: string) => string;
const sent: WebhookRequest[] = [];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'webhook-dispatcher-'));
  clock = new FakeClock();
  log = createTestLog();
  sent.length = 0;
  isBroken = false;
  held = undefined;
  turns = 0;
  openSecret = () => SECRET;
  const { logger } = log;
  store = await openMigratedStore({ url: `sqlite:${join(directory, 'cloud.db')}`, clock, logger });
  site = await seedSite(store);
  await listen(site.harbour, 'https://hook.example/');
  dispatcher = createWebhookDispatcher({
    store: {
      ...store,
      async change(work) {
        if (isBroken) throw new StoreError('full', 'The disk is full');
        const result = await store.change(work);
        turns += 1;
        await held;
        return result;
      },
    },
    sender: {
      post: async (request) => {
        sent.push(request);
        return { statusCode: 200 };
      },
    },
    openSecret: (sealed) => openSecret(sealed),
    signLinks: (json) => json,
    clock,
    random: () => 0.5,
    logger,
    limits: WEBHOOK_LIMITS,
    measure() {},
    spans: null,
  });
  dispatcher.start();
});
afterEach(async () => {
  await dispatcher.close();
  await store.close();
  await rm(directory, { recursive: true });
});

function listen(account: number, url: string): Promise<unknown> {
  const row = {
    account_id: account,
    url,
    events: '["gateway_status"]',
    is_active: 1,
    last_status: null,
    disabled_at: null,
    secret_sealed: '',
    created_at: 0,
    updated_at: 0,
  };
  return store.change((tx) => insertWebhook(tx, row));
}

const north = (uuid: string) => ({ account_id: site.harbour, lot_id: site.north, uuid });
const firstDelivery = () => store.reader.selectFrom('webhook_deliveries').selectAll().executeTakeFirst();
const errors = () => log.lines.filter(({ level }) => level === 'error').map(({ message }) => message);

it('waits for a database that takes nothing, and forgets nothing', async () => {
  isBroken = true;
  await journalEvents(store, north('1'));
  await waitUntil('the failure', () => errors().includes('webhook deliveries wait for the database'));
  expect(sent).toEqual([]);
  isBroken = false;
  await waitUntil('the delivery', async () => {
    await clock.advance(60_000);
    return sent.length > 0;
  });
  await waitUntil('its outcome', async () => (await firstDelivery())?.status_code === 200);
  expect(sent).toHaveLength(1);
});

it('tells the owner and the operator of a secret that cannot be opened, each what concerns them', async () => {
  openSecret = () => {
    throw new Error('are the server keys those of this database?');
  };
  await journalEvents(store, north('1'));
  const row = await waitUntil('the outcome', async () => {
    const delivery = await firstDelivery();
    return typeof delivery?.last_error === 'string' ? delivery : null;
  });
  expect(row).toMatchObject({
    last_error: 'The service could not make the delivery',
    ended_at: null,
    status_code: null,
  });
  expect(sent).toEqual([]);
  expect(errors()).toEqual(['webhook delivery could not be made']);
});

it('hears for a webhook that was added while a turn had read the others', async () => {
  let release = () => {};
  held = new Promise((resolve) => {
    release = resolve;
  });
  const before = turns;
  dispatcher.changed();
  await waitUntil('a turn to have read the webhooks', () => turns > before);
  await listen(site.rival, 'https://new.example/');
  dispatcher.changed();
  held = undefined;
  release();
  await waitUntil('the turns to end', () => turns > before + 1);
  await journalEvents(store, { account_id: site.rival, lot_id: site.rivalLot, uuid: '1' });
  await waitUntil('the new webhook to be told', () => sent.some(({ url }) => url === 'https://new.example/'));
});
