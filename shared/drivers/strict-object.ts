import { z } from 'zod';

/** An object schema that refuses unknown keys. Its message lists the allowed ones. */
export const strictObject = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: ({ code }) =>
      code === 'unrecognized_keys' ? `unknown key; allowed: ${Object.keys(shape).join(', ')}` : undefined,
  });
