/** Checks everything that tests hear against the document that integrators get: /asyncapi.json. */
import { z } from 'zod';
import { asyncApiDocument } from '../../cloud/doors/realtime/asyncapi-document.js';
import { observe } from './observed-events.js';

type Json = Record<string, unknown>;

export const ASYNCAPI = asyncApiDocument({ baseUrl: 'https://service.example', version: '2' }) as Json & {
  components: { messages: Record<string, { payload: Json }>; schemas: Record<string, Json> };
};

/** What a `#/...` reference of the document stands for. */
export function resolveReference(reference: string): Json {
  const found = reference
    .slice('#/'.length)
    .split('/')
    .reduce<unknown>((value, key) => (value as Json | undefined)?.[key], ASYNCAPI);
  if (found === undefined) throw new Error(`${reference} leads nowhere`);
  return found as Json;
}

/** The schema without references. */
function dereferenced(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(dereferenced);
  if (typeof schema !== 'object' || schema === null) return schema;
  if ('$ref' in schema) return dereferenced(resolveReference(String(schema.$ref)));
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, dereferenced(value)]));
}

const made = new Map<string, { frame: z.ZodType; data: z.ZodType }>();

/** The schemas of a message of the document: of the whole, and of its `data` (JSON text in frames, the payload itself in webhooks). */
function schemasOf(name: string): { frame: z.ZodType; data: z.ZodType } {
  let schemas = made.get(name);
  if (schemas === undefined) {
    const payload = ASYNCAPI.components.messages[name]?.payload;
    if (payload === undefined) throw new Error(`/asyncapi.json has no message ${name}`);
    const { data = {} } = payload.properties as Record<string, Json>;
    schemas = { frame: validator(payload), data: validator((data.contentSchema ?? data) as Json) };
    made.set(name, schemas);
  }
  return schemas;
}

function validator(schema: Json): z.ZodType {
  const json = dereferenced(schema) as Parameters<typeof z.fromJSONSchema>[0];
  return z.fromJSONSchema(json, { defaultTarget: 'draft-7' });
}

function check(what: string, schema: z.ZodType, value: unknown): void {
  const { error } = schema.safeParse(value);
  if (error !== undefined) throw new Error(`${what} is not as /asyncapi.json says: ${error.message}`);
}

/** Throws unless the document describes the frame. */
export function checkFrame(text: string): void {
  const frame = JSON.parse(text) as { event: string; data: string };
  check(`frame ${frame.event}`, schemasOf(frame.event).frame, frame);
  if (frame.event !== 'authorized') checkPayload(frame.event, JSON.parse(frame.data));
}

/** Throws unless the document describes the body of a webhook. */
export function checkWebhook(text: string): void {
  const body = JSON.parse(text) as { type: string };
  check(`webhook ${body.type}`, schemasOf(`webhook_${body.type}`).frame, body);
}

function checkPayload(event: string, payload: unknown): void {
  check(`data of ${event}`, schemasOf(event).data, payload);
}

/** Checks a frame that a test heard, and keeps its shape for the table at the end of the run. */
export function hearFrame(text: string): void {
  checkFrame(text);
  const { event, data } = JSON.parse(text) as { event: string; data: string };
  observe(event, data === '' ? '' : JSON.parse(data));
}

/** Does the same for an event on its way out of the database, before its links are signed. */
export function hearEvent(event: string, payload: unknown): void {
  checkPayload(event, payload);
  observe(event, payload);
}
