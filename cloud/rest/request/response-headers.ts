/** The headers of requests and answers in the OpenAPI document: what every endpoint of a kind has. */
import { z } from '@hono/zod-openapi';

const text = (description: string) => ({ description, schema: { type: 'string' as const } });
const count = (description: string) => ({ description, schema: { type: 'integer' as const } });

/** Under `components.headers` of the document. */
export const RESPONSE_HEADERS = {
  'X-Request-Id': text("The client's, or a new one; the log has it, too"),
  'WWW-Authenticate': text('Bearer'),
  'Retry-After': count('Seconds until it is worth to ask again'),
  'RateLimit-Limit': count('Requests per minute of this token; left out when there is no limit'),
  'RateLimit-Remaining': count('How many of them are left'),
  'RateLimit-Reset': count('Seconds until all of them are left again'),
  ETag: text('The version of the record or document; it changes when that does, and not by time alone'),
} as const;

type HeaderName = keyof typeof RESPONSE_HEADERS;

/** The headers that an endpoint's answers may carry. */
export interface Headed {
  hasBearer: boolean;
  /** It answers a record with its version. */
  isVersioned: boolean;
}

/** The headers of an answer with this status, as references. */
export function headersOf(status: number, { hasBearer, isVersioned }: Headed): Record<string, { $ref: string }> {
  const names: HeaderName[] = [
    'X-Request-Id',
    ...(status === 401 ? (['WWW-Authenticate'] as const) : []),
    ...([429, 503].includes(status) ? (['Retry-After'] as const) : []),
    ...(hasBearer && status !== 401 ? (['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'] as const) : []),
    ...(isVersioned && [200, 304].includes(status) ? (['ETag'] as const) : []),
  ];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

const optionalText = (description: string) => z.string().optional().openapi({ description });

/** Of a POST that is done once. */
export const IDEMPOTENCY_HEADER = {
  'Idempotency-Key': optionalText(
    'The same key and body within 24 h are answered as the first time, and done once; secrets are null then',
  ),
};

/** Of a write to one record. */
export const IF_MATCH_HEADER = {
  'If-Match': optionalText(
    'ETags, or *: the request is done only while the record has one of these versions, else it is 412',
  ),
};

/** Of a GET by id. */
export const IF_NONE_MATCH_HEADER = {
  'If-None-Match': optionalText('ETags, or *: while what is asked for has one of these versions, the answer is 304'),
};
