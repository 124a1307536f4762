import { z } from '@hono/zod-openapi';
import type { FailureLimiter } from '../../auth/failure-limiter.js';
import type { Login } from '../../auth/login.js';
import { type Endpoint, publicEndpoint } from '../endpoint.js';
import { userTokenSchema } from '../resources.js';

/** Failures are remembered under the e-mail as it came: a longer text than any address would fill the memory. */
const EMAIL_LENGTH_MAX = 254;
const PASSWORD_LENGTH_MAX = 1_000;

/** POST /v2/auth/login. @param deps.failures counts wrong passwords per email and address */
export function loginEndpoints(deps: { login: Login; failures: FailureLimiter }): Endpoint[] {
  return [
    publicEndpoint({
      method: 'post',
      path: '/v2/auth/login',
      summary: "Log in: gives a user token and deletes the user's other tokens of the same type",
      tag: 'Authentication and tokens',
      body: z.strictObject({
        email: z.string().max(EMAIL_LENGTH_MAX),
        password: z.string().max(PASSWORD_LENGTH_MAX),
      }),
      answer: userTokenSchema,
      errors: [8, 9, 429],
      repeats: 'anew',
      handle: ({ body, address }) =>
        deps.failures.attempt(`${body.email.trim().toLowerCase()} ${address}`, () => deps.login(body)),
    }),
  ];
}
