/** The answer to a login in the REST interface. */
import { z } from '@hono/zod-openapi';
import { id } from '../../rest/http/answer-schemas.js';

export const userTokenSchema = z
  .strictObject({
    id,
    type: z.string(),
    token: z.string(),
    name: z.string(),
    email: z.string(),
    account_id: id,
    account_role_id: id,
    account_user_role_id: id,
    account_user_id: id,
  })
  .openapi('UserToken');
