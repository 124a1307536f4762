/** The promises of the broker port, of every kind of broker. */
import { randomUUID } from 'node:crypto';
import type { IClientOptions, MqttClient } from 'mqtt';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { UpMessage } from '../../cloud/equipment/broker/broker.js';
import { type GatewayUuid, gatewayUuidSchema } from '../../shared/ids.js';
import { downTopic, gatewaySubscriptions, upTopic } from '../../shared/topics.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';
import { BENCH_LIMITS, type BrokerBench, type BrokerKindBench, createBrokerBench } from './broker-bench.js';

/** A connected gateway, with what it was sent. */
interface Gateway {
  uuid: GatewayUuid;
  password: string;
  client: MqttClient;
  received: { topic: string; text: string }[];
}

const STORM_GATEWAYS = 300;
const CUT_OFF_WITHIN_MS = 5_000;
const RECORDS = 120;

export function brokerConformance(name: string, openKind: () => Promise<BrokerKindBench>): void {
  describe(`broker port: ${name}`, () => {
    let bench: BrokerBench;
    let heard: UpMessage[];

    beforeAll(async () => {
      bench = await createBrokerBench(await openKind());
    });
    afterAll(() => bench?.close());
    beforeEach(() => {
      heard = [];
      bench.handle = async (message) => void heard.push(message);
      bench.onHearing = () => {};
    });

    const newUuid = () => gatewayUuidSchema.parse(randomUUID());
    const own = (uuid: GatewayUuid, password: string): IClientOptions => ({ clientId: uuid, username: uuid, password });
    const textsOf = (uuid: GatewayUuid, channel = 'records') =>
      heard
        .filter((message) => message.uuid === uuid && message.channel === channel)
        .map(({ payload }) => Buffer.from(payload).toString());

    async function connectAs(uuid: GatewayUuid, password: string, more: IClientOptions = {}): Promise<Gateway> {
      const client = await bench.connect({ ...own(uuid, password), ...more });
      const gateway: Gateway = { uuid, password, client, received: [] };
      client.on('message', (topic, payload) => gateway.received.push({ topic, text: payload.toString() }));
      await client.subscribeAsync(gatewaySubscriptions(uuid), { qos: 0 });
      return gateway;
    }
    /** A gateway that was claimed, is connected, and is heard. */
    async function join(more: IClientOptions = {}): Promise<Gateway> {
      const uuid = newUuid();
      const gateway = await connectAs(uuid, await bench.admit(uuid), more);
      await untilHeard(gateway);
      return gateway;
    }
    /** What it publishes before the cloud hears it is lost, and comes again. */
    async function untilHeard({ uuid, client }: Gateway): Promise<void> {
      const text = `join ${randomUUID()}`;
      await waitUntil('the gateway to be heard', async () => {
        await client.publishAsync(upTopic(uuid, 'report'), text, { qos: 1 });
        return textsOf(uuid, 'report').includes(text);
      });
    }
    const closed = (client: MqttClient) => waitUntil('the connection to be cut', () => !client.connected, 10_000);

    describe('delivers', () => {
      it('what gateways say to the cloud, and what the cloud says to the one it is for', async () => {
        const [a, b] = [await join(), await join()];
        await a.client.publishAsync(upTopic(a.uuid, 'records'), 'of A', { qos: 1 });
        await waitUntil('the record', () => textsOf(a.uuid).length === 1);
        await bench.broker.publish(a.uuid, 'ack', 'for A');
        await bench.broker.publish(b.uuid, 'ack', 'for B');
        await waitUntil('both answers', () => a.received.length > 0 && b.received.length > 0);
        expect(textsOf(a.uuid)).toEqual(['of A']);
        expect(a.received).toEqual([{ topic: downTopic(a.uuid, 'ack'), text: 'for A' }]);
        expect(b.received).toEqual([{ topic: downTopic(b.uuid, 'ack'), text: 'for B' }]);
      });

      it('a message of the greatest size that a gateway sends', async () => {
        const { uuid, client } = await join();
        // Pictures go in messages of their own, which are told by how they begin.
        const text = `{"epoch":"${'0'.repeat(32)}","lane":2,"records":[${'x'.repeat(11 * 1024 * 1024)}`;
        await client.publishAsync(upTopic(uuid, 'records'), text, { qos: 1 });
        await waitUntil('the message', () => textsOf(uuid).length === 1);
        expect(textsOf(uuid)[0]?.length).toBe(text.length);
      });

      it('the messages of a gateway in order and one at a time, while others go on', async () => {
        const [a, b] = [await join(), await join()];
        let underWay = 0;
        let mostUnderWay = 0;
        let release: () => void = () => {};
        const held = new Promise<void>((resolve) => (release = resolve));
        bench.handle = async (message) => {
          if (message.uuid === a.uuid) {
            underWay += 1;
            mostUnderWay = Math.max(mostUnderWay, underWay);
            await held;
            underWay -= 1;
          }
          heard.push(message);
        };
        const texts = Array.from({ length: 200 }, (_, index) => String(index));
        // Without waiting for any: the first one is held, and an embedded broker reads no further for a while.
        for (const text of texts) a.client.publish(upTopic(a.uuid, 'records'), text, { qos: 1 });
        await b.client.publishAsync(upTopic(b.uuid, 'records'), 'of B', { qos: 1 });
        await waitUntil('the other gateway', () => textsOf(b.uuid).length === 1);
        expect(textsOf(a.uuid)).toEqual([]);
        release();
        await waitUntil('all messages', () => textsOf(a.uuid).length === texts.length);
        expect(textsOf(a.uuid)).toEqual(texts);
        expect(mostUnderWay).toBe(1);
      });
    });

    describe('lets in', () => {
      it('nobody without a right name and password', async () => {
        const { uuid, password } = await join();
        const [other, stranger] = [await join(), newUuid()];
        for (const options of [
          own(uuid, 'guess'),
          ...(bench.isNameBound ? [own(uuid, other.password), own(stranger, password)] : []),
          { clientId: uuid, username: uuid },
          { clientId: uuid },
          { clientId: '' },
          ...(bench.isNameBound ? [{ ...own(uuid, password), username: 'admin' }] : []),
        ]) {
          await expect(bench.connect(options), JSON.stringify(options)).rejects.toThrow();
        }
      });

      it('no deleted gateway: it is cut off within 5 s, and refused from then on', async () => {
        const gateway = await join();
        const beganAt = performance.now();
        await bench.dismiss(gateway.uuid);
        await closed(gateway.client);
        expect(performance.now() - beganAt).toBeLessThan(CUT_OFF_WITHIN_MS);
        await expect(bench.connect(own(gateway.uuid, gateway.password))).rejects.toThrow();
      });

      it('a gateway that was claimed anew under its new password alone', async () => {
        const before = await join();
        const password = await bench.admit(before.uuid);
        await closed(before.client);
        await expect(bench.connect(own(before.uuid, before.password))).rejects.toThrow();
        await untilHeard(await connectAs(before.uuid, password));
      });

      it('one connection of a gateway, the newest', async () => {
        const first = await join();
        const second = await connectAs(first.uuid, first.password);
        await closed(first.client);
        await untilHeard(second);
      });
    });

    describe('keeps to its own topics a gateway that', () => {
      let victim: Gateway;
      let uuid: GatewayUuid;
      let password: string;
      beforeEach(async () => {
        victim = await join();
        uuid = newUuid();
        password = await bench.admit(uuid);
        heard = [];
      });
      const connectRogue = () => connectAs(uuid, password);
      /** What comes after this was not refused but late. */
      async function untilAllCame(): Promise<void> {
        await untilHeard(victim);
        await bench.broker.publish(victim.uuid, 'ack', 'the end');
        await waitUntil('the last message', () => victim.received.some(({ text }) => text === 'the end'));
      }

      it('publishes to those of others', async () => {
        const topics = [
          upTopic(victim.uuid, 'records'),
          upTopic(victim.uuid, 'presence'),
          downTopic(victim.uuid, 'command'),
          downTopic(uuid, 'command'),
          `gw/${uuid}/up/else`,
          `gw/${uuid}/up`,
          `gw/${uuid}/up/records/more`,
          '$SYS/broker/uptime',
          '$CONTROL/dynamic-security/v1',
          'elsewhere',
        ];
        for (const topic of topics) {
          for (const retain of [false, true]) {
            // Some brokers cut it off for it, others acknowledge and drop.
            // A broker may hold one back that comes again at once.
            const { client } = await waitUntil('the rogue to be let in', connectRogue);
            let isAcknowledged = false;
            const text = JSON.stringify({ commands: [{ command: 'listClients' }] });
            client.publish(topic, text, { qos: 1, retain }, () => (isAcknowledged = true));
            await waitUntil('the refusal', () => isAcknowledged || !client.connected);
            client.end(true);
          }
        }
        await untilAllCame();
        const forged = heard.filter(({ channel }) => channel !== 'report');
        expect(forged).toEqual([]);
        expect(victim.received.map(({ text }) => text)).toEqual(['the end']);
        // Nothing was kept, either: whoever subscribes now is sent nothing.
        const again = await connectAs(victim.uuid, victim.password);
        await untilHeard(again);
        expect(again.received).toEqual([]);
      });

      it.each([
        ['all topics', '#'],
        ['topics of every gateway', 'gw/+/up/+'],
        ['orders to every gateway', 'gw/+/down/+'],
        ['all of its own', 'OWN/#'],
        ['records of its own', 'OWN/up/records'],
        ['by any root', '+/+/+/+'],
        ["another gateway's records", 'VICTIM/up/records'],
        ["another gateway's presence", 'VICTIM/up/presence'],
        ["another gateway's orders", 'VICTIM/down/+'],
        ['a share of orders', '$share/thieves/VICTIM/down/+'],
        ['a share of records', '$share/thieves/gw/+/up/+'],
        ['the state of the broker', '$SYS/#'],
        ['accounts of the broker', '$CONTROL/#'],
      ])('subscribes to %s', async (_what, pattern) => {
        const filter = pattern.replace('OWN', `gw/${uuid}`).replace('VICTIM', `gw/${victim.uuid}`);
        const rogue = await connectRogue();
        const received: string[] = [];
        rogue.client.on('message', (topic) => received.push(topic));
        await rogue.client.subscribeAsync(filter, { qos: 0 }).catch(() => undefined);
        const presence = JSON.stringify({ status: 'online' });
        await victim.client.publishAsync(upTopic(victim.uuid, 'presence'), presence, { qos: 1, retain: true });
        await victim.client.publishAsync(upTopic(victim.uuid, 'records'), 'secret', { qos: 1 });
        if (rogue.client.connected) rogue.client.publish(upTopic(uuid, 'records'), 'its own', { qos: 0 });
        await bench.broker.publish(victim.uuid, 'command', 'secret');
        await waitUntil('the order', () => victim.received.some(({ text }) => text === 'secret'));
        await untilAllCame();
        // What it is sent comes in order: after its own order, nothing from before can come.
        if (rogue.client.connected) {
          await bench.broker.publish(uuid, 'ack', 'its own');
          await waitUntil('its own message', () => !rogue.client.connected || received.length > 0);
        }
        expect(received.filter((topic) => !topic.startsWith(`gw/${uuid}/down/`))).toEqual([]);
        expect(textsOf(victim.uuid)).toEqual(['secret']);
      });
    });

    describe('tells of presence', () => {
      const online = JSON.stringify({ status: 'online' });
      const offline = JSON.stringify({ status: 'offline' });
      const will = (uuid: GatewayUuid): IClientOptions => ({
        will: { topic: upTopic(uuid, 'presence'), payload: Buffer.from(offline), qos: 1, retain: true },
      });

      it('with the last will of a connection that breaks, and not of one that says goodbye', async () => {
        const uuid = newUuid();
        const password = await bench.admit(uuid);
        const polite = await connectAs(uuid, password, will(uuid));
        await untilHeard(polite);
        await polite.client.endAsync();
        const broken = await connectAs(uuid, password, will(uuid));
        await broken.client.publishAsync(upTopic(uuid, 'presence'), online, { qos: 1, retain: true });
        await waitUntil('its presence', () => textsOf(uuid, 'presence').length === 1);
        broken.client.stream.destroy();
        await waitUntil('its last will', () => textsOf(uuid, 'presence').length === 2);
        expect(textsOf(uuid, 'presence')).toEqual([online, offline]);
      });

      it('to the gateway itself, as the broker keeps it', async () => {
        const gateway = await join();
        await gateway.client.publishAsync(upTopic(gateway.uuid, 'presence'), online, { qos: 1, retain: true });
        await waitUntil('its own presence', () => gateway.received.length > 0);
        const again = await connectAs(gateway.uuid, gateway.password);
        await waitUntil('its kept presence', () => again.received.length > 0);
        expect(again.received).toEqual([{ topic: upTopic(gateway.uuid, 'presence'), text: online }]);
      });
    });

    it('holds what waits of a gateway that floods within bounds, and goes on hearing the others', async () => {
      const [flooder, other] = [await join(), await join()];
      let release: () => void = () => {};
      const held = new Promise<void>((resolve) => (release = resolve));
      bench.handle = async (message) => {
        if (message.uuid === flooder.uuid) await held;
        heard.push(message);
      };
      const [messages, bytes] = [200, 256 * 1024];
      let sent = 0;
      for (let count = 0; count < messages; count++) {
        flooder.client.publish(
          upTopic(flooder.uuid, 'records'),
          Buffer.alloc(bytes, 'x'),
          { qos: 0 },
          () => (sent += 1),
        );
      }
      // An embedded broker reads no further; another one drops what is too much, or cuts the gateway off.
      await waitUntil('the flood to be held', () => {
        const { stream, connected } = flooder.client;
        return !connected || sent === messages || (bench.isEmbedded && stream.writableLength > 0);
      });
      if (!bench.isEmbedded) {
        // What was on its way when the hold ends would not have waited.
        const last = flooder.client.publishAsync(upTopic(flooder.uuid, 'report'), 'the last', { qos: 1 });
        let isRead = false;
        last.catch(() => undefined).finally(() => (isRead = true));
        await waitUntil('the broker to have read the flood', () => isRead || !flooder.client.connected);
      }
      await other.client.publishAsync(upTopic(other.uuid, 'records'), 'of another', { qos: 1 });
      await waitUntil('the other gateway', () => textsOf(other.uuid).length === 1);
      flooder.client.stream.destroy();
      release();
      const back = await waitUntil('it to be let in again', () => connectAs(flooder.uuid, flooder.password));
      await untilHeard(back);
      const waited = heard.filter(({ uuid, channel }) => uuid === flooder.uuid && channel === 'records').length * bytes;
      expect(waited).toBeLessThan(5 * BENCH_LIMITS.gatewayBytesMax);
    });

    it('settles a storm of gateways that come back at once, and loses no record of theirs', async () => {
      const admitted = Array.from({ length: STORM_GATEWAYS }, newUuid);
      const passwords = new Map<GatewayUuid, string>();
      for (const uuid of admitted) passwords.set(uuid, await bench.admit(uuid));
      await bench.kill();
      await bench.start();
      await Promise.all(
        admitted.map(async (uuid) => {
          const password = passwords.get(uuid) ?? '';
          const gateway = await waitUntil(`${uuid} to be let in`, () => connectAs(uuid, password));
          await untilHeard(gateway);
          await gateway.client.publishAsync(upTopic(uuid, 'records'), 'kept', { qos: 1 });
          await waitUntil('its record', () => textsOf(uuid).length === 1);
        }),
      );
    });

    it('loses no record when the broker is killed: what was not acknowledged is sent again', async () => {
      const uuid = newUuid();
      const password = await bench.admit(uuid);
      let acknowledged = -1;
      const applied: number[] = [];
      bench.handle = async ({ channel, payload }) => {
        if (channel !== 'records') return;
        const seq = Number(Buffer.from(payload).toString());
        if (seq === applied.length) applied.push(seq);
        if (seq < applied.length) await bench.broker.publish(uuid, 'ack', String(applied.length - 1)).catch(() => {});
      };
      const isDone = () => acknowledged === RECORDS - 1;
      const send = async () => {
        while (!isDone()) {
          const gateway = await waitUntil('a connection', () => connectAs(uuid, password));
          gateway.client.on('message', (_topic, text) => (acknowledged = Math.max(acknowledged, Number(String(text)))));
          while (gateway.client.connected && !isDone()) {
            const before = acknowledged;
            const next = before + 1;
            gateway.client.publish(upTopic(uuid, 'records'), String(next), { qos: 0 });
            await waitUntil('an answer', () => !gateway.client.connected || acknowledged > before, 500).catch(() => {});
          }
        }
      };
      const sent = send();
      for (const part of [0.25, 0.5]) {
        await waitUntil('part of the records', () => applied.length >= RECORDS * part);
        await bench.kill();
        await bench.start();
      }
      await sent;
      expect(applied).toEqual(Array.from({ length: RECORDS }, (_, seq) => seq));
    });
  });
}
