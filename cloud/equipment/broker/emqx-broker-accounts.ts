/**
 * Driver: EMQX asks the cloud at each connection (`emqx-routes.ts`), so it needs no accounts of gateways. Over EMQX's REST interface the
 * cloud only ends connections.
 */
import { z } from 'zod';
import type { GatewayUuid } from '../../../shared/ids.js';
import { gatewayUuidSchema } from '../../../shared/ids.js';
import type { Logger } from '../../../shared/logger.js';
import type { BrokerAccounts, GatewayCredential } from './broker-accounts.js';
import { EMQX_PASSWORD_MARK, emqxPasswordMark } from './emqx-routes.js';
import { errorText } from '../../../shared/error-text.js';

export interface EmqxAccountsOptions {
  /** `http://KEY:SECRET@host:18083`: its REST interface, with an API key that was made for the cloud. */
  url: string;
  /** Of the cloud as an MQTT client: it is made, or brought to this password. */
  login: { username: string; password: string };
  fetch: typeof globalThis.fetch;
  logger: Logger;
}

const TIMEOUT_MS = 10_000;
const CLIENTS_A_PAGE = 1_000;
const USERS = '/authentication/password_based:built_in_database/users';

const clientSchema = z.object({
  clientid: z.string(),
  client_attrs: z.record(z.string(), z.string()).default({}),
});
type Client = z.infer<typeof clientSchema>;
const pageSchema = z.object({ data: z.array(clientSchema), meta: z.object({ hasnext: z.boolean() }) });

/** Asks the REST interface; null: there is no such thing. */
function createRest(options: Pick<EmqxAccountsOptions, 'url' | 'fetch'>) {
  const { origin, username, password } = new URL(options.url);
  const key = [username, password].map(decodeURIComponent).join(':');
  const authorization = `Basic ${Buffer.from(key, 'utf8').toString('base64')}`;

  return async (method: 'GET' | 'DELETE' | 'PUT' | 'POST', path: string, body?: object): Promise<unknown> => {
    const answer = await options.fetch(`${origin}/api/v5${path}`, {
      method,
      headers: { authorization, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await answer.text();
    if (answer.status === 404) return null;
    if (answer.status === 401 || answer.status === 403)
      throw new Error(
        `it refuses the API key (${answer.status}); make one in its dashboard and put it into MQTT_ADMIN_URL`,
      );
    if (!answer.ok) throw new Error(`it answers ${answer.status} to ${method} ${path.split('?', 1)[0]}`);
    return text === '' ? {} : (JSON.parse(text) as unknown);
  };
}

/** @throws when EMQX does not answer, or refuses the API key, with what to do */
export async function createEmqxBrokerAccounts(options: EmqxAccountsOptions): Promise<BrokerAccounts> {
  const { logger } = options;
  const { origin } = new URL(options.url);
  const ask = createRest(options);
  async function end(uuid: string): Promise<void> {
    await ask('DELETE', `/clients/${encodeURIComponent(uuid)}`);
  }
  /** Whether it was let in with this password; false when EMQX is too old to tell. */
  const isWith = ({ password: present }: GatewayCredential, client: Client): boolean =>
    client.client_attrs[EMQX_PASSWORD_MARK] === emqxPasswordMark(present);

  async function connectedGateways(): Promise<Client[]> {
    const clients: Client[] = [];
    for (let page = 1; ; page++) {
      const found = pageSchema.parse(await ask('GET', `/clients?limit=${CLIENTS_A_PAGE}&page=${page}`));
      clients.push(...found.data.filter(({ clientid }) => gatewayUuidSchema.safeParse(clientid).success));
      if (!found.meta.hasnext) return clients;
    }
  }

  /** Another process may make the user at the same time: then the password is the same. */
  async function makeOwnUser(): Promise<void> {
    const { username: user_id, password: own } = options.login;
    const user = { password: own, is_superuser: true };
    if ((await ask('PUT', `${USERS}/${user_id}`, user)) !== null) return;
    await ask('POST', USERS, { user_id, ...user }).catch(async (error: unknown) => {
      if ((await ask('GET', `${USERS}/${user_id}`)) === null) throw error;
    });
    if ((await ask('GET', `${USERS}/${user_id}`)) === null)
      throw new Error(
        'it has no built-in database of users; add what `parking-cloud broker-config emqx` prints to its configuration',
      );
  }
  await makeOwnUser().catch((error: unknown) => {
    const reason = errorText(error instanceof Error ? (error.cause ?? error) : error);
    throw new Error(`Cannot use the REST interface of EMQX at ${origin} (MQTT_ADMIN_URL): ${reason}`, { cause: error });
  });

  return {
    passwordFor: (credential) => credential.password,
    async grant(credential) {
      const found = clientSchema.safeParse(await ask('GET', `/clients/${credential.uuid}`));
      if (found.success && !isWith(credential, found.data)) await end(credential.uuid);
    },
    revoke: end,
    kick: end,
    async reconcile(credentials) {
      const clients = await connectedGateways();
      const present = new Map((await credentials.list()).map((credential) => [credential.uuid as string, credential]));
      const gone: GatewayUuid[] = [];
      for (const client of clients) {
        const credential = present.get(client.clientid);
        const isKnown = credential !== undefined && (isUnmarked(client) || isWith(credential, client));
        if (isKnown) continue;
        await end(client.clientid);
        gone.push(gatewayUuidSchema.parse(client.clientid));
      }
      if (gone.length > 0) logger.info({ gateways: gone }, 'cut off at EMQX');
    },
    close: () => Promise.resolve(),
  };
}

/** Of a version before 5.7, or from before the cloud was asked. */
const isUnmarked = ({ client_attrs }: Client): boolean => client_attrs[EMQX_PASSWORD_MARK] === undefined;
