/** The two endpoints of each kind of ask: a POST that asks the gateway, and a GET of the last answer. */
import type { z } from '@hono/zod-openapi';
import type { Clock } from '../../../shared/clock.js';
import { ApiError, NOT_SEEN_RECENTLY, TOO_MANY_REQUESTS } from '../../../shared/errors.js';
import { gatewayUuidSchema } from '../../../shared/ids.js';
import type { AskAnswers, AskKind, AskMessage } from '../../../shared/uplink-asks.js';
import { ALL_ROLES } from '../../kernel/auth/entry.js';
import { RetryLaterError } from '../../kernel/limit/entry.js';
import type { CloudStore, Db } from '../../kernel/store/entry.js';
import { type Endpoint, iso, type ListTable, MANAGERS, protectedEndpoint, visibleRow } from '../../rest/entry.js';
import type { Broker } from '../broker/broker.js';
import { findGatewayLink } from '../gateway/gateway-queries.js';
import { askedSchema, representAsk, type ShownAsk } from './ask-payload.js';
import { findAsk, noteAsked } from './ask-queries.js';

/** For so long the answer to an ask is waited for before the same is asked again. */
const ASKED_EVERY_MS = 10_000;

export interface AskDeps {
  store: Pick<CloudStore, 'reader'>;
  clock: Clock;
  broker: Pick<Broker, 'publish'>;
}

type AskPath =
  | '/v2/gateways/{id}/camera-search'
  | '/v2/gateways/{id}/product-search'
  | '/v2/lpr-cameras/{id}/setup'
  | '/v2/lpr-cameras/{id}/probe'
  | '/v2/rgb-displays/{id}/test'
  | '/v2/parking-gateways/{id}/sensors';

type OfAsk<Kind extends AskKind> = Omit<Extract<AskMessage, { kind: Kind }>, 'kind' | 'subject_id' | 'asked_ms'>;

interface AskDefinition<Kind extends AskKind, Row extends { id: number }, Body, Shown extends object> {
  kind: Kind;
  path: AskPath;
  tag: string;
  /** What the GET and the POST do. */
  summaries: { get: string; post: string };
  list: ListTable<Row>;
  /** The gateway that is asked about the thing; null: it has none. */
  gatewayOf(row: NoInfer<Row>): number | null;
  /** 0: the gateway itself is asked. */
  subjectOf(row: NoInfer<Row>): number;
  body?: z.ZodType<Body>;
  auditValues?: readonly (keyof Body & string)[];
  /** What the gateway is asked, beside kind and thing. */
  askOf(body: NoInfer<Body>): OfAsk<Kind>;
  answer: z.ZodType<ShownAsk<Shown> | null>;
  represent(answer: AskAnswers[Kind], of: { db: Db; row: NoInfer<Row> }): Shown | Promise<Shown>;
}

export function askEndpoints<Kind extends AskKind, Row extends { id: number }, Body, Shown extends object>(
  { store, clock, broker }: AskDeps,
  definition: AskDefinition<Kind, Row, Body, Shown>,
): Endpoint[] {
  const { kind, path, tag, list, gatewayOf, subjectOf, answer, represent } = definition;
  const { reader } = store;
  return [
    protectedEndpoint({
      method: 'get',
      path,
      summary: definition.summaries.get,
      tag,
      roles: ALL_ROLES,
      answer: answer,
      find: ({ caller, ids }) => visibleRow(reader, list, { caller, id: ids.id }),
      async handle({ found: row }) {
        const gateway_id = gatewayOf(row);
        const kept =
          gateway_id === null ? null : await findAsk(reader, { gateway_id, kind, subject_id: subjectOf(row) });
        if (kept === null) return null;
        const shown = kept.answer === null ? null : await represent(kept.answer, { db: reader, row });
        return representAsk(kept, { now: clock.now(), answer: shown });
      },
    }),
    protectedEndpoint({
      method: 'post',
      path,
      summary: definition.summaries.post,
      tag,
      roles: MANAGERS,
      ...(definition.body === undefined ? {} : { body: definition.body }),
      ...(definition.auditValues === undefined ? {} : { auditValues: definition.auditValues }),
      answer: askedSchema,
      errors: [NOT_SEEN_RECENTLY, TOO_MANY_REQUESTS],
      find: ({ caller, ids }) => visibleRow(reader, list, { caller, id: ids.id }),
      async handle({ found: row, body, change }) {
        const gateway_id = gatewayOf(row);
        const uuid = await connectedUuid(reader, gateway_id);
        const now = clock.now();
        const subject_id = subjectOf(row);
        await change(async (tx) => {
          const waitMs = await noteAsked(tx, {
            gateway_id: gateway_id ?? 0,
            kind,
            subject_id,
            now,
            everyMs: ASKED_EVERY_MS,
          });
          if (waitMs === null) return;
          const message = 'The same was asked within the last ten seconds: its answer comes soon';
          throw new RetryLaterError(TOO_MANY_REQUESTS, { message, retryAfterS: Math.ceil(waitMs / 1_000) });
        });
        const ask = { kind, subject_id, asked_ms: now, ...definition.askOf(body as Body) };
        await broker.publish(uuid, 'ask', JSON.stringify(ask));
        return { asked_at: iso(now) };
      },
    }),
  ];
}

/** @throws ApiError NOT_SEEN_RECENTLY */
async function connectedUuid(db: Db, gateway_id: number | null) {
  if (gateway_id === null)
    throw new ApiError(NOT_SEEN_RECENTLY, { message: 'No gateway is chosen for it: choose one, and ask again' });
  const gateway = await findGatewayLink(db, gateway_id);
  const uuid = gatewayUuidSchema.safeParse(gateway?.uuid);
  if (gateway?.status !== 'online' || !uuid.success)
    throw new ApiError(NOT_SEEN_RECENTLY, { message: 'The gateway is not connected: nobody else can be asked' });
  return uuid.data;
}
