import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { fetchChecked } from '../contract/checked-fetch.js';
import { startReceiver, type WebhookReceiver } from '../integration/webhook/webhook-receiver.js';
import { onPostgres } from '../world/postgres-databases.js';
import { type RealtimeListener } from '../world/realtime-listener.js';
import { TEST_SITE } from '../world/site.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';
import { createWorld, type World } from '../world/world.js';

/** The file that ships, from dist/test/stories/. */
const DASHBOARD = fileURLToPath(new URL('../../../cloud/grafana-dashboard.json', import.meta.url));
const BARRIER_ID = 1;
const REQUEST_ID = 'operator-story-1';
const PLATES = [TEST_SITE.memberPlate, 'ZG 777-YY', 'ZG777YY'];
/** What a cloud measures of the disk of its own database, and of no server's. */
const OF_SQLITE = ['parking_database_writes_refused'];
/** pino's numbers of levels. */
const DEBUG = 20;

interface LogLine {
  level: number;
  msg: string;
  uuid?: string;
  event_id?: string;
  request_id?: string;
  [field: string]: unknown;
}

interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  service: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
}

const spansSchema = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({
        attributes: z.array(z.object({ key: z.string(), value: z.object({ stringValue: z.string().optional() }) })),
      }),
      scopeSpans: z.array(
        z.object({
          spans: z.array(
            z.object({
              traceId: z.string(),
              spanId: z.string(),
              parentSpanId: z.string().optional(),
              name: z.string(),
              startTimeUnixNano: z.string(),
              endTimeUnixNano: z.string(),
            }),
          ),
        }),
      ),
    }),
  ),
});

describe('operator story: what an operator sees of a plate and of a command', () => {
  let world: World;
  let stream: RealtimeListener;
  let collector: WebhookReceiver;
  let hook: WebhookReceiver;
  let log: LogLine[];
  let commandId: string;

  beforeAll(async () => {
    collector = await startReceiver(200);
    hook = await startReceiver(204);
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.port}`, LOG_LEVEL: 'debug' };
    world = await createWorld({ cloudEnv: { ...env, WEBHOOK_ALLOW_PRIVATE: 'true' }, agentEnv: env });
    stream = await world.listen();
    const made = await world.call('POST', '/v2/webhooks', {
      body: { url: hook.url, events: ['plate_reading_create'] },
    });
    expect(made.status).toBe(200);
    for (const [camera, plate] of [
      [TEST_SITE.entryCamera, TEST_SITE.memberPlate],
      [TEST_SITE.exitCamera, 'ZG 777-YY'],
    ] as const) {
      await world.sim('POST', `/cameras/${camera}/read`, { plate });
    }
    await stream.waitFor('plate_reading_update', 2);
    await waitUntil('the deliveries to the webhook', () => hook.received.length >= 2);
    // The opening for the member has ended before the same product is commanded.
    await waitUntil('the barrier to be seen open', () => stream.of('lot_change').length >= 2);
    const asked = await fetchChecked(`${world.cloudUrl}/v2/products/${BARRIER_ID}/state`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${TEST_SITE.apiToken}`,
        'content-type': 'application/json',
        'x-request-id': REQUEST_ID,
      },
      body: JSON.stringify({ operation: 'open' }),
    });
    expect(asked.status).toBe(200);
    commandId = ((await asked.json()) as { data: { event_id: string } }).data.event_id;
    await waitUntil('the end of the command', () => stream.heard.some(({ payload }) => payload.event_id === commandId));
    await world.settled();
    const search = new URLSearchParams({ filter: `plate:eq:${TEST_SITE.memberPlate}` });
    expect((await world.api(`/v2/plate-readings?${search}`)).status).toBe(200);
    log = world
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as LogLine);
  });

  afterAll(async () => {
    await stream?.close();
    await world?.close();
    await collector?.close();
    await hook?.close();
  });

  const scrape = async () => (await fetchChecked(`${world.cloudUrl}/metrics`)).text();
  /** What is measured, by series. */
  const measured = async () =>
    new Map(
      (await scrape()).split('\n').flatMap((line) => {
        const [, series = '', value] = /^(\w+(?:\{[^}]*\})?) (\S+)$/.exec(line) ?? [];
        return value === undefined ? [] : [[series, Number(value)] as const];
      }),
    );
  const messagesOf = (lines: LogLine[]) => lines.map(({ msg }) => msg);

  describe('the log', () => {
    it('follows a command from its request to its end by request and event', () => {
      const [accepted, ...others] = log.filter(({ request_id, msg }) => request_id === REQUEST_ID && msg !== 'Request');
      expect(others).toEqual([]);
      expect(accepted).toMatchObject({
        msg: 'command accepted',
        event_id: commandId,
        product_id: BARRIER_ID,
        lot_id: 1,
      });
      const ofCommand = log.filter(({ event_id }) => event_id === commandId);
      const { gatewayUuid: uuid } = TEST_SITE;
      // The cloud and the gateway have logs of their own.
      expect(messagesOf(ofCommand.filter((line) => line.gateway_id !== undefined || line.uuid === undefined))).toEqual([
        'command accepted',
        'command sent',
        "a gateway's try at a command ended",
        'command ended',
      ]);
      expect(messagesOf(ofCommand.filter((line) => line.gateway_id === undefined && line.uuid === uuid))).toEqual([
        'command received',
        'product did it',
      ]);
      expect(ofCommand.find(({ msg }) => msg === 'command sent')).toMatchObject({ uuid, gateway_id: 1, lot_id: 1 });
      expect(ofCommand.find(({ msg }) => msg === 'command ended')).toMatchObject({
        outcome: 'succeeded',
        command: 'open',
      });
    });

    it('names no plate above the level debug', () => {
      const withPlate = log.filter((line) => PLATES.some((plate) => JSON.stringify(line).includes(plate)));
      // They were there to be named.
      expect(messagesOf(withPlate)).toContain('plate that was read');
      expect(withPlate.filter(({ level }) => level > DEBUG)).toEqual([]);
    });
  });

  describe('the trace of a plate read', () => {
    const spans = (): Span[] =>
      collector.received.flatMap(({ body }) =>
        spansSchema.parse(JSON.parse(body)).resourceSpans.flatMap(({ resource, scopeSpans }) => {
          const service = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue ?? '';
          return scopeSpans.flatMap(({ spans: sent }) => sent.map((span) => ({ ...span, service }) as Span));
        }),
      );
    const traceOf = (uid: unknown) => spans().filter(({ traceId }) => traceId === String(uid).replaceAll('-', ''));
    const WHOLE = [
      'parking-agent decide',
      'parking-agent plate read',
      'parking-agent send',
      'parking-agent store',
      'parking-cloud ingest transaction',
      'parking-cloud journal',
      'parking-cloud push',
      'parking-cloud receive',
      'parking-cloud webhook',
    ];

    it('is one, from the gateway to the socket and the webhook, under the uid of the record', async () => {
      const uids = log.filter(({ msg }) => msg === 'plate read').map(({ uid }) => uid);
      expect(uids).toHaveLength(2);
      for (const uid of uids) {
        const trace = await waitUntil('all spans of the read', () => {
          const found = traceOf(uid);
          return new Set(found.map(({ name }) => name)).size >= WHOLE.length && found;
        });
        expect([...new Set(trace.map(({ service, name }) => `${service} ${name}`))].toSorted()).toEqual(WHOLE);
        const first = trace.find(({ name }) => name === 'plate read');
        expect(first?.parentSpanId ?? '').toBe('');
        for (const { name, parentSpanId, startTimeUnixNano, endTimeUnixNano } of trace) {
          if (name !== 'plate read') expect(parentSpanId, name).toBe(first?.spanId);
          expect(Number(endTimeUnixNano), name).toBeGreaterThanOrEqual(Number(startTimeUnixNano));
        }
      }
    });

    it('names no plate', () => {
      const sent = collector.received.map(({ body }) => body).join('');
      expect(PLATES.filter((plate) => sent.includes(plate))).toEqual([]);
    });
  });

  describe('the measurements', () => {
    it('count the records, the commands and what follows from them', async () => {
      // The last deliveries and reports may be under way.
      for (const name of ['parking_webhook_deliveries_waiting', 'parking_gateway_messages_waiting']) {
        await expect.poll(async () => (await measured()).get(name)).toBe(0);
      }
      const values = await measured();
      expect(values.get('parking_records_total{lane="0",outcome="applied"}')).toBeGreaterThanOrEqual(4);
      expect(values.get('parking_ingest_lag_seconds_count{lane="0"}')).toBeGreaterThanOrEqual(4);
      expect(values.get('parking_commands_total{operation="open",outcome="succeeded"}')).toBe(1);
      expect(values.get('parking_command_seconds_count{outcome="succeeded"}')).toBe(1);
      expect(values.get('parking_command_attempts_total{outcome="succeeded"}')).toBe(1);
      expect(values.get('parking_journal_events_total{event="plate_reading_create"}')).toBe(2);
      expect(values.get('parking_journal_head')).toBeGreaterThanOrEqual(6);
      expect(values.get('parking_realtime_connections')).toBe(1);
      expect(values.get('parking_realtime_lag_seconds_count')).toBeGreaterThanOrEqual(6);
      expect(values.get('parking_webhook_attempt_seconds_count{outcome="acknowledged"}')).toBe(2);
      expect(values.get('parking_gateways_online')).toBe(1);
      expect(values.get('parking_gateway_message_seconds_count{channel="records"}')).toBeGreaterThanOrEqual(2);
      expect(values.get('parking_broker_publish_seconds_count{channel="command"}')).toBe(1);
      expect(values.get('parking_database_changes_total{outcome="committed"}')).toBeGreaterThanOrEqual(6);
      expect(values.get('parking_database_read_seconds_count')).toBeGreaterThanOrEqual(6);
    });

    it('explain each of their names', async () => {
      const lines = (await scrape()).split('\n');
      const help = lines.flatMap((line) => /^# HELP (parking_\w+) (.*)$/.exec(line)?.slice(1, 3).join(': ') ?? []);
      expect(help.length).toBeGreaterThan(35);
      expect(help.filter((line) => line.length < 40)).toEqual([]);
    });

    it('have no label that somebody outside could choose', async () => {
      const labels = [...(await scrape()).matchAll(/^parking_\w+\{([^}]*)\}/gm)].flatMap(([, pairs = '']) =>
        pairs.split(/,(?=\w+=)/).map((pair) => pair.split('=')[0]),
      );
      expect([...new Set(labels)].toSorted()).toEqual(
        ['channel', 'event', 'kind', 'lane', 'le', 'method', 'operation', 'outcome', 'route', 'status'].toSorted(),
      );
    });
  });

  describe("the dashboard's file", () => {
    const targetSchema = z.object({ refId: z.string().min(1), expr: z.string().min(1), datasource: z.unknown() });
    const panelSchema = z.object({
      id: z.number().int().positive(),
      type: z.enum(['row', 'stat', 'timeseries']),
      title: z.string().min(1),
      gridPos: z.object({ h: z.number().positive(), w: z.number().min(1).max(24), x: z.number(), y: z.number() }),
      targets: z.array(targetSchema).min(1).optional(),
    });
    /** What Grafana 10 and newer import: version 39 of its dashboards. */
    const dashboardSchema = z.object({
      uid: z.string().max(40),
      title: z.string().min(1),
      schemaVersion: z.literal(39),
      panels: z.array(panelSchema),
      templating: z.object({ list: z.array(z.object({ name: z.string(), type: z.string(), query: z.unknown() })) }),
    });
    const dashboard = () => dashboardSchema.parse(JSON.parse(readFileSync(DASHBOARD, 'utf8')));

    it('asks the data source that is chosen at the import, in panels that do not cover each other', () => {
      const { panels, templating } = dashboard();
      expect(templating.list[0]).toMatchObject({ name: 'datasource', type: 'datasource', query: 'prometheus' });
      expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
      for (const { targets = [] } of panels) {
        for (const { datasource } of targets) expect(datasource).toEqual({ type: 'prometheus', uid: '${datasource}' });
      }
      const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
        Array.from({ length: w * h }, (_cell, at) => `${x + (at % w)} ${y + Math.floor(at / w)}`),
      );
      expect(new Set(cells).size).toBe(cells.length);
    });

    it('asks only for what a running cloud measures, and for all of that', async () => {
      const text = await scrape();
      const named = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name = '', type]) => ({ name, type }));
      const series = new Set(
        named.flatMap(({ name, type }) =>
          type === 'histogram' ? ['bucket', 'sum', 'count'].map((part) => `${name}_${part}`) : [name],
        ),
      );
      const { panels } = dashboard();
      const asked = panels.flatMap(({ targets = [] }) =>
        targets.flatMap(({ expr }) => [...expr.matchAll(/\b(?:parking|process|nodejs)_\w+/g)].map(([name]) => name)),
      );
      expect(asked.length).toBeGreaterThan(40);
      const notMeasured = onPostgres() ? OF_SQLITE : [];
      expect(asked.filter((name) => !series.has(name))).toEqual(notMeasured);
      const shown = (name: string) => asked.some((each) => each === name || each.startsWith(`${name}_`));
      const own = named.filter(({ name }) => name.startsWith('parking_')).map(({ name }) => name);
      expect(own.filter((name) => !shown(name))).toEqual(['parking_gateway_messages_held_seconds_total']);
    });
  });
});
