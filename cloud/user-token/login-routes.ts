import { EMAIL_NOT_CONFIRMED, TOO_MANY_REQUESTS, WRONG_CREDENTIALS } from '../../shared/errors.js';
import { z } from '@hono/zod-openapi';
import { type Endpoint, publicEndpoint } from '../http/endpoint.js';
import type { FailureLimiter } from '../limit/failure-limiter.js';
import { oneLine, PASSWORD_LENGTH_MAX } from '../resource/values.js';
import type { Login } from './login.js';
import { userTokenSchema } from './user-token-payload.js';

/** Failures are remembered under the e-mail as it was sent; without a limit, long texts would fill the memory. */
const EMAIL_LENGTH_MAX = 254;

/** POST /v2/auth/login. @param deps.failures counts wrong passwords per email and address */
export function loginEndpoints(deps: { login: Login; failures: FailureLimiter }): Endpoint[] {
  return [
    publicEndpoint({
      method: 'post',
      path: '/v2/auth/login',
      summary: 'Sign in',
      tag: 'Authentication and tokens',
      body: z.strictObject({
        email: oneLine(z.string().max(EMAIL_LENGTH_MAX)),
        password: z.string().max(PASSWORD_LENGTH_MAX),
      }),
      answer: userTokenSchema,
      errors: [WRONG_CREDENTIALS, EMAIL_NOT_CONFIRMED, TOO_MANY_REQUESTS],
      repeats: 'anew',
      handle: ({ body, address }) =>
        deps.failures.attempt(`${body.email.trim().toLowerCase()} ${address}`, () => deps.login(body)),
    }),
  ];
}
