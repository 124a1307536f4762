/**
 * What an EMQX cluster asks the cloud: whether a client may connect (its HTTP authenticator), and what it may publish and subscribe to (its
 * HTTP authorizer). For EMQX, any answer but 200 means "ask the next one". Its configuration names no next one, so it then lets nobody in.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { createRoute, z } from '@hono/zod-openapi';
import { ApiError, UNAUTHORIZED } from '../../../shared/errors.js';
import { gatewayUuidSchema } from '../../../shared/ids.js';
import { mayGatewayPublish, mayGatewaySubscribe, parseTopic } from '../../../shared/topics.js';
import { bearerToken } from '../../kernel/auth/entry.js';
import { hashToken } from '../../kernel/secrets/entry.js';
import { type Endpoint, parseBody, replyJson } from '../../rest/entry.js';
import type { GatewayAuthenticator } from './broker.js';

/** Every question is shorter: ids, names and topics of MQTT are short here. */
const BODY_BYTES_MAX = 16 * 1024;

/** Fields that its configuration may send besides are of no interest. */
const connectionSchema = z.looseObject({ clientid: z.string(), username: z.string(), password: z.string() });
/** EMQX fills placeholders in as text. */
const actionSchema = z.looseObject({
  clientid: z.string(),
  username: z.string(),
  action: z.string(),
  topic: z.string(),
  qos: z.coerce.string().default('0'),
  retain: z.coerce.string().default('false'),
});

type Answer = { result: 'allow'; is_superuser?: boolean; client_attrs?: Record<string, string> } | { result: 'deny' };
const DENY: Answer = { result: 'deny' };
/** The name of the client attribute that says with which password a client was let in. */
export const EMQX_PASSWORD_MARK = 'credential';

/** Identifies a password without revealing it: EMQX shows the mark to its administrators. */
export const emqxPasswordMark = (password: string): string => hashToken(password).slice(0, 16);

/** POST /emqx/auth, POST /emqx/acl: no part of the interface for programs. @param deps.authenticate rejects when the database fails */
export function emqxEndpoints(deps: { authenticate: GatewayAuthenticator; hookSecret: string }): Endpoint[] {
  const { authenticate, hookSecret } = deps;
  const endpoint = <Schema extends z.ZodType>(
    path: string,
    schema: Schema,
    decide: (question: z.output<Schema>) => Promise<Answer> | Answer,
  ): Endpoint => ({
    route: createRoute({ method: 'post', path, responses: { 200: { description: 'Success' } } }),
    isInternal: true,
    async run(c) {
      if (!isSame(bearerToken(c.req.header('authorization')) ?? '', hookSecret)) throw new ApiError(UNAUTHORIZED);
      c.set('bodyBytesMax', BODY_BYTES_MAX);
      return replyJson(c, JSON.stringify(await decide(await parseBody(c, schema))));
    },
  });
  return [
    endpoint('/emqx/auth', connectionSchema, async ({ clientid, username, password }) => {
      const uuid = gatewayUuidSchema.safeParse(clientid);
      if (!uuid.success || username !== clientid || !(await authenticate(uuid.data, password))) return DENY;
      const client_attrs = { [EMQX_PASSWORD_MARK]: emqxPasswordMark(password) };
      return { result: 'allow', is_superuser: false, client_attrs };
    }),
    endpoint('/emqx/acl', actionSchema, ({ clientid, username, action, topic, qos, retain }) => {
      const uuid = gatewayUuidSchema.safeParse(clientid);
      if (!uuid.success || username !== clientid) return DENY;
      const isAllowed =
        action === 'publish'
          ? mayGatewayPublish(uuid.data, topic) &&
            qos !== '2' &&
            (retain !== 'true' || parseTopic(topic)?.channel === 'presence')
          : action === 'subscribe' && mayGatewaySubscribe(uuid.data, topic);
      return isAllowed ? { result: 'allow' } : DENY;
    }),
  ];
}

/** Compares in a time that does not depend on the secret. */
function isSame(given: string, secret: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text, 'utf8').digest();
  return timingSafeEqual(digest(given), digest(secret));
}
