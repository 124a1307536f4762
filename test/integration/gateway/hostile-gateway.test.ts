import { afterEach, describe, expect, it } from 'vitest';
import { gatewayReportSchema } from '../../../shared/uplink-reports.js';
import { type RunningStorm, type Storm, stormAsGateway } from '../../attack/gateway-storm.js';
import { runs } from '../../depth.js';
import { batchText, HOSTILE_RECORDS } from '../../attack/hostile-records.js';
import {
  batchOf,
  entryRead,
  newOutboxEpoch,
  newUid,
  recordOf,
  sighting,
  wireBatch,
} from '../ingest/gateway-records.js';
import { connectGateway } from './link-gateway.js';
import { NORTH_GATEWAY, passwordOf, RIVAL_GATEWAY } from './link-site.js';
import { createLinkWorld, type LinkOptions, type LinkWorld } from './link-world.js';
import { heardBarrier } from '../product/heard-barrier.js';
import { QueueFullError } from '../../../shared/flow/semaphore.js';
import { waitUntil } from '../../../scripts/sim/wait-until.js';

let closing: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const each of closing.reverse()) await each.close();
  closing = [];
});

/** Counts the transactions of the whole cloud. */
async function attackedWorld(options: LinkOptions = {}): Promise<{ world: LinkWorld; commits(): number }> {
  let commits = 0;
  const world = await createLinkWorld({ ...options, onCommitted: () => void (commits += 1) });
  closing.push(world);
  return { world, commits: () => commits };
}

async function storm(world: LinkWorld, of: Pick<Storm, 'channel' | 'message' | 'count'>): Promise<RunningStorm> {
  const running = await stormAsGateway({
    port: world.broker.port,
    uuid: RIVAL_GATEWAY,
    password: passwordOf(RIVAL_GATEWAY),
    ...of,
  });
  closing.push({ close: running.end });
  return running;
}

const rivalReport = ({ site }: LinkWorld) => heardBarrier(site.rivalProduct, 'a4c138000003');

/** What each message costs beside its bytes, and each record that was in it before the next message. */
const MESSAGE_BYTES = 2_048;
const RECORD_BYTES = 1_024;

/** Counts the messages of one record that fit into so many bytes. */
function countWithin(bytes: number, message: Storm['message']): number {
  for (let count = 0, sum = 0; ; count++, sum += RECORD_BYTES) {
    sum += Buffer.from(message(count)).byteLength + MESSAGE_BYTES;
    if (sum > bytes) return count;
  }
}

/** What the attacker sends, at full speed, by the name of the attack. */
const STORMS: Readonly<Record<string, (world: LinkWorld) => Pick<Storm, 'channel' | 'message' | 'count'>>> = {
  'small valid batches': ({ site }) => {
    const epoch = newOutboxEpoch();
    const seen = { ...sighting(site), lpr_camera_id: site.rivalCamera, zone_id: site.rivalZone };
    return {
      channel: 'records',
      count: runs(60),
      message: (n) => Buffer.from(wireBatch(epoch, 1, [recordOf(n + 1, seen)])),
    };
  },
  'records that are given up': () => {
    const epoch = newOutboxEpoch();
    const nested = HOSTILE_RECORDS['objects nested a hundred thousand deep'];
    const message = (n: number) => batchText(epoch, 0, [nested?.({ seq: n + 1, uid: newUid() }) ?? '']);
    return { channel: 'records', count: runs(30), message };
  },
  'reports of one product': (world) => {
    const text = JSON.stringify({ products: Array.from({ length: 100 }, () => rivalReport(world)) });
    return { channel: 'report', count: runs(60), message: () => text };
  },
};

/**
 * How many transactions may come between an honest question and its answer. What is under way on the wire counts, too, so that it is more
 * than a turn of each share; the attacker's messages are many more.
 */
const TURNS_MAX = 40;

describe('one gateway that attacks', () => {
  it.each(Object.entries(STORMS))('with %s holds up neither another gateway nor a write', async (_name, stormOf) => {
    const { world, commits } = await attackedWorld();
    const epoch = newOutboxEpoch();
    const honest = await connectGateway({ port: world.broker.port, uuid: NORTH_GATEWAY, epoch });
    closing.push({ close: honest.end });
    await storm(world, stormOf(world));
    for (let seq = 1; seq <= 3; seq++) {
      const before = commits();
      const read = recordOf(seq, entryRead(world.site, { reading: { plate: `FAIR${seq}` } }));
      expect(await honest.sendRecords(batchOf(epoch, 0, [read]))).toMatchObject({ seq, gap: false });
      const write = await world.store.change(async () => 'written', 'account 1');
      expect(write).toBe('written');
      expect(commits() - before).toBeLessThanOrEqual(TURNS_MAX);
    }
  });

  it('beyond its quota waits, and nobody with it', async () => {
    const burstBytes = 40_000;
    const { world } = await attackedWorld({ allowances: [{ burstBytes, bytesPerS: 10_000 }] });
    const epoch = newOutboxEpoch();
    const honest = await connectGateway({ port: world.broker.port, uuid: NORTH_GATEWAY, epoch });
    closing.push({ close: honest.end });
    const small = STORMS['small valid batches']?.(world);
    if (small === undefined) throw new Error('no such attack');
    const atOnce = countWithin(burstBytes, small.message);
    expect(atOnce).toBeLessThan(50);
    const attack = await storm(world, { ...small, count: 50 });
    await waitUntil('the quota to be felt', () =>
      world.log.some(({ message }) => message.includes('more than its share')),
    );
    // Time stands still, and with it what the attacker may send.
    await waitUntil('the answers to what came before', () => attack.answers() === atOnce);
    const read = recordOf(1, entryRead(world.site, { reading: { plate: 'FAIR1' } }));
    expect(await honest.sendRecords(batchOf(epoch, 0, [read]))).toMatchObject({ seq: 1, gap: false });
    expect(attack.answers()).toBe(atOnce);
    // Nothing of it is lost.
    await waitUntil('all answers', async () => {
      await world.clock.advance(1_000);
      return attack.answers() === 50;
    });
  });
});

describe('changes of an account', () => {
  it('do not wait for all that another account asked before', async () => {
    const { world, commits } = await attackedWorld();
    const flood = Array.from({ length: 100 }, () => world.store.change(async () => undefined, 'account 1'));
    const before = commits();
    await world.store.change(async () => undefined, 'account 2');
    // Those under way, and one turn of each writer.
    expect(commits() - before).toBeLessThanOrEqual(1 + 2 * world.store.writersMax);
    await Promise.all(flood);
  });

  it('are refused when one account asks more than its share, and only those', async () => {
    const { world } = await attackedWorld();
    const change = (share: string) => world.store.change(async () => undefined, share);
    const flood = Promise.allSettled(Array.from({ length: 3_000 }, () => change('account 1')));
    await change('account 2');
    const refused = (await flood).filter((each) => each.status === 'rejected');
    for (const { reason } of refused) expect(reason).toBeInstanceOf(QueueFullError);
    // What the gateways of before asked may be under way still.
    expect(refused.length).toBeLessThanOrEqual(3_000 - 2_500);
    expect(refused.length).toBeGreaterThanOrEqual(3_000 - 2_500 - world.store.writersMax);
    await change('account 1');
  });
});

describe('a report', () => {
  it('is not read when it names one product thirty thousand times, and counts once when it does a thousand times', async () => {
    const { world } = await attackedWorld();
    const named = (count: number) => ({ products: Array.from({ length: count }, () => rivalReport(world)) });
    expect(gatewayReportSchema.safeParse(named(30_000)).success).toBe(false);
    await storm(world, { channel: 'report', count: 1, message: () => JSON.stringify(named(1_000)) });
    const changesPushed = () => world.pushed.filter(({ event }) => event === 'lot_change').length;
    await waitUntil('the report', () => changesPushed() > 0);
    expect(changesPushed()).toBe(2);
  });
});
