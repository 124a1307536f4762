/** Schemas for fields that many answers share. */
import { z } from '@hono/zod-openapi';
import { isoTime } from './iso-time-codec.js';

export const id = z.number().int();

export const datetime = z.iso.datetime({ precision: 3 });

export const times = { created_at: datetime, updated_at: datetime };

export const iso = isoTime;

export const isoOrNull = (ms: number | null): string | null => (ms === null ? null : iso(ms));

export const flag = z.union([z.literal(0), z.literal(1)]);

/** Of a request that is done, when there is nothing to tell of it. */
export const successSchema = z.strictObject({ success: z.literal(true) });

export const named = z.strictObject({ id, name: z.string() });

/** A flag in a request: 0, 1, true or false. */
export const givenFlag = z.union([flag, z.boolean().transform((value) => (value ? 1 : 0))], 'must be 0 or 1');

/** Makes a named schema nullable: with `.nullable()` the null would be missing in the OpenAPI document. */
export const orNull = <Schema extends z.ZodType>(schema: Schema) => z.union([schema, z.null()]);

export const flagOf = (value: number): 0 | 1 => (value === 1 ? 1 : 0);
