/** POST /v2/auth/password-reset and POST /v2/auth/password: a new password for who has forgotten the one before, by mail. */
import { z } from '@hono/zod-openapi';
import { addressNetwork } from '../../../shared/address-seats.js';
import { TOO_MANY_REQUESTS } from '../../../shared/errors.js';
import { LANGUAGES } from '../../../shared/languages.js';
import type { FailureLimiter } from '../../kernel/limit/entry.js';
import { type Endpoint, emailValue, publicEndpoint, successSchema } from '../../rest/entry.js';
import { passwordValue } from '../account/account-user-fields.js';
import type { PasswordResets } from './password-resets.js';

const TAG = 'Authentication and tokens';

const requestBody = z.strictObject({
  email: emailValue,
  language: z.enum(LANGUAGES).optional().describe('The language of the mail; left out: English.'),
});
const requestedSchema = z.strictObject({
  success: z.literal(true),
  is_mailed: z
    .boolean()
    .describe(
      'Whether this service sends mails at all. It says nothing about the address: the answer is the same for each.',
    ),
});
const resetBody = z.strictObject({
  token: z.string().min(1).max(200).describe('What stands behind the `#` of the link.'),
  password: passwordValue,
});

/** Every request for a link counts, whatever becomes of it. */
class RequestedError extends Error {}

export const isRequested = (error: unknown): boolean => error instanceof RequestedError;

/**
 * @param deps.requests counts requests by address and email; with `isRequested`
 * @param deps.refusals counts tokens that are none, by address
 */
export function passwordResetEndpoints(deps: {
  resets: PasswordResets;
  requests: FailureLimiter;
  refusals: FailureLimiter;
  /** Whether there is a mail server. */
  sendsMails: boolean;
}): Endpoint[] {
  const { resets, requests, refusals, sendsMails } = deps;
  return [
    publicEndpoint({
      method: 'post',
      path: '/v2/auth/password-reset',
      summary: 'Ask for a new password by mail',
      tag: TAG,
      body: requestBody,
      answer: requestedSchema,
      errors: [TOO_MANY_REQUESTS],
      async handle({ body, address }) {
        const email = body.email.toLowerCase();
        const counted = async () => {
          resets.request({ email, language: body.language, address });
          throw new RequestedError();
        };
        try {
          await requests.attempt({ owner: addressNetwork(address), name: email }, counted);
        } catch (error) {
          if (!isRequested(error)) throw error;
        }
        return { success: true as const, is_mailed: sendsMails };
      },
    }),
    publicEndpoint({
      method: 'post',
      path: '/v2/auth/password',
      summary: 'Set a new password with the link of a mail',
      tag: TAG,
      body: resetBody,
      answer: successSchema,
      errors: [TOO_MANY_REQUESTS],
      refusals,
      findByBody: ({ body: { token } }) => resets.find(token),
      async handle({ found, body: { password }, change }) {
        await resets.reset(change, found, password);
        return { success: true as const };
      },
    }),
  ];
}
