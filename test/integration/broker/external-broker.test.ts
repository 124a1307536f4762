/** Mosquitto as an operator meets it: what stops the start, and whose accounts it has. */
import { createServer, type Server } from 'node:net';
import mqtt from 'mqtt';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GatewayCredential } from '../../../cloud/equipment/broker/broker-accounts.js';
import { brokerAddress } from '../../../cloud/equipment/broker/broker-address.js';
import { openExternalBroker } from '../../../cloud/equipment/broker/external-broker.js';
import { createMosquittoAccounts } from '../../../cloud/equipment/broker/mosquitto-accounts.js';
import { type MosquittoCommand, openMosquittoControl } from '../../../cloud/equipment/broker/mosquitto-control.js';
import { createSecrets } from '../../../cloud/kernel/secrets/secrets.js';
import { gatewayUuidSchema } from '../../../shared/ids.js';
import { silentLogger } from '../../../shared/logger.js';
import { SettingsError } from '../../../shared/settings.js';
import { systemClock } from '../../../shared/system-clock.js';
import { upTopic } from '../../../shared/topics.js';
import { hasMosquitto, type MosquittoServer, startMosquitto } from '../../world/mosquitto-server.js';
import { freePorts } from '../../world/free-ports.js';
import { waitUntil } from '../../../scripts/sim/wait-until.js';
import { tlsFixture } from '../../world/tls-fixtures.js';

const uuidOf = (digit: string) => gatewayUuidSchema.parse(`0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c0${digit}`);
const [A, B, C] = [uuidOf('a'), uuidOf('b'), uuidOf('c')];
const credentialOf = (uuid: typeof A, password = `of ${uuid}`): GatewayCredential => ({ uuid, password });
const deps = { clock: systemClock, logger: silentLogger };
const { derive } = createSecrets(new Uint8Array(32));
const noGateways = { find: async () => null, list: async () => [] };

describe.runIf(hasMosquitto())('the start beside an external broker', () => {
  const servers: MosquittoServer[] = [];
  const listeners: Server[] = [];
  let plain: MosquittoServer;
  let secure: MosquittoServer;
  beforeAll(async () => {
    plain = await startMosquitto();
    secure = await startMosquitto({ tls: { cert: tlsFixture('server.pem'), key: tlsFixture('server.key') } });
    servers.push(plain, secure);
  });
  afterAll(async () => {
    for (const server of servers) await server.remove();
    for (const listener of listeners) listener.close();
  });

  async function problemOf(url: string, ca: string | null = null): Promise<Error> {
    const opened = openExternalBroker({
      place: { url, kind: 'mosquitto', adminUrl: null, ca },
      derive,
      credentials: noGateways,
      ...deps,
    });
    return opened.then(
      async (broker) => {
        await broker.close();
        return new Error('it starts');
      },
      (error: Error) => error,
    );
  }
  const urlWith = (change: (url: URL) => void, url = plain.url) => {
    const changed = new URL(url);
    change(changed);
    return changed.href;
  };

  it('works with the administrator of accounts, again and again, and with TLS of a private authority', async () => {
    for (const attempt of [1, 2]) expect(await problemOf(plain.url), `${attempt}`).toEqual(new Error('it starts'));
    expect(await problemOf(secure.url, tlsFixture('authority.pem'))).toEqual(new Error('it starts'));
  });

  it('says that nothing listens there, and repeats no password', async () => {
    const [port] = await freePorts(1);
    const { message } = await problemOf(urlWith((url) => (url.port = String(port))));
    expect(message).toBe(
      `Cannot use the broker mqtt://127.0.0.1:${port} (MQTT_URL): nothing listens there. Start the broker, or correct MQTT_URL.`,
    );
  });

  it.each<[string, (url: URL) => void, RegExp]>([
    ['a wrong password', (url) => (url.password = 'guess'), /refuses user and password. Correct them in MQTT_URL/],
    ['no user', (url) => ((url.username = ''), (url.password = '')), /names no user. Name the administrator/],
    ['a name that nobody has', (url) => (url.hostname = 'no.invalid'), /host (is not known|cannot be looked up)/],
  ])('says what to do about %s', async (_what, change, words) => {
    expect((await problemOf(urlWith(change))).message).toMatch(words);
  });

  it('says that the certificate is of an unknown authority, of another name, or that there is none', async () => {
    expect((await problemOf(secure.url)).message).toMatch(/authority that is not trusted. Name .* in MQTT_CA/);
    expect((await problemOf(secure.url, tlsFixture('rogue.pem'))).message).toMatch(/authority that is not trusted/);
    const noTls = urlWith((url) => (url.protocol = 'mqtts:')).replace(/^mqtt:/, 'mqtts:');
    expect((await problemOf(noTls, tlsFixture('authority.pem'))).message).toMatch(/Cannot use the broker mqtts:/);
    const noMqtts = secure.url.replace(/^mqtts:/, 'mqtt:');
    expect((await problemOf(noMqtts)).message).toMatch(/Is it an MQTT broker/);
  });

  it('says what is wrong with the file of the authority', async () => {
    for (const file of ['/nowhere/ca.pem', tlsFixture('server.key')]) {
      const problem = await problemOf(secure.url, file);
      expect(problem).toBeInstanceOf(SettingsError);
      expect(problem.message).toMatch(/^MQTT_CA: .*; allowed: a (PEM file|file that the service may read)$/);
    }
  });

  it('says that it is no MQTT broker', async () => {
    const listener = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    listeners.push(listener);
    const port = await new Promise<number>((resolve) =>
      listener.listen(0, '127.0.0.1', () => resolve((listener.address() as { port: number }).port)),
    );
    expect((await problemOf(urlWith((url) => (url.port = String(port))))).message).toMatch(/^Cannot use the broker/);
  });

  it('says that the plugin is missing, or that the user is not its administrator', async () => {
    const without = await startMosquitto({ hasPlugin: false });
    servers.push(without);
    const open = (url: string) =>
      createMosquittoAccounts({ address: brokerAddress(url, null), answerWaitMs: 300, ...deps }).then(
        () => new Error('it starts'),
        (error: Error) => error,
      );
    const words =
      /its dynamic-security plugin does not answer. Load the plugin, and name its administrator in MQTT_URL/;
    expect((await open(without.url)).message).toMatch(words);
    const accounts = await createMosquittoAccounts({ address: brokerAddress(plain.url, null), ...deps });
    await accounts.grant(credentialOf(A));
    await accounts.close();
    const asGateway = urlWith((url) => ((url.username = A), (url.password = `of ${A}`)));
    // A gateway's name is bound to its client id, so that it cannot even connect as the cloud does.
    expect((await open(asGateway)).message).toMatch(/refuses/);
  });
});

describe.runIf(hasMosquitto())('accounts at Mosquitto', () => {
  let server: MosquittoServer;
  let run: (command: MosquittoCommand) => Promise<unknown>;
  let close: () => Promise<void>;
  let accounts: Awaited<ReturnType<typeof createMosquittoAccounts>>;
  beforeAll(async () => {
    server = await startMosquitto();
    const address = brokerAddress(server.url, null);
    accounts = await createMosquittoAccounts({ address, ...deps });
    const control = await openMosquittoControl({ address, ...deps });
    run = control.run;
    close = control.close;
  });
  afterAll(async () => {
    await accounts?.close();
    await close?.();
    await server?.remove();
  });

  const names = async () => ((await run({ command: 'listClients' })) as { clients: string[] }).clients.toSorted();
  const roles = async () => ((await run({ command: 'listRoles' })) as { roles: string[] }).roles.toSorted();
  async function canConnect({ uuid, password }: GatewayCredential): Promise<boolean> {
    const options = { clientId: uuid, username: uuid, password, reconnectPeriod: 0 };
    try {
      const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${server.port}`, options, false);
      await client.endAsync();
      return true;
    } catch {
      return false;
    }
  }

  it('deny by default what no role allows', async () => {
    expect(await run({ command: 'getDefaultACLAccess' })).toEqual({
      acls: [
        { acltype: 'publishClientSend', allow: false },
        { acltype: 'publishClientReceive', allow: false },
        { acltype: 'subscribe', allow: false },
        { acltype: 'unsubscribe', allow: true },
      ],
    });
  });

  it('become those of the database, and leave alone what is the operator’s', async () => {
    await run({ command: 'createClient', username: 'monitoring', password: 'x' });
    await accounts.grant(credentialOf(A));
    await accounts.grant(credentialOf(B, 'an older one'));
    await accounts.reconcile({ list: async () => [credentialOf(B), credentialOf(C)] });
    expect(await names()).toEqual([B, C, 'admin', 'monitoring'].toSorted());
    expect(await roles()).toEqual(['admin', `gateway-${B}`, `gateway-${C}`, 'parking-cloud']);
    expect(await canConnect(credentialOf(A))).toBe(false);
    expect(await canConnect(credentialOf(B, 'an older one'))).toBe(false);
    expect(await canConnect(credentialOf(B))).toBe(true);
    expect(await canConnect(credentialOf(C))).toBe(true);
  });

  it('are put right where somebody changed them', async () => {
    const all = { list: async () => [credentialOf(B), credentialOf(C)] };
    await accounts.reconcile(all);
    await run({ command: 'disableClient', username: B });
    await run({
      command: 'addRoleACL',
      rolename: `gateway-${C}`,
      acltype: 'subscribePattern',
      topic: '#',
      allow: true,
    });
    await accounts.reconcile(all);
    expect(await canConnect(credentialOf(B))).toBe(true);
    const { role } = (await run({ command: 'getRole', rolename: `gateway-${C}` })) as {
      role: { acls: { topic: string }[] };
    };
    expect(role.acls.map(({ topic }) => topic)).not.toContain('#');
  });

  it('cut off nobody who is let in already', async () => {
    const { uuid, password } = credentialOf(B);
    await accounts.grant(credentialOf(B));
    const options = { clientId: uuid, username: uuid, password, reconnectPeriod: 0 };
    const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${server.port}`, options, false);
    await accounts.grant(credentialOf(B));
    await accounts.reconcile({ list: async () => [credentialOf(B), credentialOf(C)] });
    await client.publishAsync('nowhere', '', { qos: 1 });
    expect(client.connected).toBe(true);
    await client.endAsync();
  });

  it('are filled again in a broker that has lost them, the own rights of the cloud first', async () => {
    const credentials = { find: async () => null, list: async () => [credentialOf(B)] };
    const place = { url: server.url, kind: 'mosquitto' as const, adminUrl: null, ca: null };
    const broker = await openExternalBroker({ place, derive, credentials, ...deps });
    const heard: string[] = [];
    broker.onMessage(async ({ uuid }) => void heard.push(uuid));
    broker.hear([B]);
    await server.stop('SIGKILL');
    server.forgetAccounts();
    await server.start();
    const { uuid, password } = credentialOf(B);
    const options = { clientId: uuid, username: uuid, password, reconnectPeriod: 0 };
    const client = await waitUntil('the gateway to be let in', () =>
      mqtt.connectAsync(`mqtt://127.0.0.1:${server.port}`, options, false),
    );
    await waitUntil('it to be heard', async () => {
      await client.publishAsync(upTopic(B, 'report'), 'here', { qos: 1 });
      return heard.length > 0;
    });
    await client.endAsync();
    await broker.close();
    // The connections of this suite come back by themselves, each in its own time.
    const here = { list: async () => [credentialOf(B)] };
    await waitUntil('the accounts to be at the broker again', () => accounts.reconcile(here).then(() => true));
    await waitUntil('the control to be at the broker again', names);
    await run({ command: 'createClient', username: 'monitoring', password: 'x' });
  });

  it('keep whom another process lets in, and let go whom it deletes, while they are looked through', async () => {
    await accounts.reconcile({ list: async () => [credentialOf(B)] });
    let looks = 0;
    // The other process commits, then tells the broker.
    const claimed = {
      list: async () => {
        await accounts.grant(credentialOf(A));
        return [credentialOf(A), credentialOf(B)];
      },
    };
    await accounts.reconcile(claimed);
    expect(await canConnect(credentialOf(A))).toBe(true);
    await accounts.reconcile({
      list: async () => [credentialOf(A), credentialOf(B, (looks += 1) === 1 ? 'an older one' : undefined)],
    });
    expect(await canConnect(credentialOf(B))).toBe(true);
    looks = 0;
    await accounts.reconcile({
      list: async () =>
        (looks += 1) === 1 ? [credentialOf(A), credentialOf(B), credentialOf(C)] : [credentialOf(A), credentialOf(B)],
    });
    expect(await names()).toEqual([A, B, 'admin', 'monitoring'].toSorted());
  });
});
