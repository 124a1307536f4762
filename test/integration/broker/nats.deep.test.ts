/** Gateways at a NATS cluster of three: who is let in, what they reach, and how they are cut off. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join as joinPath } from 'node:path';
import { rootCertificates } from 'node:tls';
import mqtt, { type IClientOptions, type MqttClient } from 'mqtt';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { BrokerAccounts, GatewayCredential } from '../../../cloud/equipment/broker/broker-accounts.js';
import { createNatsBrokerAccounts } from '../../../cloud/equipment/broker/nats-broker-accounts.js';
import { createNatsKeys } from '../../../cloud/equipment/broker/nats-keys.js';
import { cloudToken, gatewayToken } from '../../../cloud/equipment/broker/nats-tokens.js';
import { issueCertificate, makeAuthority } from '../../../cloud/kernel/secrets/private-ca.js';
import { createSecrets } from '../../../cloud/kernel/secrets/secrets.js';
import type { GatewayUuid } from '../../../shared/ids.js';
import { silentLogger } from '../../../shared/logger.js';
import { systemClock } from '../../../shared/system-clock.js';
import { downTopic, gatewaySubscriptions, upTopic } from '../../../shared/topics.js';
import { waitUntil } from '../../../scripts/sim/wait-until.js';
import { hasNats, type NatsCluster, startNatsCluster } from '../../world/nats-cluster.js';
import { NORTH_GATEWAY as A, SECOND_GATEWAY as B } from '../gateway/link-site.js';

const keys = createNatsKeys(createSecrets(new Uint8Array(32).fill(3)).derive);

describe.runIf(hasNats())('gateways at a NATS cluster', () => {
  let cluster: NatsCluster;
  /** What the database says. */
  const database = new Map<GatewayUuid, GatewayCredential>();
  const opened: BrokerAccounts[] = [];
  const clients: MqttClient[] = [];
  let made = 0;

  beforeAll(async () => {
    cluster = await startNatsCluster(keys);
  });
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.endAsync(true)));
    await Promise.all(opened.splice(0).map((accounts) => accounts.close()));
    database.clear();
  });
  afterAll(() => cluster?.remove());

  /** The accounts as one process of the cloud has them. */
  async function openAccounts(more: { urls?: string[] } = {}): Promise<BrokerAccounts> {
    const accounts = await createNatsBrokerAccounts({
      urls: cluster.servers.map(({ url }) => url),
      ca: null,
      keys,
      credentials: {
        find: async (uuid) => database.get(uuid) ?? null,
        list: async () => [...database.values()],
      },
      clock: systemClock,
      logger: silentLogger,
      ...more,
    });
    opened.push(accounts);
    return accounts;
  }
  function claim(uuid: GatewayUuid): GatewayCredential {
    made += 1;
    const credential = { uuid, password: `password ${made}` };
    database.set(uuid, credential);
    return credential;
  }
  async function connect(server: number, options: IClientOptions): Promise<MqttClient> {
    const { mqttUrl } = cluster.servers[server]!;
    const client = await mqtt.connectAsync(mqttUrl, { reconnectPeriod: 0, ...options }, false);
    client.on('error', () => undefined);
    clients.push(client);
    return client;
  }
  const join = (credential: GatewayCredential, { server = 0, ...more }: IClientOptions & { server?: number } = {}) =>
    connect(server, {
      clientId: credential.uuid,
      username: credential.uuid,
      password: gatewayToken(keys, credential),
      ...more,
    });
  let cloudClients = 0;
  async function joinAsCloud(server: number): Promise<{ client: MqttClient; heard: string[] }> {
    cloudClients += 1;
    const client = await connect(server, {
      clientId: `cloud-${cloudClients}`,
      username: 'cloud',
      password: cloudToken(keys),
    });
    const heard: string[] = [];
    client.on('message', (topic, payload) => void heard.push(`${topic} ${payload.toString()}`));
    return { client, heard };
  }
  /** Under a client id of its own: a server holds one back that comes again at once. */
  const isLetIn = (credential: GatewayCredential, server: number): Promise<boolean> =>
    join(credential, { server, clientId: randomUUID() }).then(
      (client) => client.endAsync(true).then(() => true),
      () => false,
    );
  const closed = (client: MqttClient) => expect.poll(() => client.connected).toBe(false);

  it('are let in by their token, on every server, without being told of to the cluster', async () => {
    for (const server of [0, 1, 2]) expect(await isLetIn(claim(A), server)).toBe(true);
    const foreign = createNatsKeys(createSecrets(new Uint8Array(32).fill(4)).derive);
    const password = gatewayToken(foreign, { uuid: A, password: 'x' });
    await expect(connect(0, { clientId: A, username: A, password })).rejects.toThrow();
    await expect(connect(0, { clientId: A, username: A, password: 'a password' })).rejects.toThrow();
    await expect(connect(0, { clientId: A })).rejects.toThrow();
  });

  it('reach their own topics, from one server to another, and no others', async () => {
    const cloud = await joinAsCloud(1);
    await cloud.client.subscribeAsync('gw/+/up/+', { qos: 0 });
    const gateway = await join(claim(A), { server: 0 });
    const rogue = await join(claim(B), { server: 2 });
    const heard: string[] = [];
    for (const each of [gateway, rogue])
      each.on('message', (topic, payload) => void heard.push(`${topic} ${payload.toString()}`));
    await gateway.subscribeAsync(gatewaySubscriptions(A), { qos: 0 });
    await rogue.subscribeAsync(gatewaySubscriptions(B), { qos: 0 });
    for (const filter of [
      `gw/${A}/down/+`,
      `gw/${A}/up/presence`,
      `gw/${A}/#`,
      'gw/+/down/+',
      'gw/#',
      '#',
      '+/+/down/+',
      '$SYS/#',
      `$share/x/gw/${A}/down/+`,
      '$MQTT/#',
      '$JS/#',
    ]) {
      await expect(rogue.subscribeAsync(filter, { qos: 0 }), filter).rejects.toThrow();
    }
    for (const topic of [upTopic(A, 'records'), downTopic(A, 'command'), downTopic(B, 'command'), 'x', '$SYS/REQ/x'])
      rogue.publish(topic, 'forged', { qos: 0 });
    await rogue.publishAsync(upTopic(B, 'hello'), 'hello of B', { qos: 1 });
    await gateway.publishAsync(upTopic(A, 'hello'), 'hello of A', { qos: 1 });
    // The forged ones went out before.
    await expect.poll(() => cloud.heard).toHaveLength(2);
    expect(cloud.heard.toSorted()).toEqual(
      [`${upTopic(B, 'hello')} hello of B`, `${upTopic(A, 'hello')} hello of A`].toSorted(),
    );
    await cloud.client.publishAsync(downTopic(A, 'ack'), 'to A', { qos: 0 });
    await cloud.client.publishAsync(downTopic(B, 'ack'), 'to B', { qos: 0 });
    await expect
      .poll(() => heard.toSorted())
      .toEqual([`${downTopic(B, 'ack')} to B`, `${downTopic(A, 'ack')} to A`].toSorted());
  });

  it('leave a retained presence and a last will, which the cloud hears on another server', async () => {
    const credential = claim(A);
    const will = { topic: upTopic(A, 'presence'), payload: Buffer.from('offline'), qos: 1 as const, retain: true };
    const gateway = await join(credential, { server: 0, will });
    await gateway.publishAsync(upTopic(A, 'presence'), 'online', { qos: 1, retain: true });
    const cloud = await joinAsCloud(2);
    await cloud.client.subscribeAsync(`gw/${A}/up/+`, { qos: 0 });
    await expect.poll(() => cloud.heard).toEqual([`${upTopic(A, 'presence')} online`]);
    gateway.stream.destroy();
    await expect.poll(() => cloud.heard.at(-1)).toBe(`${upTopic(A, 'presence')} offline`);
    const late = await joinAsCloud(1);
    await late.client.subscribeAsync(`gw/${A}/up/+`, { qos: 0 });
    await expect.poll(() => late.heard).toEqual([`${upTopic(A, 'presence')} offline`]);
  });

  it('are cut off within 5 s of their revocation, whatever server they are at, and not let in again', async () => {
    const accounts = await openAccounts();
    const [stays, goes] = [claim(A), claim(B)];
    const [staying, going] = [await join(stays, { server: 1 }), await join(goes, { server: 2 })];
    database.delete(B);
    const beganMs = systemClock.monotonic();
    await accounts.revoke(B);
    await closed(going);
    expect(systemClock.monotonic() - beganMs).toBeLessThan(5_000);
    for (const server of [0, 1, 2]) expect(await isLetIn(goes, server)).toBe(false);
    expect(staying.connected).toBe(true);
    await accounts.revoke(B);
    expect(await isLetIn(claim(B), 0)).toBe(true);
  });

  it('are cut off with their earlier token after a new claim, and stay with the present one', async () => {
    const accounts = await openAccounts();
    const former = claim(A);
    const device = await join(former, { server: 2 });
    const present = claim(A);
    await accounts.grant(present);
    await closed(device);
    // A server that takes over what was just revoked may refuse a connection that comes in that moment; a gateway comes again.
    const successor = await waitUntil('the successor to be let in', () => join(present, { server: 1 }));
    await accounts.grant(present);
    expect(await isLetIn(former, 0)).toBe(false);
    expect(successor.connected).toBe(true);
    expect(accounts.passwordFor(present)).toBe(gatewayToken(keys, present));
  });

  it('are found, connected or not, when they were deleted while no cloud ran', async () => {
    const [connected, absent] = [claim(A), claim(B)];
    const client = await join(connected, { server: 1 });
    database.clear();
    const accounts = await openAccounts();
    await accounts.reconcile({ list: async () => [...database.values()] });
    await closed(client);
    const late = await join(absent, { server: 2 });
    await closed(late);
    await expect.poll(() => isLetIn(absent, 0)).toBe(false);
  });

  it('are let in again when the database knows them again', async () => {
    const accounts = await openAccounts();
    const credential = claim(A);
    const client = await join(credential);
    database.clear();
    await accounts.revoke(A);
    await closed(client);
    database.set(A, credential);
    const another = await openAccounts();
    await another.reconcile({ list: async () => [...database.values()] });
    for (const server of [0, 1, 2]) expect(await isLetIn(credential, server)).toBe(true);
  });

  it('are all cut off when several processes revoke at once', async () => {
    const processes = [await openAccounts(), await openAccounts(), await openAccounts()];
    const gateways = Array.from({ length: 30 }, (_, index) =>
      claim(`00000000-0000-4000-8000-${String(index).padStart(12, '0')}` as GatewayUuid),
    );
    const connected = await Promise.all(gateways.map((gateway, index) => join(gateway, { server: index % 3 })));
    database.clear();
    await Promise.all(gateways.map(({ uuid }, index) => processes[index % 3]?.revoke(uuid)));
    for (const client of connected) await closed(client);
    for (const [index, gateway] of gateways.entries()) await expect.poll(() => isLetIn(gateway, index % 3)).toBe(false);
  });

  it('are cut off at a server that was dead when they were revoked', async () => {
    const accounts = await openAccounts();
    const credential = claim(A);
    const client = await join(credential, { server: 0 });
    const [, , dead] = cluster.servers;
    await dead?.kill();
    database.clear();
    await accounts.revoke(A);
    await closed(client);
    dead?.start();
    await cluster.settled([dead!]);
    await expect.poll(() => isLetIn(credential, 2)).toBe(false);
  });

  it('are checked by a cloud whose own server died, too', async () => {
    const accounts = await openAccounts({ urls: [cluster.servers[0]!.url, cluster.servers[1]!.url] });
    const credential = claim(A);
    const client = await join(credential, { server: 2 });
    await cluster.servers[0]!.kill();
    try {
      database.clear();
      await waitUntil('the revocation', async () => {
        await accounts.revoke(A);
        return true;
      });
      await closed(client);
    } finally {
      cluster.servers[0]!.start();
      await cluster.settled();
    }
  });
});

describe.runIf(hasNats())('a cloud that NATS does not know', () => {
  it('does not start, and is told what to do', async () => {
    const cluster = await startNatsCluster(keys, { size: 1 });
    try {
      const open = (of: { server?: number; url?: string; ca?: string }) =>
        createNatsBrokerAccounts({
          urls: [of.url ?? cluster.servers[0]!.url],
          ca: of.ca ?? null,
          keys: createNatsKeys(createSecrets(new Uint8Array(32).fill(of.server ?? 3)).derive),
          credentials: { find: async () => null, list: async () => [] },
          clock: systemClock,
          logger: silentLogger,
        });
      await expect(open({ server: 4 })).rejects.toThrow(/Authorization Violation.*broker-config nats/);
      await expect(open({ url: 'nats://127.0.0.1:1' })).rejects.toThrow(/ECONNREFUSED/);
      await expect(open({ url: cluster.servers[0]!.url.replace('nats:', 'tls:') })).rejects.toThrow(/no TLS/);
      await expect(open({ url: cluster.servers[0]!.mqttUrl.replace('mqtt:', 'nats:') })).rejects.toThrow(
        /closed the connection/,
      );
      await (await open({})).close();
      // An authority is used where there is TLS: these servers have none.
      await (await open({ ca: rootCertificates[0]! })).close();
    } finally {
      await cluster.remove();
    }
  });
});

describe.runIf(hasNats())('a NATS cluster with TLS', () => {
  it('is spoken to by who was told its authority, and its servers know each other by it', async () => {
    const directory = mkdtempSync(joinPath(tmpdir(), 'nats-tls-'));
    const [ca, other] = [joinPath(directory, 'ca'), joinPath(directory, 'other')];
    const wish = { days: 10, nowMs: systemClock.now() };
    await makeAuthority({ directory: ca, name: 'Harbour', ...wish });
    await makeAuthority({ directory: other, name: 'Somebody else', ...wish });
    const files = await issueCertificate({ directory: ca, to: ca, hosts: ['127.0.0.1'], ...wish });
    const caFile = joinPath(ca, 'ca.pem');
    const cluster = await startNatsCluster(keys, { tls: { cert: files.certificate, key: files.key, ca: caFile } });
    try {
      const credential = { uuid: A, password: 'x' };
      const open = (authority: string | null, urls = cluster.servers.map(({ url }) => url)) =>
        createNatsBrokerAccounts({
          urls,
          ca: authority,
          keys,
          credentials: { find: async () => credential, list: async () => [credential] },
          clock: systemClock,
          logger: silentLogger,
        });
      const accounts = await open(readFileSync(caFile, 'utf8'));
      await accounts.reconcile({ list: async () => [credential] });
      const client = await mqtt.connectAsync(
        cluster.servers[2]?.mqttUrl ?? '',
        {
          clientId: A,
          username: A,
          password: accounts.passwordFor(credential),
          ca: readFileSync(caFile),
          reconnectPeriod: 0,
        },
        false,
      );
      await client.endAsync();
      await accounts.close();
      await expect(open(readFileSync(joinPath(other, 'ca.pem'), 'utf8'))).rejects.toThrow(/certificate/);
      await expect(open(null)).rejects.toThrow(/certificate/);
      // These servers ask for TLS themselves.
      const urls = cluster.servers.map(({ url }) => url.replace('tls:', 'nats:'));
      await (await open(readFileSync(caFile, 'utf8'), urls)).close();
      await expect(open(null, urls)).rejects.toThrow(/certificate/);
    } finally {
      await cluster.remove();
      rmSync(directory, { recursive: true, force: true });
    }
  });
});
