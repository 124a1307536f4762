/** How many statements a transaction of the ingest has: as many for hundreds of records of many gateways as for one record. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { CommittedChange } from '../../../cloud/kernel/store/transaction.js';
import type { Uid } from '../../../shared/ids.js';
import type { PlateReadRecord } from '../../../shared/uplink.js';
import { type BenchGateway, seedIngestSite } from '../../bench/ingest-site.js';
import type { LinkSite } from '../gateway/link-site.js';
import { createStoreWorld, type StoreWorld } from '../gateway/link-world.js';
import { deniedRead, entryRead, exitRead, newOutboxEpoch, newUid, recordOf, wireBatch } from './gateway-records.js';

/** With the beginning, the locks and the commit. */
const STATEMENTS_MAX = { denied: 12, leavesWithoutSession: 16, begins: 21, ends: 21 };
/** How many gateways send how many records. */
const SIZES: readonly (readonly [number, number])[] = [
  [1, 1],
  [1, 25],
  [8, 25],
  [64, 7],
];

interface Sender extends BenchGateway {
  epoch: ReturnType<typeof newOutboxEpoch>;
  seq: number;
  begun: Uid[];
}

let world: StoreWorld;
let senders: Sender[];
let committed: CommittedChange[] = [];
beforeEach(async () => {
  world = await createStoreWorld({ onCommitted: (change) => void committed.push(change) });
  const gateways = await seedIngestSite(world.store, { accounts: 8, gatewaysEach: 8 });
  senders = gateways.map((gateway) => ({ ...gateway, epoch: newOutboxEpoch(), seq: 0, begun: [] }));
});
afterEach(() => world.close());

const siteOf = ({ camera, zone }: Sender) => ({ entryCamera: camera, exitCamera: camera, zone }) as LinkSite;
const plateOf = ({ camera }: Sender, number: number): string => `ZG${camera}X${number}`;

const READS: Record<keyof typeof STATEMENTS_MAX, (sender: Sender, number: number) => PlateReadRecord> = {
  denied: (sender, number) =>
    entryRead(siteOf(sender), {
      reading: { plate: plateOf(sender, number) },
      read: { ...deniedRead('whitelist'), lot_entry: null },
    }),
  begins(sender, number) {
    const session_uid = newUid();
    sender.begun[number] = session_uid;
    return entryRead(siteOf(sender), {
      reading: { plate: plateOf(sender, number) },
      read: { session: { effect: 'begin', session_uid, ended_session_uid: null }, opening: null },
    });
  },
  ends: (sender, number) =>
    exitRead(siteOf(sender), sender.begun[number] ?? null, {
      reading: { plate: plateOf(sender, number) },
      read: { opening: null },
    }),
  leavesWithoutSession: (sender, number) =>
    exitRead(siteOf(sender), null, { reading: { plate: `FREE${plateOf(sender, number)}` }, read: { opening: null } }),
};

/** Lets the gateways send at once. @returns how many statements each transaction had that wrote readings */
async function statementsOf(kind: keyof typeof READS, [gateways, size]: readonly [number, number]): Promise<number[]> {
  committed = [];
  // Those that come while the first one is under way share the next transaction.
  await Promise.all(
    senders.slice(0, gateways).map((sender) => {
      const records = Array.from({ length: size }, (_, number) =>
        recordOf((sender.seq += 1), READS[kind](sender, number)),
      );
      return world.ingest.apply(sender.uuid, wireBatch(sender.epoch, 0, records));
    }),
  );
  return committed.flatMap(({ written, statements }) =>
    written === 'any' || written.has('plate_readings') ? statements : [],
  );
}

it.each(Object.keys(STATEMENTS_MAX) as (keyof typeof STATEMENTS_MAX)[])(
  'a transaction of reads (%s) has as many statements for many gateways as for one',
  async (kind) => {
    // A lane that begins has one more.
    await statementsOf('denied', [64, 1]);
    for (const size of SIZES) {
      if (kind === 'ends') await statementsOf('begins', size);
      const statements = await statementsOf(kind, size);
      expect(statements, `${size.join(' x ')} records`).not.toEqual([]);
      expect(Math.max(...statements), `${size.join(' x ')} records`).toBeLessThanOrEqual(STATEMENTS_MAX[kind]);
    }
    expect(await world.store.reader.selectFrom('dead_letters').select('reason').execute()).toEqual([]);
  },
);
