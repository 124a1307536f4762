/** A gateway's end of the link, by a real MQTT client over loopback. */
import mqtt, { type IClientOptions, type MqttClient } from 'mqtt';
import {
  type Ack,
  ackSchema,
  type OutboxEpoch,
  type Presence,
  type RecordBatch,
  type Welcome,
  welcomeSchema,
} from '../../../shared/uplink.js';
import { configMessageSchema, type ConfigMessage, type ConfigSection } from '../../../shared/gateway-config.js';
import { applyConfigMessage, EMPTY_REVISION, type HeldSection } from '../../../shared/config-revision.js';
import type { GatewayUuid, Uid } from '../../../shared/ids.js';
import { downTopic, gatewaySubscriptions, upTopic, type UpChannel } from '../../../shared/topics.js';
import { newUid, NOON_MS } from '../ingest/gateway-records.js';
import { passwordOf } from './link-site.js';
import { waitUntil } from '../../../scripts/sim/wait-until.js';

export interface Received {
  topic: string;
  text: string;
}

export interface TestGateway {
  client: MqttClient;
  uuid: GatewayUuid;
  boot_id: Uid;
  received: Received[];
  /** Sections as a gateway would hold them; every message was applied when it came. */
  held: Map<ConfigSection, HeldSection>;
  configs: ConfigMessage[];
  mismatches: number;
  publish(channel: UpChannel, message: unknown): void;
  sayHello(hello?: { epoch?: OutboxEpoch; connection?: number }): void;
  /** Sends a batch and waits for the next acknowledgement of its lane. */
  sendRecords(batch: RecordBatch): Promise<Ack>;
  welcomes(): Welcome[];
  acks(): Ack[];
  /** The connection is cut without a word. */
  cut(): void;
  end(): Promise<void>;
}

export interface GatewayOptions {
  port: number;
  uuid: GatewayUuid;
  boot_id?: Uid;
  connection?: number;
  epoch: OutboxEpoch;
  mqtt?: IClientOptions;
}

/** Connects, subscribes and tells its presence; rejects when the broker refuses. */
export async function connectGateway(options: GatewayOptions): Promise<TestGateway> {
  const { uuid, epoch, connection = 1, boot_id = newUid() } = options;
  const presence = (status: Presence['status']) => JSON.stringify({ status, boot_id, connection });
  const client = await mqtt.connectAsync(
    `mqtt://127.0.0.1:${options.port}`,
    {
      ...credentials(uuid),
      reconnectPeriod: 0,
      keepalive: 30,
      will: { topic: upTopic(uuid, 'presence'), payload: Buffer.from(presence('offline')), qos: 1, retain: true },
      ...options.mqtt,
    },
    false,
  );
  client.on('error', () => {});
  const received: Received[] = [];
  const held = new Map<ConfigSection, HeldSection>();
  const configs: ConfigMessage[] = [];
  const gateway: TestGateway = {
    client,
    uuid,
    boot_id,
    received,
    held,
    configs,
    mismatches: 0,
    publish: (channel, message) => void client.publish(upTopic(uuid, channel), JSON.stringify(message)),
    sayHello(hello = {}) {
      gateway.publish('hello', {
        boot_id,
        connection: hello.connection ?? connection,
        agent_version: '0.1.0',
        // As the clock of a real one shows it.
        mono_ms: 5_000.3141,
        wall_ms: NOON_MS,
        clock_ok: true,
        epoch: hello.epoch ?? epoch,
        lanes: [],
        config: Object.fromEntries([...held].map(([section, { revision }]) => [section, revision])),
      });
    },
    async sendRecords(batch) {
      const before = gateway.acks().length;
      gateway.publish('records', batch);
      await waitUntil('an acknowledgement', () => gateway.acks().length > before);
      const ack = gateway.acks()[before];
      if (ack === undefined) throw new Error('no acknowledgement');
      return ack;
    },
    welcomes: () => messagesOf('welcome').map((text) => welcomeSchema.parse(JSON.parse(text))),
    acks: () => messagesOf('ack').map((text) => ackSchema.parse(JSON.parse(text))),
    cut: () => client.stream.destroy(),
    end: () => client.endAsync(true),
  };
  const messagesOf = (channel: 'welcome' | 'ack') =>
    received.filter(({ topic }) => topic === downTopic(uuid, channel)).map(({ text }) => text);
  client.on('message', (topic, payload) => {
    received.push({ topic, text: payload.toString('utf8') });
    if (topic !== downTopic(uuid, 'config')) return;
    const message = configMessageSchema.parse(JSON.parse(payload.toString('utf8')));
    configs.push(message);
    const section = held.get(message.section) ?? { revision: EMPTY_REVISION, items: new Map<string, unknown>() };
    held.set(message.section, section);
    if (applyConfigMessage(section, message) === 'mismatch') gateway.mismatches += 1;
  });
  await client.subscribeAsync(gatewaySubscriptions(uuid), { qos: 1 });
  await client.publishAsync(upTopic(uuid, 'presence'), presence('online'), { qos: 1, retain: true });
  return gateway;
}

export function credentials(uuid: GatewayUuid): IClientOptions {
  return { clientId: uuid, username: uuid, password: passwordOf(uuid), protocolVersion: 4, clean: true };
}
