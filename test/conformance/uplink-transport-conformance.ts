import { afterEach, describe, expect, it } from 'vitest';
import type { LinkOptions, UplinkLink, UplinkTransport } from '../../agent/uplink/uplink-transport.js';
import type { LinkEnd } from '../../shared/reconnect-ladder.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';

/** Options of the gateway that the broker behind each transport knows. */
export const LINK_OPTIONS: Omit<LinkOptions, 'url'> = {
  clientId: 'gateway',
  username: 'gateway',
  password: 'secret',
  ca: null,
  will: { topic: 'gw/me/up/presence', payload: 'will' },
  subscriptions: ['gw/me/down/+'],
};

/** A transport with the broker behind it. */
export interface TransportBench {
  transport: UplinkTransport;
  options: LinkOptions;
  /** What reached the broker, in order. */
  published: { topic: string; payload: string; qos: number; retain: boolean }[];
  /** Sends from the broker, on a topic that the link subscribed to. */
  deliver(topic: string, payload: string): void;
  /** From now on the broker refuses connections. */
  refuse(): void;
  /** Cuts the line. */
  cut(): void;
  /** Lets time pass if the bench's clock is not the machine's. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

/** What every way to the broker promises. */
export function uplinkTransportConformance(name: string, createBench: () => Promise<TransportBench>): void {
  describe(name, () => {
    let bench: TransportBench;
    let lastLink: UplinkLink | undefined;
    afterEach(async () => {
      await lastLink?.close();
      await bench.close();
    });

    async function connect() {
      bench = await createBench();
      return join();
    }

    function join() {
      const heard: string[] = [];
      const ends: LinkEnd[] = [];
      let opened = 0;
      const made = bench.transport.connect(bench.options, {
        onOpen: () => void opened++,
        onMessage: (topic, payload) => heard.push(`${topic} ${new TextDecoder().decode(payload)}`),
        onEnd: (end) => ends.push(end),
      });
      lastLink = made;
      expect([opened, ends]).toEqual([0, []]);
      const reach = (check: () => void) =>
        waitUntil('it to be so', async () => {
          await bench.settle();
          check();
          return true;
        });
      return { link: made, heard, ends, reach, untilOpen: () => reach(() => expect(opened).toBe(1)) };
    }

    it('opens once, after the call; what is published arrives in order, with its flags', async () => {
      const { link, reach, untilOpen } = await connect();
      await untilOpen();
      await link.publish('gw/me/up/presence', 'online', { qos: 1, retain: true });
      await link.publish('gw/me/up/report', 'ä', { qos: 0, retain: false });
      await reach(() =>
        expect(bench.published).toEqual([
          { topic: 'gw/me/up/presence', payload: 'online', qos: 1, retain: true },
          { topic: 'gw/me/up/report', payload: 'ä', qos: 0, retain: false },
        ]),
      );
    });

    it('hears what the broker sends', async () => {
      const { heard, reach, untilOpen } = await connect();
      await untilOpen();
      bench.deliver('gw/me/down/ack', 'one ä');
      bench.deliver('gw/me/down/config', 'two');
      await reach(() => expect(heard).toEqual(['gw/me/down/ack one ä', 'gw/me/down/config two']));
    });

    it('reports the end of a link that was cut once, and accepts nothing more', async () => {
      const { link, ends, reach, untilOpen } = await connect();
      await untilOpen();
      bench.cut();
      await reach(() => expect(ends).toHaveLength(1));
      expect(['broken', 'closed']).toContain(ends[0]);
      await expect(link.publish('gw/me/up/report', '', { qos: 1, retain: false })).rejects.toThrow(/gone/);
      await link.close();
      expect(ends).toHaveLength(1);
    });

    it('reports a refusal as one', async () => {
      bench = await createBench();
      bench.refuse();
      const { ends, reach } = join();
      await reach(() => expect(ends).toEqual(['refused']));
    });

    it('reports no end after close, which may be called twice, and accepts nothing more', async () => {
      const { link, ends, heard, untilOpen } = await connect();
      await untilOpen();
      await link.close();
      await link.close();
      await bench.settle();
      await expect(link.publish('gw/me/up/report', '', { qos: 0, retain: false })).rejects.toThrow(/gone/);
      expect([ends, heard]).toEqual([[], []]);
    });

    it('opens a new link after one that ended', async () => {
      const first = await connect();
      await first.untilOpen();
      bench.cut();
      await first.reach(() => expect(first.ends).toHaveLength(1));
      const second = join();
      await second.untilOpen();
      bench.deliver('gw/me/down/ack', 'again');
      await second.reach(() => expect(second.heard).toEqual(['gw/me/down/ack again']));
      expect(first.heard).toEqual([]);
    });
  });
}
