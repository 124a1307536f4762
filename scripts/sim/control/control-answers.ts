/** The answers of all control interfaces. Errors have the envelope of REST: code 6 for unknown names, 23 with the field for bad values. */
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { z } from 'zod';
import { ApiError } from '../../../shared/errors.js';
import { type GatewayUuid, gatewayUuidSchema } from '../../../shared/ids.js';
import type { Logger } from '../../../shared/logger.js';
import { errorText } from '../../../shared/error-text.js';

const BODY_BYTES_MAX = 64 * 1024;

export function createControlBase(logger: Logger): Hono {
  const app = new Hono();
  app.use(
    bodyLimit({ maxSize: BODY_BYTES_MAX, onError: () => fail(new ApiError(23, { status: 413, field: 'body' })) }),
  );
  app.notFound((context) =>
    fail(new ApiError(6, { message: `There is no ${context.req.method} ${context.req.path}` })),
  );
  app.onError((error) => {
    if (error instanceof ApiError) return fail(error);
    logger.error({ err: error }, 'control request failed');
    return fail(new ApiError(500, { message: errorText(error) }));
  });
  return app;
}

/** @throws ApiError 422 naming `field` */
export function gatewayUuidOf(raw: string, field: string): GatewayUuid {
  const uuid = gatewayUuidSchema.safeParse(raw);
  if (!uuid.success) throw new ApiError(23, { field, message: `${field} must be a lower-case uuid` });
  return uuid.data;
}

/** @throws ApiError 422 naming each field that is wrong */
export async function bodyOf<Schema extends z.ZodType>(context: Context, schema: Schema): Promise<z.output<Schema>> {
  const raw: unknown = await context.req.json().catch(() => {
    throw new ApiError(23, { field: 'body', message: 'The body must be a JSON object' });
  });
  const parsed = schema.safeParse(raw);
  if (parsed.success) return parsed.data;
  throw ApiError.validation(
    parsed.error.issues.flatMap((issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => ({ field: key, message: `${key} is not known here` }))
        : [{ field: issue.path.join('.') || 'body', message: issue.message }],
    ),
  );
}

function fail(error: ApiError): Response {
  return Response.json(error.envelope(), { status: error.status });
}
