import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyBatches, type BatchResult } from '../../../cloud/traffic/ingest/apply-batches.js';
import type { BatchWork } from '../../../cloud/traffic/ingest/load/find-due.js';
import { parseWireBatch } from '../../../cloud/traffic/ingest/read/wire-batch-parser.js';
import type { CloudStore } from '../../../cloud/kernel/store/cloud-store.js';
import { createGroupedWork } from '../../../cloud/kernel/store/grouped-changes.js';
import type { GatewayUuid } from '../../../shared/ids.js';
import type { Lane, OutboxEpoch, UplinkRecord } from '../../../shared/uplink.js';
import { HOSTILE_CLAIMS, type KnownToAttacker } from '../../attack/hostile-claims.js';
import { NORTH_GATEWAY, RIVAL_GATEWAY, SECOND_GATEWAY } from '../gateway/link-site.js';
import { createStoreWorld, type StoreWorld } from '../gateway/link-world.js';
import { entryRead, newOutboxEpoch, newUid, recordOf, sighting, wireBatch } from './gateway-records.js';
import { DAY_MS } from '../../../shared/durations.js';
import { ingestDeps } from './ingest-deps.js';

let world: StoreWorld;
let known: Omit<KnownToAttacker, 'record'>;
let commits = 0;
let failures = 0;

beforeAll(async () => {
  world = await createStoreWorld({ onCommitted: () => void (commits += 1) });
  const { site } = world;
  const [reading, oldReading, image, session, sessionOfOtherLot] = [newUid(), newUid(), newUid(), newUid(), newUid()];
  const begin = (session_uid: typeof session) =>
    ({ session: { effect: 'begin', session_uid, ended_session_uid: null } }) as const;
  const send = (uuid: GatewayUuid, record: UplinkRecord) =>
    world.ingest.apply(uuid, wireBatch(newOutboxEpoch(), 0, [record]));
  const old = entryRead(site, { reading: { plate: 'OLD1' }, read: begin(newUid()) });
  await send(NORTH_GATEWAY, recordOf(1, old, { uid: oldReading }));
  world.clock.jumpWall(31 * DAY_MS);
  await world.ingest.prune();
  world.clock.jumpWall(-31 * DAY_MS);
  const images = [{ uid: image, role: 'full' as const }];
  const seen = entryRead(site, { reading: { plate: 'KNOWN1', images }, read: begin(session) });
  await send(NORTH_GATEWAY, recordOf(1, seen, { uid: reading }));
  const { rivalCamera, rivalZone, rivalProduct: productOfOtherAccount } = site;
  const ofRival = entryRead(site, {
    reading: { lpr_camera_id: rivalCamera, zone_id: rivalZone },
    read: { ...begin(sessionOfOtherLot), opening: null },
  });
  await send(RIVAL_GATEWAY, recordOf(1, ofRival));
  const read = entryRead(site, { reading: { plate: 'HOSTILE1' } });
  const seenBefore = sighting(site);
  if (seenBefore.kind !== 'sighting') throw new Error('no sighting');
  const sessions = { session, sessionOfOtherLot };
  known = { read, sighting: seenBefore, newUid, reading, image, ...sessions, productOfOtherAccount, oldReading };
});
afterAll(() => world.close());

/** Commits batches as the ingest does, in the groups in which they come. */
function createChanges() {
  const deps = ingestDeps(world);
  const store: Pick<CloudStore, 'change'> = {
    change: (work) =>
      world.store.change(work).catch((error: unknown) => {
        failures += 1;
        throw error;
      }),
  };
  const apply = createGroupedWork<BatchWork | null, BatchResult | null>(store, {
    async run(tx, works) {
      const batches = works.flatMap((work) => work ?? []);
      return batches.length === 0 ? [null] : applyBatches(deps, tx, batches);
    },
  });
  return {
    /** Those that come while it runs share the next transaction. */
    begin: () => apply(null),
    apply(uuid: GatewayUuid, of: { epoch: OutboxEpoch; lane: Lane; records: UplinkRecord[] }) {
      const batch = parseWireBatch(wireBatch(of.epoch, of.lane, of.records));
      if ('problem' in batch) throw new Error(batch.problem);
      const { gateway: north, secondGateway: second, lot } = world.site;
      const gateway = { id: uuid === NORTH_GATEWAY ? north : second, lot_id: lot };
      return apply({ uuid, gateway, isFormer: false, batch, logger: world.logger });
    },
  };
}

describe('a gateway that claims', () => {
  it.each(Object.entries(HOSTILE_CLAIMS))('%s fails nobody who commits beside it', async (_name, claimOf) => {
    let seq = 0;
    const claim = claimOf({ ...known, record: (payload, more) => recordOf((seq += 1), payload, more) });
    const [epoch, honestEpoch] = [newOutboxEpoch(), newOutboxEpoch()];
    const honest = recordOf(1, entryRead(world.site, { reading: { plate: 'HONEST1' } }));
    const changes = createChanges();
    [commits, failures] = [0, 0];
    const [, attacked, served] = await Promise.all([
      changes.begin(),
      changes.apply(SECOND_GATEWAY, { epoch, ...claim }),
      changes.apply(NORTH_GATEWAY, { epoch: honestEpoch, lane: 0, records: [honest] }),
    ]);
    expect({ commits, failures }).toEqual({ commits: 2, failures: 0 });
    expect(attacked).toEqual({ cursor: claim.records.length, gap: false, diverged: false });
    expect(served).toEqual({ cursor: 1, gap: false, diverged: false });
    const { reader } = world.store;
    const letters = await reader.selectFrom('dead_letters').select('reason').where('epoch', '=', epoch).execute();
    expect(letters).toHaveLength(claim.impossible);
    const readings = await reader.selectFrom('plate_readings').select('id').where('uid', '=', honest.uid).execute();
    expect(readings).toHaveLength(1);
  });

  it('text with control characters is kept without them', async () => {
    const rows = await world.store.reader
      .selectFrom('plate_readings')
      .select(['plate', 'raw_plate', 'make', 'vendor_event_id'])
      .where('plate_normalised', '=', 'NUL')
      .execute();
    expect(rows).toEqual([{ plate: 'NUL', raw_plate: '', make: 'ab', vendor_event_id: '' }]);
  });
});
