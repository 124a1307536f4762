/**
 * Stands in for an EMQX cluster, which the tests cannot have: an MQTT broker that asks as EMQX's pages on HTTP authentication and
 * authorization say, by the configuration that it is given, with the part of its REST interface that the cloud uses.
 */
import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { Aedes, type Client } from 'aedes';
import { z } from 'zod';

export interface EmqxDouble {
  readonly mqttPort: number;
  /** Of its REST interface. */
  readonly apiPort: number;
  /** Reads a configuration, as a start does. */
  configure(text: string): void;
  /** What was asked of the REST interface. */
  readonly asked: string[];
  /** Client ids of those connected. */
  clients(): string[];
  close(): Promise<void>;
}

export const EMQX_API_KEY = 'key:secret';
const USERS = '/api/v5/authentication/password_based:built_in_database/users';
const answerSchema = z.object({
  result: z.enum(['allow', 'deny', 'ignore']),
  client_attrs: z.record(z.string(), z.string()).default({}),
});
type Values = Readonly<Record<string, string>>;

interface Question {
  url: string;
  headers: Values;
  body: Values;
}

export async function startEmqxDouble(): Promise<EmqxDouble> {
  let questions: { auth: Question; acl: Question } | null = null;
  let hasUsers = false;
  const users = new Map<string, string>();
  const asked: string[] = [];
  const connected = new Map<string, { client: Client; attrs: Values; username: string; isSuper: boolean }>();
  const aedes = await Aedes.createBroker();

  /** Anything but 200 with a result counts as `ignore`; with nobody else to ask, that is a refusal. */
  async function ask(of: 'auth' | 'acl', values: Values): Promise<z.output<typeof answerSchema> | null> {
    const question = questions?.[of];
    if (question === undefined) return null;
    const { url, headers, body } = question;
    const filled = Object.entries(body).map(([key, template]) => [key, fill(template, values)]);
    try {
      const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(Object.fromEntries(filled)) });
      if (answer.status !== 200 || !answer.headers.get('content-type')?.startsWith('application/json')) return null;
      return answerSchema.parse(await answer.json());
    } catch {
      return null;
    }
  }
  const mayAct = async (client: Client | null, values: Values): Promise<boolean> => {
    const known = client === null ? undefined : connected.get(client.id);
    if (known === undefined) return false;
    if (known.isSuper) return true;
    const names = { clientid: client?.id ?? '', username: known.username };
    return (await ask('acl', { ...names, ...values }))?.result === 'allow';
  };

  async function mayConnect(client: Client, username: string, password: string): Promise<boolean> {
    const own = users.get(username);
    const answer = own === undefined ? await ask('auth', { clientid: client.id, username, password }) : null;
    if (own === undefined ? answer?.result !== 'allow' : own !== password) return false;
    const attrs = answer?.result === 'allow' ? answer.client_attrs : {};
    connected.set(client.id, { client, attrs, username, isSuper: own !== undefined });
    return true;
  }
  aedes.authenticate = async (client, username = '', password, done) =>
    done(null, await mayConnect(client, username, password?.toString() ?? ''));
  aedes.authorizePublish = async (client, { topic, qos, retain }, done) => {
    const may = await mayAct(client, { action: 'publish', topic, qos: String(qos), retain: String(retain) });
    done(may ? null : new Error('not authorized'));
  };
  aedes.authorizeSubscribe = async (client, subscription, done) => {
    const { topic, qos } = subscription;
    const may = await mayAct(client, { action: 'subscribe', topic, qos: String(qos), retain: 'false' });
    done(null, may ? subscription : null);
  };
  aedes.on('clientDisconnect', ({ id }) => void connected.delete(id));

  const api = createHttpServer((request, response) => {
    const answer = (status: number, body?: object) =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(body && JSON.stringify(body));
    const { method = '', url = '' } = request;
    asked.push(`${method} ${url}`);
    if (request.headers.authorization !== `Basic ${Buffer.from(EMQX_API_KEY).toString('base64')}`) return answer(401);
    void bodyOf(request).then((text) => {
      const { pathname } = new URL(url, 'http://emqx');
      if (pathname.startsWith(USERS)) {
        if (!hasUsers) return answer(404, { code: 'NOT_FOUND' });
        const { user_id = decodeURIComponent(pathname.slice(USERS.length + 1)), password = '' } =
          text === '' ? {} : z.object({ user_id: z.string().optional(), password: z.string() }).parse(JSON.parse(text));
        if (method !== 'POST' && !users.has(user_id)) return answer(404, { code: 'NOT_FOUND' });
        if (method !== 'GET') users.set(user_id, password);
        return answer(method === 'POST' ? 201 : 200, { user_id, is_superuser: true });
      }
      const shown = [...connected].map(([clientid, { attrs }]) => ({ clientid, client_attrs: attrs, connected: true }));
      if (pathname === '/api/v5/clients')
        return answer(200, { data: shown, meta: { page: 1, limit: 1000, hasnext: false } });
      const id = decodeURIComponent(pathname.slice('/api/v5/clients/'.length));
      const found = connected.get(id);
      if (found === undefined) return answer(404, { code: 'CLIENTID_NOT_FOUND' });
      if (method === 'GET')
        return answer(
          200,
          shown.find(({ clientid }) => clientid === id),
        );
      found.client.close();
      return answer(204);
    });
  });
  const mqtt = createServer((socket: Socket) => void aedes.handle(socket));
  for (const server of [api, mqtt]) {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  }
  const portOf = (server: typeof api | typeof mqtt) => (server.address() as AddressInfo).port;

  return {
    mqttPort: portOf(mqtt),
    apiPort: portOf(api),
    asked,
    configure(text) {
      hasUsers = /backend = built_in_database/.test(text);
      questions = { auth: questionOf(text, 'backend = http'), acl: questionOf(text, 'type = http') };
    },
    clients: () => [...connected.keys()],
    async close() {
      api.close();
      mqtt.close();
      await new Promise<void>((resolve) => aedes.close(() => resolve()));
    },
  };
}

/** Reads the question that stands behind a marker: its address, headers and the templates of its body. */
function questionOf(text: string, marker: string): Question {
  const part = text.slice(text.indexOf(marker));
  const valuesOf = (name: string): Values => {
    const inner = new RegExp(`${name} \\{ (.*) \\}\\n`).exec(part)?.[1] ?? '';
    return Object.fromEntries(
      [...inner.matchAll(/"?([\w-]+)"? = "([^"]*)"/g)].map(([, key = '', value = '']) => [key, value]),
    );
  };
  return { url: /url = "([^"]+)"/.exec(part)?.[1] ?? '', headers: valuesOf('headers'), body: valuesOf('body') };
}

const fill = (template: string, values: Values): string =>
  template.replace(/\$\{(\w+)\}/g, (_match, name: string) => values[name] ?? 'undefined');

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}
