import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { EVENT_SCHEMAS, type EventName, type EventPayload } from '../../shared/events/event-schemas.js';
import { connectRealtime, type RealtimeClient } from '../integration/realtime/listening-client.js';
import { API_TOKEN, type Site, seedSite } from '../integration/http/http-site.js';
import { type CloudWorld, startCloudWorld } from '../integration/http/http-world.js';
import { EVENT_SAMPLES } from './event-samples.js';
import { keyPaths, observe, observedDirectoryVariable, readObserved } from './observed-events.js';
import { ASYNCAPI, checkFrame, checkWebhook, resolveReference } from './realtime-contract.js';
import { eventReport } from './event-report.js';
import { compareKeys, isAllowed, SPECIFICATION_EVENTS } from './specification-events.js';

type Json = Record<string, unknown>;

// The events of this file are invented, so the report of the run must not count them.
vi.stubEnv(observedDirectoryVariable, undefined);
afterAll(() => vi.unstubAllEnvs());

const { authorized: _ofTheConnection, ...OF_THE_JOURNAL } = SPECIFICATION_EVENTS;
const EVENTS = Object.keys(OF_THE_JOURNAL) as EventName[];

/** The keys of a JSON schema in the specification's notation. */
function schemaKeys(schema: Json, prefix = ''): string[] {
  const alternatives = (schema.anyOf ?? []) as Json[];
  const { properties = {}, required = [], items } = schema as { properties?: Json; required?: string[]; items?: Json };
  return [
    ...alternatives.flatMap((alternative) => schemaKeys(alternative, prefix)),
    ...(items === undefined ? [] : schemaKeys(items, `${prefix}[]`)),
    ...Object.entries(properties).flatMap(([key, inner]) => {
      const path = prefix === '' ? key : `${prefix}.${key}`;
      return [required.includes(key) ? path : `${path}?`, ...schemaKeys(inner as Json, path)];
    }),
  ];
}

const frameOf = (event: string, payload: unknown) => JSON.stringify({ event, data: JSON.stringify(payload), id: '1' });

describe('the event table of the specification', () => {
  it('has every event the service knows', () => {
    expect(EVENTS.toSorted()).toEqual(Object.keys(EVENT_SCHEMAS).toSorted());
  });

  it.each(EVENTS)('%s: /asyncapi.json has its keys, and which of them may be left out', (event) => {
    const message = ASYNCAPI.components.messages[event]?.payload as { properties: { data: { contentSchema: Json } } };
    const schema = resolveReference(String(message.properties.data.contentSchema.$ref));
    expect(schemaKeys(schema).toSorted()).toEqual(SPECIFICATION_EVENTS[event].toSorted());
  });

  it.each(EVENTS)('%s: the document accepts what has the keys, and nothing else', (event) => {
    for (const sample of EVENT_SAMPLES[event]) {
      expect(() => checkFrame(frameOf(event, sample))).not.toThrow();
      expect(() => checkFrame(frameOf(event, { ...sample, strange: 1 }))).toThrow('strange');
      for (const key of Object.keys(sample)) {
        const { [key]: _left, ...rest } = sample as Json;
        const mayBeLeftOut = SPECIFICATION_EVENTS[event].includes(`${key}?`);
        if (mayBeLeftOut) expect(() => checkFrame(frameOf(event, rest))).not.toThrow();
        else expect(() => checkFrame(frameOf(event, rest))).toThrow(key);
      }
    }
  });
});

describe('a comparison with the table', () => {
  it('finds a key too many, and one that is at times missing', () => {
    const rows = compareKeys(SPECIFICATION_EVENTS.gateway_status, [
      ['uuid', 'status'],
      ['uuid', 'extra'],
    ]);
    expect(rows.filter((row) => !isAllowed(row)).map(({ path }) => path)).toEqual(['status', 'extra']);
  });

  it('asks for nested keys only where their parent is', () => {
    const rows = compareKeys(
      SPECIFICATION_EVENTS.session_create,
      EVENT_SAMPLES.session_update.map((sample) => keyPaths(sample)),
    );
    expect(rows.filter((row) => !isAllowed(row))).toEqual([]);
    expect(rows.find(({ path }) => path === 'exit')?.observed).toBe('sometimes');
    expect(rows.find(({ path }) => path === 'exit.type')?.observed).toBe('always');
  });
});

describe('the report of a run', () => {
  const seen = (...combinations: string[][]) => ({ times: 7, combinations });

  it('has a line for each event: how often, what is wrong with its keys, and how many of its rules were tested', () => {
    const observed = new Map([
      ['gateway_status', seen(['uuid', 'status'], ['uuid', 'extra'])],
      ['gateway_error', seen(['type', 'event_id', 'data', 'data.id', 'data.name'])],
      ['authorized', seen([])],
    ]);
    const lines = eventReport(
      observed,
      new Map([
        ['gateway_status: change', 'passed'],
        ['gateway_status: no_lot', 'failed'],
      ]),
    );
    const cells = (event: string) => lines.find((line) => line.startsWith(event))?.split(/ {2,}/);
    expect(cells('gateway_status')).toEqual(['gateway_status', '7', 'status', 'extra', '-', '-', '1 of 2']);
    expect(cells('gateway_error')).toEqual(['gateway_error', '7', '-', '-', '0 of 1 seen', 'message', '0 of 4']);
    expect(cells('authorized')).toEqual(['authorized', '7', '-', '-', '-', '-', '0 of 1']);
    expect(cells('zone_change')?.slice(0, 2)).toEqual(['zone_change', 'not observed']);
    expect(lines).toContain('Rules whose tests failed: gateway_status (no_lot)');
    expect(lines.join(' ')).toContain('Rules without a test in this run: every event (scope transaction ');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(120);
  });

  it('counts every event of every process, and keeps each combination of keys once', () => {
    const directory = mkdtempSync(join(tmpdir(), 'observed-'));
    vi.stubEnv(observedDirectoryVariable, directory);
    try {
      for (const payload of [{ a: 1 }, { a: 2 }, { a: [{ b: 1 }] }]) observe('x', payload);
      observe('authorized', '');
      writeFileSync(join(directory, 'another.jsonl'), '[0,"x",["a"]]\n[0]\n');
      expect(readObserved(directory)).toEqual(
        new Map([
          ['x', { times: 5, combinations: [['a'], ['a', 'a[].b']] }],
          ['authorized', { times: 1, combinations: [[]] }],
        ]),
      );
    } finally {
      vi.stubEnv(observedDirectoryVariable, undefined);
      rmSync(directory, { recursive: true });
    }
  });
});

describe('every event, by all the ways it travels', () => {
  let cloud: CloudWorld;
  let site: Site;
  let client: RealtimeClient;

  beforeAll(async () => {
    cloud = await startCloudWorld();
    site = await seedSite(cloud.store);
    client = await connectRealtime(cloud.base, { path: `/v2/realtime?token=${API_TOKEN}` });
    // `authorized` comes first: later frames are counted from there.
    await client.until((frames) => frames.length === 1);
  });
  afterAll(async () => {
    client.socket.terminate();
    await cloud.close();
  });

  const journal = <Name extends EventName>(event: Name, payloads: EventPayload<Name>[]) =>
    cloud.store.change(async (tx) => {
      for (const payload of payloads) {
        tx.journal({ account_id: site.harbour, lot_id: site.north, event, payload });
      }
    });

  it.each(EVENTS)('%s', async (event) => {
    const before = client.frames.length;
    await journal(event, EVENT_SAMPLES[event] as EventPayload<EventName>[]);
    await client.until((frames) => frames.length === before + EVENT_SAMPLES[event].length);
    const heard = client.frames.slice(before);
    const { body } = await cloud.ask('GET', `/v2/events?limit=1000`, { token: API_TOKEN });
    const items = (body.data as { id: string; event: string; data: Json }[]).filter((item) => item.event === event);
    expect(heard.map(({ data }) => JSON.parse(data) as Json)).toEqual(EVENT_SAMPLES[event]);
    expect(items.map(({ data }) => data)).toEqual(EVENT_SAMPLES[event]);
    expect(items.map(({ id }) => id)).toEqual(heard.map(({ id }) => id));
    for (const { data } of items) {
      checkWebhook(JSON.stringify({ type: event, timestamp: '2026-01-15T12:00:00.000Z', data }));
    }
    const combinations = heard.map(({ data }) => keyPaths(JSON.parse(data)));
    const rows = compareKeys(SPECIFICATION_EVENTS[event], combinations);
    expect(rows.filter((row) => !isAllowed(row))).toEqual([]);
  });
});

describe('/asyncapi.json', () => {
  let cloud: CloudWorld;
  beforeAll(async () => {
    cloud = await startCloudWorld();
  });
  afterAll(() => cloud.close());

  it('is an AsyncAPI 3 document whose references lead somewhere', async () => {
    const response = await fetch(`${cloud.base}/asyncapi.json`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json');
    const document = (await response.json()) as Json & typeof ASYNCAPI;
    expect(document).toMatchObject({
      asyncapi: '3.0.0',
      info: { version: '2' },
      servers: { service: { host: new URL(cloud.base).host, protocol: 'ws' } },
      channels: { realtime: { address: '/v2/realtime' } },
    });
    expect(document.components).toEqual(ASYNCAPI.components);
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, target = '']) => target);
    expect(references.length).toBeGreaterThan(50);
    for (const reference of new Set(references)) resolveReference(reference);
  });

  it.each([
    { event: 'resync_required', data: '{}' },
    { event: 'subscribed', data: '{"lots":[7]}' },
    {
      event: 'error',
      data: '{"code":23,"message":"no","field":"events.0"}',
      errors: [{ code: 23, message: 'no', field: 'events.0' }],
    },
  ])('describes $event', (frame) => {
    expect(() => checkFrame(JSON.stringify(frame))).not.toThrow();
    expect(() => checkFrame(JSON.stringify({ ...frame, id: '1' }))).toThrow('id');
  });

  it('describes authorized, with the cursor of that moment', () => {
    for (const id of ['0', '1', '20']) {
      expect(() => checkFrame(JSON.stringify({ event: 'authorized', data: '', id }))).not.toThrow();
    }
    for (const id of [undefined, '', '02', 3]) {
      expect(() => checkFrame(JSON.stringify({ event: 'authorized', data: '', id }))).toThrow('id');
    }
  });
});
