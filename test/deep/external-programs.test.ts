/** The built programs with a broker of an operator: set up by `broker-config`, joined by a real agent, left by a deleted gateway. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mqtt from 'mqtt';
import { afterEach, describe, expect, it } from 'vitest';
import { createNatsKeys } from '../../cloud/equipment/broker/nats-keys.js';
import { createSecrets } from '../../cloud/kernel/secrets/secrets.js';
import { fetchChecked } from '../contract/checked-fetch.js';
import { hasNats, startNatsCluster } from '../world/nats-cluster.js';
import { freePorts } from '../world/free-ports.js';
import { startProgram } from '../world/programs.js';

const TOKEN = 'harbour-integration-token-0123456789abcdef';
const SERVER_KEY = '5'.repeat(64);
const SITE = `version: 1
accounts:
  - name: Harbour
    users: [{email: o@harbour.example, password: "long pass phrase", name: Olga, role: Super Admin}]
    api_tokens: [{name: test, token: ${TOKEN}}]
    lots: [{name: North, gateways: [{name: Pi, claim_code: HARBOUR-NORTH-0001}]}]
`;

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

function makeDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'external-broker-'));
  closers.push(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** Runs a subcommand to its end. */
async function run(args: string[], env: Record<string, string>): Promise<{ code: number | null; output: string }> {
  const program = startProgram('cloud/main.js', args, { SERVER_KEY, ...env });
  const { code } = await program.ended;
  return { code, output: program.output() };
}

/** Starts a cloud on this broker. */
async function startCloud(directory: string, port: number, broker: Record<string, string>) {
  const [mqttPort = 0] = await freePorts(1);
  const env = { DATA_DIR: join(directory, 'cloud'), PORT: String(port), MQTT_PORT: String(mqttPort), ...broker };
  writeFileSync(join(directory, 'site.yaml'), SITE);
  const applied = await run(['apply', join(directory, 'site.yaml')], env);
  expect(applied.code, applied.output).toBe(0);
  const cloud = startProgram('cloud/main.js', ['serve'], { SERVER_KEY, ...env });
  closers.push(() => cloud.end());
  await expect.poll(() => cloud.output()).toContain('cloud is ready');
  return cloud;
}

/** A gateway joins by its claim, is online, is deleted, and does not come in again. */
async function playGateway(directory: string, port: number): Promise<void> {
  const base = `http://127.0.0.1:${port}`;
  const ask = (method: string, path: string) =>
    fetchChecked(`${base}${path}`, { method, headers: { authorization: `Bearer ${TOKEN}` } });
  const gateways = async () =>
    ((await (await ask('GET', '/v2/gateways')).json()) as { data: { id: number; status: string }[] }).data;
  const [agentPort = 0] = await freePorts(1);
  const agent = startProgram('agent/main.js', ['run'], {
    AGENT_DATA_DIR: join(directory, 'agent'),
    AGENT_HTTP_PORT: String(agentPort),
    BLE_HCI: 'off',
    CLOUD_URL: base,
    CLAIM_CODE: 'HARBOUR-NORTH-0001',
  });
  closers.push(() => agent.end());
  await expect.poll(() => gateways(), { message: agent.output() }).toMatchObject([{ status: 'online' }]);
  const [gateway] = await gateways();
  const identity = JSON.parse(await readFile(join(directory, 'agent', 'identity.json'), 'utf8')) as {
    cloud: { mqtt: { url: string; username: string; password: string } };
  };
  const { url, username, password } = identity.cloud.mqtt;
  expect((await ask('DELETE', `/v2/gateways/${gateway?.id}`)).status).toBe(200);
  await expect.poll(() => agent.output()).toContain('the link to the broker ended');
  const comeBack = mqtt.connectAsync(url, { clientId: username, username, password, reconnectPeriod: 0 }, false);
  await expect(comeBack).rejects.toThrow(/Not authorized/);
}

describe.runIf(hasNats())('a cloud at a NATS cluster', () => {
  it('lets a claimed gateway in, and a deleted one never again', async () => {
    const directory = makeDirectory();
    const keys = createNatsKeys(createSecrets(Buffer.from(SERVER_KEY, 'hex')).derive);
    const cluster = await startNatsCluster(keys);
    closers.push(() => cluster.remove());
    const [port = 0] = await freePorts(1);
    await startCloud(directory, port, {
      MQTT_URL: cluster.servers[0]?.mqttUrl ?? '',
      MQTT_KIND: 'nats',
      MQTT_ADMIN_URL: cluster.servers.map(({ url }) => url).join(','),
    });
    await playGateway(directory, port);
  });
});

describe('parking-cloud broker-config', () => {
  it('writes a file for each server of a NATS cluster, and overwrites none', async () => {
    const directory = makeDirectory();
    const hosts = ['nats-1.example', 'nats-2.example', 'nats-3.example'];
    const first = await run(['broker-config', 'nats', join(directory, 'nats'), ...hosts], {});
    expect(first.code, first.output).toBe(0);
    const texts = hosts.map((host) => readFileSync(join(directory, 'nats', `${host}.conf`), 'utf8'));
    expect(texts.map((text) => /server_name: "(.*)"/.exec(text)?.[1])).toEqual(hosts);
    expect(texts[0]).toContain('cert_file: "/etc/nats/server.pem"');
    const again = await run(['broker-config', 'nats', join(directory, 'nats'), ...hosts], {});
    expect(again).toMatchObject({ code: 2, output: expect.stringContaining('is there already') });
  });
});
