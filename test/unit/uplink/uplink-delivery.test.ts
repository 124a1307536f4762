/** Nothing lost, nothing twice, in order: the uplink against a cloud, a network and a card that do what they do in the field. */
import * as fc from '../../property.js';
import { describe, expect, it } from 'vitest';
import type { AgentStore } from '../../../agent/store/agent-store.js';
import { createUplink, type Uplink } from '../../../agent/uplink/uplink.js';
import type { GatewayUuid } from '../../../shared/ids.js';
import { createReconnectLadder, type LinkEnd } from '../../../shared/reconnect-ladder.js';
import { silentLogger } from '../../../shared/logger.js';
import { downTopic } from '../../../shared/topics.js';
import { sightingEntry } from '../../world/agent-records.js';
import { FakeClock } from '../../world/fake-clock.js';
import { createLossyTransport, GOOD_LINK, type LinkQuality } from '../../world/lossy-transport.js';
import { seededRandom } from '../../../scripts/sim/traffic/seeded-random.js';
import { openMemoryAgentStore } from '../../../scripts/fleet/memory-agent-store.js';
import { createMemoryDisk, type MemoryDisk } from '../../../scripts/fleet/memory-disk.js';
import { createModelCloud, type ModelCloud } from '../../world/model-cloud.js';
import { runs } from '../../depth.js';

const UUID = '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c01' as GatewayUuid;

type Event =
  | { do: 'append'; lane: 0 | 1; count: number }
  | { do: 'wait'; ms: number }
  | { do: 'cut'; end: LinkEnd }
  | { do: 'link'; quality: LinkQuality }
  | { do: 'refuse'; end: LinkEnd | null }
  | { do: 'mishaps'; mishaps: ModelCloud['mishaps'] }
  | { do: 'kill agent' }
  | { do: 'back up card' }
  | { do: 'restore card' }
  | { do: 'back up cloud' }
  | { do: 'restore cloud' };

const linkEnd = fc.constantFrom<LinkEnd>('refused', 'closed', 'broken', 'absent');
const quality = fc.record({
  loss: fc.constantFrom(0, 0.1, 0.5),
  doubling: fc.constantFrom(0, 0.3),
  delayMs: fc.constantFrom(1, 40, 2_000),
  jitterMs: fc.constantFrom(0, 0, 3_000),
});
const eventsOfField: fc.Arbitrary<Event>[] = [
  fc.record({ do: fc.constant('append'), lane: fc.constantFrom(0, 1), count: fc.integer({ min: 1, max: 450 }) }),
  fc.record({ do: fc.constant('append'), lane: fc.constantFrom(0, 1), count: fc.integer({ min: 1, max: 5 }) }),
  fc.record({ do: fc.constant('wait'), ms: fc.constantFrom(1, 50, 3_000, 30_000) }),
  fc.record({ do: fc.constant('cut'), end: linkEnd }),
  fc.record({ do: fc.constant('link'), quality }),
  fc.record({ do: fc.constant('refuse'), end: fc.constantFrom<LinkEnd | null>(null, 'refused', 'broken') }),
  fc.record({
    do: fc.constant('mishaps'),
    mishaps: fc.array(fc.constantFrom('crash before commit', 'crash after commit'), { maxLength: 3 }),
  }),
  fc.record({ do: fc.constant('kill agent') }),
];
const restores: fc.Arbitrary<Event>[] = [
  fc.record({ do: fc.constant('back up card') }),
  fc.record({ do: fc.constant('restore card') }),
  fc.record({ do: fc.constant('back up cloud') }),
  fc.record({ do: fc.constant('restore cloud') }),
];

/** One gateway, one cloud, one network. */
async function createWorld(seed: number) {
  const clock = new FakeClock();
  const random = seededRandom(seed);
  const transport = createLossyTransport({
    clock,
    random,
    onPublish: (topic, payload) => cloud.handle(topic, payload),
  });
  const cloud = createModelCloud({
    clock,
    gatewayUuid: UUID,
    send: (channel, payload) => transport.deliver(downTopic(UUID, channel), JSON.stringify(payload)),
  });
  let disk = createMemoryDisk();
  let card: MemoryDisk | null = null;
  let cloudBackup: ReturnType<ModelCloud['backup']> | null = null;
  let agent = await startAgent();
  /** Event times of what is, or was, on the present card; per lane, in order. */
  let expected: [number[], number[]] = [[], []];
  let expectedOfCard: typeof expected = [[], []];
  let next = 0;

  async function startAgent(): Promise<{ store: AgentStore; uplink: Uplink }> {
    const store = await openMemoryAgentStore({ disk });
    const uplink = createUplink({
      transport,
      store,
      clock,
      ladder: createReconnectLadder({ clock, random }),
      logger: silentLogger,
      gatewayUuid: UUID,
      credentials: { url: 'mqtt://broker', username: UUID, password: 'secret', ca: null },
      agentVersion: '1.0.0',
      bootId: store.boot.boot_id,
      isClockOk: () => true,
      ownAddresses: () => [],
      onRefused() {},
      tracer: null,
    });
    uplink.start({
      configRevisions: () => ({}),
      onCommand: () => {},
      onPairing: () => {},
      onAdmin: () => {},
      onDoctor() {},
      onAsk() {},
      onConnectedChange() {},
      onConfig: () => Promise.resolve('applied'),
    });
    return { store, uplink };
  }

  async function killAgent(): Promise<void> {
    const closing = agent.uplink.close();
    transport.cut('broken');
    await clock.advance(2_000);
    await closing;
    await agent.store.close();
  }

  async function happen(event: Event): Promise<void> {
    switch (event.do) {
      case 'append': {
        const times = Array.from({ length: event.count }, () => next++);
        await Promise.all(times.map((at) => agent.store.append(sightingEntry(at, event.lane))));
        expected[event.lane].push(...times);
        agent.uplink.notify(event.lane);
        return;
      }
      case 'wait':
        return clock.advance(event.ms);
      case 'cut':
        if (transport.isUp) transport.cut(event.end);
        return;
      case 'link':
        transport.quality = event.quality;
        return;
      case 'refuse':
        transport.refusal = event.end;
        return;
      case 'mishaps':
        cloud.mishaps.push(...event.mishaps);
        return;
      case 'kill agent':
        await killAgent();
        agent = await startAgent();
        return;
      case 'back up card':
        card = structuredClone(disk);
        expectedOfCard = structuredClone(expected);
        return;
      case 'restore card':
        if (card === null) return;
        await killAgent();
        disk = structuredClone(card);
        expected = structuredClone(expectedOfCard);
        agent = await startAgent();
        return;
      case 'back up cloud':
        cloudBackup = cloud.backup();
        return;
      case 'restore cloud':
        if (cloudBackup === null) return;
        // The process that begins on it has the gateways say hello, here by its broker, which starts with it.
        if (transport.isUp) transport.cut('closed');
        cloud.restore(cloudBackup);
    }
  }

  return {
    clock,
    transport,
    cloud,
    happen,
    get expected() {
      return expected;
    },
    async waiting(): Promise<number> {
      const { lanes } = await agent.store.outboxState();
      return lanes.reduce((sum, lane) => sum + lane.rows, 0);
    },
    /** The network and the cloud are well again, and get the time they need. */
    async recover(): Promise<void> {
      transport.quality = GOOD_LINK;
      transport.refusal = null;
      cloud.mishaps.length = 0;
      // What a restored cloud lacks waits again only when it has said what it has.
      await clock.advance(120_000);
      for (let minute = 0; minute < 20 && (await this.waiting()) > 0; minute++) await clock.advance(60_000);
    },
    close: killAgent,
  };
}

const eventTimesOf = (cloud: ModelCloud, lane: number) =>
  cloud.applied
    .filter((record) => record.lane === lane)
    .map((record) => (record.payload as { event_ms: number }).event_ms);

describe('delivery', () => {
  it('applies every record exactly once and in order, whatever the network, the cloud and the agent do', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), fc.array(fc.oneof(...eventsOfField), { maxLength: 25 }), async (seed, events) => {
        const world = await createWorld(seed);
        for (const event of events) await world.happen(event);
        await world.recover();
        expect(await world.waiting()).toBe(0);
        for (const lane of [0, 1] as const) expect(eventTimesOf(world.cloud, lane)).toEqual(world.expected[lane]);
        await world.close();
      }),
      { numRuns: runs(300) },
    );
  });

  it('survives restored backups of card and cloud: nothing twice, and nothing lost that is or was on the card', async () => {
    const events = fc.array(fc.oneof(...eventsOfField, ...restores), { maxLength: 25 });
    await fc.assert(
      fc.asyncProperty(fc.integer(), events, async (seed, happenings) => {
        const world = await createWorld(seed);
        for (const event of happenings) await world.happen(event);
        await world.recover();
        expect(await world.waiting()).toBe(0);
        for (const lane of [0, 1] as const) {
          const applied = eventTimesOf(world.cloud, lane);
          expect(new Set(applied).size).toBe(applied.length);
          const mine = new Set(world.expected[lane]);
          expect(applied.filter((at) => mine.has(at))).toEqual(world.expected[lane]);
        }
        await world.close();
      }),
      { numRuns: runs(300) },
    );
  });
});
