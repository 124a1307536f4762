import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fetchChecked } from '../contract/checked-fetch.js';
import { startReceiver, type WebhookReceiver } from '../integration/webhook/webhook-receiver.js';
import { freePorts } from '../world/free-ports.js';
import { type RunningProgram, startProgram } from '../world/programs.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';

const TOKEN = 'webhook-kill-token-0123456789abcdef';
const SITE = `version: 1
accounts:
  - name: Harbour
    users: [{email: o@harbour.example, password: "long pass phrase", name: Olga}]
    api_tokens: [{name: integration, token: ${TOKEN}}]
    lots: [{name: North, zones: [{name: Level 0}]}]
`;
/** Deliveries that a killed process had leased are retried when their lease ends. */
const LIMIT_MS = 60_000;

let directory: string;
let env: Record<string, string>;
let url: string;
let receiver: WebhookReceiver;
let cloud: RunningProgram;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'webhook-kill-'));
  const [port, mqttPort] = await freePorts(2);
  const ports = { PORT: String(port), MQTT_PORT: String(mqttPort) };
  env = { DATA_DIR: join(directory, 'data'), WEBHOOK_ALLOW_PRIVATE: 'true', ...ports };
  url = `http://127.0.0.1:${port}`;
  const site = join(directory, 'site.yaml');
  writeFileSync(site, SITE);
  expect(await startProgram('cloud/main.js', ['apply', site], env).ended).toMatchObject({ code: 0 });
  receiver = await startReceiver('never');
  await serve();
});
afterAll(async () => {
  await cloud?.end();
  await receiver?.close();
  rmSync(directory, { recursive: true, force: true });
});

async function serve(): Promise<void> {
  cloud = startProgram('cloud/main.js', ['serve'], env);
  await waitUntil('the cloud to answer', async () => (await fetch(`${url}/readyz`)).ok);
}

async function ask<T>(method: string, path: string, json?: unknown): Promise<T> {
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
  const body = json === undefined ? {} : { body: JSON.stringify(json) };
  const answer = (await (await fetchChecked(url + path, { method, headers, ...body })).json()) as { data?: T };
  if (answer.data === undefined) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
  return answer.data;
}

it(
  'loses no event of which a webhook was to be told',
  async () => {
    const [zone] = await ask<{ id: number }[]>('GET', '/v2/zones');
    const { id } = await ask<{ id: number }>('POST', '/v2/webhooks', { url: receiver.url, events: ['session_create'] });
    const plates = ['KILL1', 'KILL2', 'KILL3'];
    for (const entry_license_plate of plates) {
      await ask('POST', '/v2/sessions', { zone_id: zone?.id, entry_license_plate });
    }
    await waitUntil('the first to be under way', () => receiver.waiting === 1);
    await cloud.end('SIGKILL');
    receiver.answer = 200;
    await serve();
    await waitUntil('all to be delivered', () => receiver.received.length === 4, LIMIT_MS);
    const sent = receiver.received.map(({ body }) => /KILL\d/.exec(body)?.[0]);
    expect(sent).toEqual(['KILL1', ...plates]);
    const log = await waitUntil('the log', async () => {
      const each = await ask<{ status_code: number | null; attempt: number }[]>('GET', `/v2/webhooks/${id}/deliveries`);
      return each.every(({ status_code }) => status_code === 200) ? each : null;
    });
    expect(log.map(({ attempt }) => attempt)).toEqual([1, 1, 2]);
  },
  2 * LIMIT_MS,
);
