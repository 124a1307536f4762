import {
  array,
  assert,
  asyncProperty,
  boolean,
  constant,
  constantFrom,
  integer,
  oneof,
  record as fields,
  type Arbitrary,
} from '../../property.js';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { EventId, Uid } from '../../../shared/ids.js';
import type { Ack, Lane, OutboxEpoch, UplinkRecord } from '../../../shared/uplink.js';
import {
  entryRead,
  exitRead,
  imagePayload,
  newOutboxEpoch,
  newUid,
  openingResult,
  recordOf,
  sighting,
  wireBatch,
} from './gateway-records.js';
import { NORTH_GATEWAY, RIVAL_GATEWAY, SECOND_GATEWAY, SPARE_GATEWAY } from '../gateway/link-site.js';
import { storeWorld } from '../gateway/store-world.js';
import { StoreError } from '../../../cloud/kernel/store/cloud-store.js';
import { createIngest } from '../../../cloud/traffic/ingest/ingest.js';
import { runs } from '../../depth.js';
import { ingestDeps } from './ingest-deps.js';

const world = storeWorld('for all tests');

async function apply(epoch: OutboxEpoch, lane: Lane, records: unknown[], gateway = NORTH_GATEWAY): Promise<Ack> {
  const ack = await world.ingest.apply(gateway, wireBatch(epoch, lane, records));
  if (ack === null) throw new Error('the batch was not read');
  return ack;
}

const appliedUids = async (): Promise<string[]> =>
  (await world.store.reader.selectFrom('plate_readings').select('uid').execute()).map(({ uid }) => uid ?? '');

const deadLetters = (epoch: OutboxEpoch) =>
  world.store.reader
    .selectFrom('dead_letters')
    .select(['seq', 'uid', 'reason', 'lane'])
    .where('epoch', '=', epoch)
    .orderBy('id')
    .execute();

describe('the cursor', () => {
  it('starts at 0 for an outbox epoch never seen, takes what follows, refuses a gap, acknowledges a repeat', async () => {
    const epoch = newOutboxEpoch();
    const reads = [1, 2, 3, 4].map((seq) => recordOf(seq, entryRead(world.site)));
    expect(await apply(epoch, 0, reads.slice(1, 2))).toEqual({ epoch, lane: 0, seq: 0, gap: true, diverged: false });
    expect(await apply(epoch, 0, reads.slice(0, 2))).toEqual({ epoch, lane: 0, seq: 2, gap: false, diverged: false });
    expect(await apply(epoch, 0, reads.slice(0, 2))).toEqual({ epoch, lane: 0, seq: 2, gap: false, diverged: false });
    expect(await apply(epoch, 0, reads.slice(3))).toEqual({ epoch, lane: 0, seq: 2, gap: true, diverged: false });
    expect(await apply(epoch, 0, reads)).toEqual({ epoch, lane: 0, seq: 4, gap: false, diverged: false });
    // Of what a repeat does not hold nothing is said: a restored card may have given those numbers again.
    expect(await apply(epoch, 0, reads.slice(0, 2))).toEqual({ epoch, lane: 0, seq: 2, gap: false, diverged: false });
    const applied = await appliedUids();
    for (const { uid } of reads) expect(applied.filter((each) => each === uid)).toHaveLength(1);
  });

  it('is of one lane of one gateway', async () => {
    const epoch = newOutboxEpoch();
    await apply(epoch, 0, [recordOf(1, entryRead(world.site))]);
    expect(await apply(epoch, 1, [recordOf(2, sighting(world.site))])).toMatchObject({ seq: 0, gap: true });
    const { site } = world;
    const rival = { lpr_camera_id: site.rivalCamera, zone_id: site.rivalZone };
    const read = recordOf(1, entryRead(site, { reading: rival, read: { opening: null } }));
    expect(await apply(epoch, 0, [read], RIVAL_GATEWAY)).toMatchObject({ seq: 1, gap: false });
    expect(await appliedUids()).toContain(read.uid);
  });

  it('takes a uid once, also when a restored gateway numbers its records anew', async () => {
    const [before, after] = [newOutboxEpoch(), newOutboxEpoch()];
    const reads = [1, 2, 3].map((seq) => recordOf(seq, entryRead(world.site)));
    await apply(before, 0, reads);
    const fresh = recordOf(3, entryRead(world.site));
    const renumbered = [...reads.slice(1).map((record, index) => ({ ...record, seq: index + 1 })), fresh];
    expect(await apply(after, 0, renumbered)).toMatchObject({ seq: 3, gap: false });
    const applied = await appliedUids();
    for (const { uid } of [...reads, fresh]) expect(applied.filter((each) => each === uid)).toHaveLength(1);
  });

  it('passes over nothing, not even what the gateway told as lost: it numbers anew then', async () => {
    const epoch = newOutboxEpoch();
    await apply(epoch, 0, [recordOf(1, { kind: 'lost', lane: 1, from: 1, to: 2 })]);
    expect(await apply(epoch, 1, [recordOf(3, sighting(world.site))])).toMatchObject({ seq: 0, gap: true });
    const lost = await world.store.reader.selectFrom('lost_records').selectAll().where('epoch', '=', epoch).execute();
    expect(lost).toMatchObject([{ gateway_id: world.site.gateway, lane: 1, from_seq: 1, to_seq: 2 }]);
  });
});

describe('a record that can never be applied', () => {
  const poisons: [string, (record: UplinkRecord) => unknown, RegExp][] = [
    [
      'of a kind this cloud does not know',
      (record) => ({ ...record, payload: { kind: 'hologram' } }),
      /not understood/,
    ],
    [
      'with a payload of the wrong shape',
      (record) => ({ ...record, payload: { kind: 'plate_read' } }),
      /not understood/,
    ],
    ['that is no record', (record) => ({ seq: record.seq }), /record not understood/],
    ['that is not even an object', () => 'garbage', /record not understood/],
    [
      'of an unknown camera',
      (record) => ({ ...record, payload: entryRead(world.site, { reading: { lpr_camera_id: 999 } }) }),
      /camera 999/,
    ],
    [
      "of another account's camera",
      (record) => ({
        ...record,
        payload: entryRead(world.site, { reading: { lpr_camera_id: world.site.rivalCamera } }),
      }),
      /camera \d+ is not/,
    ],
    [
      "of another account's zone",
      (record) => ({ ...record, payload: entryRead(world.site, { reading: { zone_id: world.site.rivalZone } }) }),
      /zone \d+ is not/,
    ],
    [
      "that opens another account's product",
      (record) => ({
        ...record,
        payload: entryRead(world.site, {
          read: { opening: { event_id: 'deadbeef' as EventId, product_id: world.site.rivalProduct } },
        }),
      }),
      /product \d+ is not/,
    ],
    [
      'of a picture that is none',
      (record) => ({ ...record, payload: { ...imagePayload(newUid()), data: 'AAAA' } }),
      /no JPEG/,
    ],
    [
      'of a picture in no base64',
      (record) => ({ ...record, payload: { ...imagePayload(newUid()), data: '####' } }),
      /no base64/,
    ],
  ];
  it.each(poisons)('%s: is kept with its reason, and stops nothing', async (_what, poison, reason) => {
    const epoch = newOutboxEpoch();
    const [before, bad, after] = [1, 2, 3].map((seq) => recordOf(seq, entryRead(world.site)));
    if (bad === undefined) throw new Error('three records');
    const isPicture = JSON.stringify(poison(bad)).includes('"image"');
    expect(await apply(epoch, isPicture ? 2 : 0, [before, poison(bad), after])).toMatchObject({ seq: 3, gap: false });
    const letters = await deadLetters(epoch);
    expect(letters).toHaveLength(1);
    expect(letters[0]?.seq).toBe(2);
    expect(letters[0]?.reason).toMatch(reason);
    const applied = await appliedUids();
    expect(applied).toContain(before?.uid);
    expect(applied).toContain(after?.uid);
    expect(applied).not.toContain(bad.uid);
  });

  it('leaves nothing half applied: a session of another lot takes its reading along', async () => {
    const epoch = newOutboxEpoch();
    const { site } = world;
    const rival = { lpr_camera_id: site.rivalCamera, zone_id: site.rivalZone, plate: 'RIVAL1' };
    const theirs = entryRead(site, { reading: rival, read: { opening: null } });
    await apply(newOutboxEpoch(), 0, [recordOf(1, theirs)], RIVAL_GATEWAY);
    const session = { effect: 'end', session_uid: theirs.session?.session_uid as Uid, look_alike: false } as const;
    const bad = recordOf(1, exitRead(site, null, { read: { session } }));
    await apply(epoch, 0, [bad]);
    expect((await deadLetters(epoch))[0]?.reason).toMatch(/session .* is not of the gateway's lot/);
    expect(await appliedUids()).not.toContain(bad.uid);
  });

  it('is given up after it failed three times for no reason of its own, and what came with it is kept', async () => {
    const epoch = newOutboxEpoch();
    // Two sessions get one public id: the second record fails, and it is not at fault.
    const ingest = createIngest(ingestDeps(world, { generatePublicId: () => 'TWICE00000' }));
    const readOf = (plate: string) => entryRead(world.site, { reading: { plate } });
    const records = [readOf('FIRST1'), readOf('SECOND1'), { ...readOf('THIRD1'), session: null }];
    const twice = records.map((read, index) => recordOf(index + 1, read));
    expect(await ingest.apply(NORTH_GATEWAY, wireBatch(epoch, 0, twice))).toMatchObject({ seq: 3, gap: false });
    const letters = await deadLetters(epoch);
    expect(letters.map(({ seq }) => seq)).toEqual([2]);
    expect(letters[0]?.reason).toMatch(/unique/i);
    expect(await appliedUids()).not.toContain(twice[1]?.uid);
    expect(await appliedUids()).toContain(twice[2]?.uid);
  });

  it('is everything of a gateway in no lot', async () => {
    const epoch = newOutboxEpoch();
    expect(await apply(epoch, 0, [recordOf(1, entryRead(world.site))], SPARE_GATEWAY)).toMatchObject({ seq: 1 });
    expect((await deadLetters(epoch))[0]?.reason).toBe('the gateway is in no lot');
  });

  it('drags along what belongs to it', async () => {
    const epoch = newOutboxEpoch();
    const bad = recordOf(1, entryRead(world.site, { reading: { lpr_camera_id: 999 } }));
    await apply(epoch, 0, [bad, recordOf(2, openingResult(bad.uid, world.site))]);
    expect((await deadLetters(epoch)).map(({ reason }) => reason)[1]).toMatch(/which was given up: camera 999/);
    expect(await world.store.reader.selectFrom('early_records').selectAll().execute()).toEqual([]);
  });
});

function raise(error: Error): never {
  throw error;
}

describe('a database that is out of order', () => {
  const CODES = ['locked', 'full', 'io', 'read_only', 'no_connection', 'conflict', 'closed', 'query'] as const;

  it('is no poison: nothing is acknowledged, nothing given up, and the repeat is taken', async () => {
    const epoch = newOutboxEpoch();
    const read = recordOf(1, entryRead(world.site));
    const broken = (code: (typeof CODES)[number]) => {
      const fail = () => Promise.reject(new StoreError(code, 'the disk is gone'));
      const store = { ...world.store, change: fail as typeof world.store.change };
      return createIngest(ingestDeps(world, { store }));
    };
    for (const code of CODES) {
      await expect(broken(code).apply(NORTH_GATEWAY, wireBatch(epoch, 0, [read]))).rejects.toThrow('the disk is gone');
    }
    expect(await deadLetters(epoch)).toEqual([]);
    expect(await apply(epoch, 0, [read])).toMatchObject({ seq: 1, gap: false });
  });

  it('also when its tables are not those that the program knows, as beside a newer version', async () => {
    const epoch = newOutboxEpoch();
    const read = recordOf(1, entryRead(world.site));
    const rename = (from: string, to: string) =>
      world.store.change((tx) =>
        sql`alter table plate_readings rename column ${sql.ref(from)} to ${sql.ref(to)}`.execute(tx),
      );
    await rename('raw_plate', 'plate_as_read');
    try {
      for (let repeat = 0; repeat < 5; repeat++) {
        await expect(apply(epoch, 0, [read])).rejects.toMatchObject({ code: 'query' });
      }
    } finally {
      await rename('plate_as_read', 'raw_plate');
    }
    expect(await deadLetters(epoch)).toEqual([]);
    expect(await apply(epoch, 0, [read])).toMatchObject({ seq: 1, gap: false });
  });

  it('also when it breaks in the middle of a record', async () => {
    const epoch = newOutboxEpoch();
    const reads = [1, 2].map((seq) => recordOf(seq, entryRead(world.site, { reading: { plate: `FULL${seq}` } })));
    const full = new StoreError('full', 'database or disk is full');
    const ingest = createIngest(ingestDeps(world, { generatePublicId: () => raise(full) }));
    await expect(ingest.apply(NORTH_GATEWAY, wireBatch(epoch, 0, reads))).rejects.toThrow('disk is full');
    expect(await deadLetters(epoch)).toEqual([]);
    expect(await apply(epoch, 0, reads)).toMatchObject({ seq: 2 });
  });

  it('fails like an image store that cannot write', async () => {
    const epoch = newOutboxEpoch();
    const images = { ...world.images, put: () => Promise.reject(new Error('no space left')) };
    const ingest = createIngest(ingestDeps(world, { images }));
    const record = recordOf(1, imagePayload(newUid()));
    await expect(ingest.apply(NORTH_GATEWAY, wireBatch(epoch, 2, [record]))).rejects.toThrow('no space left');
    expect(await apply(epoch, 2, [record])).toMatchObject({ seq: 1 });
  });
});

describe('what waits for a uid', () => {
  it('is given up after a week', async () => {
    const epoch = newOutboxEpoch();
    const waiting = recordOf(1, openingResult(newUid(), world.site));
    await apply(epoch, 0, [waiting]);
    await world.ingest.prune();
    expect(await deadLetters(epoch)).toEqual([]);
    world.clock.jumpWall(8 * 86_400_000);
    await world.ingest.prune();
    world.clock.jumpWall(-8 * 86_400_000);
    expect(await deadLetters(epoch)).toMatchObject([{ seq: 1, lane: 0, uid: waiting.uid }]);
  });

  it('takes its picture along when it is given up', async () => {
    const epoch = newOutboxEpoch();
    const picture = recordOf(1, imagePayload(newUid()));
    await apply(epoch, 2, [picture]);
    expect(await world.images.read(picture.uid)).not.toBeNull();
    world.clock.jumpWall(8 * 86_400_000);
    await world.ingest.prune();
    world.clock.jumpWall(-8 * 86_400_000);
    expect(await world.images.read(picture.uid)).toBeNull();
  });

  it('is bounded', async () => {
    const epoch = newOutboxEpoch();
    let seq = 0;
    for (let batch = 0; batch < 11; batch++) {
      const records = Array.from({ length: 100 }, () => recordOf((seq += 1), openingResult(newUid(), world.site)));
      expect(await apply(epoch, 0, records, SECOND_GATEWAY)).toMatchObject({ seq, gap: false });
    }
    const letters = await deadLetters(epoch);
    expect(letters).toHaveLength(100);
    expect(letters[0]?.reason).toMatch(/as 1000 others do/);
  });
});

/** Mistreatment of the records of one lane by a link. */
type Step =
  | { step: 'send'; skip: number; count: number; ackLost: boolean }
  | { step: 'repeat'; back: number; count: number }
  | { step: 'new outbox epoch' };

const stepArbitrary: Arbitrary<Step> = oneof(
  {
    weight: 6,
    arbitrary: fields({
      step: constant('send' as const),
      skip: constantFrom(0, 0, 0, 1, 3),
      count: integer({ min: 1, max: 6 }),
      ackLost: boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fields({
      step: constant('repeat' as const),
      back: integer({ min: 1, max: 8 }),
      count: integer({ min: 1, max: 8 }),
    }),
  },
  { weight: 1, arbitrary: constant({ step: 'new outbox epoch' as const }) },
);

const recordKinds = ['read', 'read', 'read', 'poison', 'opening of the previous', 'opening ahead of the next'] as const;

describe('delivery over a bad link', () => {
  it('applies every record exactly once, whatever is repeated, lost, swapped or numbered anew', async () => {
    const kinds = array(constantFrom(...recordKinds), { minLength: 1, maxLength: 25 });
    await assert(
      asyncProperty(kinds, array(stepArbitrary, { maxLength: 25 }), async (wanted, steps) => {
        const outbox = buildOutbox(wanted);
        let epoch = newOutboxEpoch();
        /** The gateway's row i has seq i - base + 1; rows below `acked` are deleted. */
        let base = 0;
        let acked = 0;
        const numbered = (from: number, to: number) =>
          outbox.slice(from, to).map((record, index) => ({ ...record, seq: from - base + index + 1 }));
        const deliver = async (records: UplinkRecord[], of: OutboxEpoch): Promise<Ack | null> =>
          records.length === 0 ? null : apply(of, 0, records);

        for (const step of steps) {
          if (step.step === 'new outbox epoch') {
            epoch = newOutboxEpoch();
            base = acked;
          } else if (step.step === 'repeat') {
            const start = Math.max(base, acked - step.back);
            await deliver(numbered(start, Math.min(start + step.count, outbox.length)), epoch);
          } else {
            const start = acked + step.skip;
            const ack = await deliver(numbered(start, start + step.count), epoch);
            if (ack !== null && !step.ackLost) acked = base + ack.seq;
          }
        }
        while (acked < outbox.length) {
          const ack = await deliver(numbered(acked, acked + 100), epoch);
          expect(ack?.gap).toBe(false);
          acked = base + (ack?.seq ?? 0);
        }
        await expectAppliedOnce(outbox);
        const { seq } = await apply(epoch, 0, [recordOf(outbox.length - base + 1, sighting(world.site))]);
        expect(seq).toBe(outbox.length - base + 1);
      }),
      { numRuns: runs(60) },
    );
  });
});

function buildOutbox(kinds: readonly (typeof recordKinds)[number][]): UplinkRecord[] {
  const { site } = world;
  const outbox: UplinkRecord[] = [];
  let early: Uid | undefined;
  let lastRead: Uid | undefined;
  for (const kind of kinds) {
    const uid: Uid = kind === 'read' && early !== undefined ? early : newUid();
    if (kind === 'read') {
      outbox.push(recordOf(1, entryRead(site, { reading: { plate: `P${outbox.length}` } }), { uid }));
      lastRead = uid;
      early = undefined;
    } else if (kind === 'poison') {
      outbox.push(recordOf(1, entryRead(site, { reading: { lpr_camera_id: 999 } })));
    } else if (kind === 'opening ahead of the next') {
      early ??= newUid();
      outbox.push(recordOf(1, openingResult(early, site)));
    } else if (lastRead !== undefined) {
      outbox.push(recordOf(1, openingResult(lastRead, site)));
    }
  }
  if (early !== undefined) outbox.push(recordOf(1, entryRead(site), { uid: early }));
  if (outbox.length === 0) outbox.push(recordOf(1, entryRead(site)));
  return outbox;
}

async function expectAppliedOnce(outbox: UplinkRecord[]): Promise<void> {
  const { reader } = world.store;
  const uids = outbox.map(({ uid }) => uid);
  const readings = await reader
    .selectFrom('plate_readings')
    .select(['uid', 'opening_outcome', 'session_id'])
    .where('uid', 'in', uids)
    .execute();
  const events = await reader
    .selectFrom('events')
    .select('payload')
    .where('event', '=', 'plate_reading_create')
    .execute();
  const created = events.map(({ payload }) => (JSON.parse(payload) as { id: number }).id);
  expect(new Set(created).size).toBe(created.length);
  const opened = new Set<string>();
  const expected: string[] = [];
  for (const { uid, payload } of outbox) {
    const { kind, reading_uid, reading } = payload as {
      kind: string;
      reading_uid: string;
      reading: { lpr_camera_id: number };
    };
    if (kind === 'opening_result') opened.add(reading_uid);
    else if (reading.lpr_camera_id !== 999) expected.push(uid);
  }
  expect(readings.map(({ uid }) => uid).sort()).toEqual(expected.sort());
  for (const { uid, opening_outcome, session_id } of readings) {
    expect(opening_outcome).toBe(opened.has(uid ?? '') ? 'succeeded' : null);
    expect(session_id).not.toBeNull();
  }
  expect(await reader.selectFrom('early_records').selectAll().where('uid', 'in', uids).execute()).toEqual([]);
  const given = await reader.selectFrom('dead_letters').select('uid').where('uid', 'in', uids).execute();
  const poisons = outbox.filter(({ payload }) => JSON.stringify(payload).includes('"lpr_camera_id":999'));
  expect(new Set(given.map(({ uid }) => uid))).toEqual(new Set(poisons.map(({ uid }) => uid)));
}
