import { z } from 'zod';

/** An object that refuses unknown keys; the message lists the allowed ones. */
export const strictObject = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: ({ code }) =>
      code === 'unrecognized_keys' ? `unknown key; allowed: ${Object.keys(shape).join(', ')}` : undefined,
  });
