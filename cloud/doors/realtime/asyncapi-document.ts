/** Builds the AsyncAPI 3 document of the realtime interface from the schemas that check every event before it is journalled. */
import { z } from 'zod';
import { EVENT_SCHEMAS, type EventName } from '../../../shared/events/event-schemas.js';
import { describedSchema } from '../../rest/entry.js';
import { REALTIME_PATH } from './handshake.js';
import { subscriptionSchema } from './subscription.js';

/** When each event is sent (realtime contract, "Events"). */
const SENT_WHEN: Record<EventName, string> = {
  lot_change: "A command succeeded, or a Gateway reported a product's state",
  gateway_error: 'A command failed',
  gateway_status: 'A Gateway went online or offline',
  plate_reading_create: 'An LPR camera read a plate',
  plate_reading_update: 'An access decision was made for a reading, or the camera refined it',
  session_create: 'A session started',
  session_update: 'A session changed or ended',
  lpr_camera_status: 'An LPR camera reported its status',
  lot_detection_change: "A lot's occupied count changed (sensor)",
  zone_change: "A zone's occupied count changed (sensor)",
  parking_place_change: 'A parking place became free or occupied',
  parking_gateway_state_change: 'A parking-detection gateway went online or offline',
  lpr_event: 'Legacy: a lot entry was recorded from a plate reading; use the plate reading events',
};

type JsonSchema = Readonly<Record<string, unknown>>;
interface Message {
  name: string;
  title: string;
  summary: string;
  contentType: string;
  payload: JsonSchema;
}

const EVENT_NAMES = Object.keys(EVENT_SCHEMAS) as EventName[];
const cursorSchema = {
  type: 'string',
  pattern: '^[1-9][0-9]*$',
  description: 'The cursor: last_event_id resumes after it',
};
/** Also the cursor of an account that has no event yet. */
const anyCursorSchema = { ...cursorSchema, pattern: '^(0|[1-9][0-9]*)$' };

/** @param options.baseUrl the service's public address */
export function asyncApiDocument(options: { baseUrl: string; version: string }): Record<string, unknown> {
  const { protocol, host, pathname } = new URL(options.baseUrl);
  const events = EVENT_NAMES.map(eventMessage);
  const ofConnection = connectionMessages();
  const ofClient = clientMessages();
  const webhooks = EVENT_NAMES.map(webhookMessage);
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Parking realtime events',
      version: options.version,
      description:
        'Frames are text: `{"event", "data", "id"}`, `data` being the payload as a JSON string. `id` is there when the event is in ' +
        'the journal: it is the cursor to resume from. Webhooks carry the same payloads.',
      contact: { name: 'The operator of this service' },
      license: { name: 'All rights reserved' },
      tags: [{ name: 'Events', description: 'What happens at car parks, as it happens.' }],
    },
    defaultContentType: 'application/json',
    servers: {
      service: {
        host,
        pathname: pathname.replace(/\/$/, ''),
        protocol: protocol === 'https:' ? 'wss' : 'ws',
        security: [{ $ref: '#/components/securitySchemes/bearer' }],
      },
    },
    channels: {
      realtime: {
        address: REALTIME_PATH,
        description:
          'One WebSocket per client. The token: Authorization header, subprotocols `bearer, <token>`, `token`, or `authorize`.',
        messages: references('messages', [...events, ...ofConnection, ...ofClient]),
        bindings: { ws: { method: 'GET', query: connectionQuery(), bindingVersion: '0.1.0' } },
      },
      webhook: {
        address: null,
        description: "A POST to the webhook's url, signed as Standard Webhooks has it; any 2xx acknowledges.",
        messages: references('messages', webhooks),
      },
    },
    operations: {
      pushEvents: operation('send', 'realtime', {
        description: 'The service sends what happened, and what became of the connection.',
        messages: [...events, ...ofConnection],
      }),
      takeFrames: operation('receive', 'realtime', {
        description:
          'The client proves who it is, and says what it wants to get. Anything else is answered by an error.',
        messages: ofClient,
      }),
      callWebhooks: operation('send', 'webhook', {
        description: 'The service posts what happened to the addresses of webhooks, until they acknowledge it.',
        messages: webhooks,
      }),
    },
    components: {
      messages: {
        ...described([...events, ...ofConnection, ...ofClient], 'frame'),
        ...described(webhooks, 'webhook_call'),
      },
      schemas: Object.fromEntries(
        EVENT_NAMES.map((name) => [schemaName(name), describedSchema(jsonSchema(EVENT_SCHEMAS[name]), pathOf(name))]),
      ),
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', description: 'A user token or an API token' } },
    },
  };
}

/** Events of the same shape share their schema. */
function schemaName(event: EventName): string {
  const first = EVENT_NAMES.find((name) => EVENT_SCHEMAS[name] === EVENT_SCHEMAS[event]);
  return first ?? event;
}

const pathOf = (owner: string) => ({ owners: [owner], names: [] });

/** The messages by their names. Parts that all messages of a kind share are described once. */
const described = (messages: readonly Message[], kind: 'frame' | 'webhook_call') =>
  Object.fromEntries(
    messages.map((each) => [
      each.name,
      { ...each, payload: describedSchema(each.payload, { owners: [each.name, kind], names: [] }) },
    ]),
  );

const payloadOf = (event: EventName) => ({ $ref: `#/components/schemas/${schemaName(event)}` });

/** Draft 7, which AsyncAPI's own schema objects extend. */
function jsonSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _ofTheDocument, ...rest } = z.toJSONSchema(schema, { target: 'draft-7' });
  return rest;
}

const object = (properties: Record<string, JsonSchema>, required: string[]): JsonSchema => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

/** `data` is text that holds JSON. */
const frame = (
  event: string,
  data: JsonSchema,
  more: Record<string, JsonSchema> = {},
  required: readonly string[] = [],
): JsonSchema => object({ event: { type: 'string', const: event }, data, ...more }, ['event', 'data', ...required]);

const jsonText = (contentSchema: JsonSchema): JsonSchema => ({
  type: 'string',
  contentMediaType: 'application/json',
  contentSchema,
});

function message(name: string, summary: string, payload: JsonSchema): Message {
  return { name, title: name, summary, contentType: 'application/json', payload };
}

const eventMessage = (name: EventName): Message =>
  message(name, SENT_WHEN[name], frame(name, jsonText(payloadOf(name)), { id: cursorSchema }));

function connectionMessages(): Message[] {
  const error = object({ code: { type: 'integer' }, message: { type: 'string' }, field: { type: 'string' } }, [
    'code',
    'message',
  ]);
  return [
    message(
      'authorized',
      'The token is accepted; the id is the cursor to resume from if the connection is cut before its first event',
      frame('authorized', { type: 'string', const: '' }, { id: anyCursorSchema }, ['id']),
    ),
    message(
      'subscribed',
      'The subscription was accepted, and holds for what follows; data is the same subscription',
      frame('subscribed', jsonText(jsonSchema(subscriptionSchema))),
    ),
    message(
      'resync_required',
      'The cursor to resume from is unknown or too old: read the state over REST',
      frame('resync_required', jsonText(object({}, []))),
    ),
    message(
      'cursor',
      'Nothing was heard for an hour; the id is the cursor to resume from',
      frame('cursor', jsonText(object({}, [])), { id: anyCursorSchema }, ['id']),
    ),
    message(
      'error',
      'A frame of the client was not understood or is refused, and changed nothing; data is the first of the errors',
      frame('error', jsonText(error), { errors: { type: 'array', items: error, minItems: 1 } }, ['errors']),
    ),
  ];
}

function clientMessages(): Message[] {
  return [
    message(
      'authorize',
      'The first message of a connection that was opened without a token, within 10 s',
      frame('authorize', { type: 'string', description: 'The token' }),
    ),
    message(
      'subscribe',
      'Narrows the stream of this connection to what matches all that is named; the next one replaces it',
      frame('subscribe', jsonSchema(subscriptionSchema)),
    ),
  ];
}

const webhookMessage = (name: EventName): Message =>
  message(
    `webhook_${name}`,
    SENT_WHEN[name],
    object(
      {
        type: { type: 'string', const: name },
        timestamp: { type: 'string', format: 'date-time' },
        data: payloadOf(name),
      },
      ['type', 'timestamp', 'data'],
    ),
  );

function connectionQuery(): JsonSchema {
  return {
    type: 'object',
    properties: {
      token: { type: 'string', description: 'For clients that can send neither header nor subprotocol' },
      last_event_id: { ...anyCursorSchema, description: 'The last event the client has: what followed comes first' },
    },
  };
}

const references = (kind: string, messages: readonly Message[]) =>
  Object.fromEntries(messages.map(({ name }) => [name, { $ref: `#/components/${kind}/${name}` }]));

function operation(
  action: 'send' | 'receive',
  channel: string,
  { description, messages }: { description: string; messages: readonly Message[] },
) {
  return {
    action,
    description,
    channel: { $ref: `#/channels/${channel}` },
    messages: messages.map(({ name }) => ({ $ref: `#/channels/${channel}/messages/${name}` })),
  };
}
