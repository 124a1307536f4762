import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { EVENT_SCHEMAS, type EventName, type EventPayload } from '../../shared/events/event-schemas.js';
import { connectRealtime, type RealtimeClient } from '../integration/cloud-http-realtime-client.js';
import { API_TOKEN, type Site, seedSite } from '../integration/cloud-http-site.js';
import { type CloudWorld, startCloudWorld } from '../integration/cloud-http-world.js';
import { EVENT_SAMPLES } from './event-samples.js';
import { keyPaths, observedDirectoryVariable } from './observed-events.js';
import { ASYNCAPI, checkFrame, checkWebhook, resolveReference } from './realtime-contract.js';
import { compareKeys, isAllowed, renderComparison, SPECIFICATION_EVENTS } from './specification-events.js';

type Json = Record<string, unknown>;

// What is told here is made up: it is no part of what the suite heard.
vi.stubEnv(observedDirectoryVariable, undefined);

const EVENTS = Object.keys(SPECIFICATION_EVENTS) as EventName[];

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

  it.each(EVENTS)('%s: the document takes what has the keys, and nothing else', (event) => {
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
    const rows = compareKeys('gateway_status', [
      ['uuid', 'status'],
      ['uuid', 'extra'],
    ]);
    expect(rows.filter((row) => !isAllowed(row)).map(({ path }) => path)).toEqual(['status', 'extra']);
    expect(renderComparison('gateway_status', [['uuid', 'extra']]).join('\n')).toContain(
      'NOT OF THE SPECIFICATION: extra',
    );
  });

  it('asks for nested keys only where their parent is', () => {
    const rows = compareKeys(
      'session_create',
      EVENT_SAMPLES.session_update.map((sample) => keyPaths(sample)),
    );
    expect(rows.filter((row) => !isAllowed(row))).toEqual([]);
    expect(rows.find(({ path }) => path === 'exit')?.observed).toBe('sometimes');
    expect(rows.find(({ path }) => path === 'exit.type')?.observed).toBe('always');
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
  });
  afterAll(async () => {
    client.socket.terminate();
    await cloud.close();
  });

  const tell = <Name extends EventName>(event: Name, payloads: EventPayload<Name>[]) =>
    cloud.store.change(async (_tx, recorder) => {
      for (const payload of payloads) {
        await recorder.record({ account_id: site.harbour, lot_id: site.north, event, payload });
      }
    });

  it.each(EVENTS)('%s', async (event) => {
    const before = client.frames.length;
    await tell(event, EVENT_SAMPLES[event] as EventPayload<EventName>[]);
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
    const rows = compareKeys(event, combinations);
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
    { event: 'authorized', data: '' },
    { event: 'resync_required', data: '{}' },
    { event: 'error', data: '{"code":23,"message":"no","field":"events.0"}' },
  ])('describes $event', (frame) => {
    expect(() => checkFrame(JSON.stringify(frame))).not.toThrow();
    expect(() => checkFrame(JSON.stringify({ ...frame, id: '1' }))).toThrow('id');
  });
});
