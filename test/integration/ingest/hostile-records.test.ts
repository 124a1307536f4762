import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createFileImageStore } from '../../../cloud/traffic/image/file-image-store.js';
import { startPictureSweep } from '../../../cloud/traffic/ingest/picture-sweep.js';
import type { Uid } from '../../../shared/ids.js';
import type { Lane, OutboxEpoch } from '../../../shared/uplink.js';
import { batchText, HOSTILE_RECORDS } from '../../attack/hostile-records.js';
import { NORTH_GATEWAY } from '../gateway/link-site.js';
import { storeWorld } from '../gateway/store-world.js';
import {
  entryRead,
  imagePayload,
  JPEG,
  newOutboxEpoch,
  newUid,
  recordOf,
  sighting,
  wireBatch,
} from './gateway-records.js';
import { waitUntil } from '../../../scripts/sim/wait-until.js';

const world = storeWorld('for all tests');

const letters = (epoch: OutboxEpoch) =>
  world.store.reader.selectFrom('dead_letters').selectAll().where('epoch', '=', epoch).orderBy('seq').execute();

/** How much a dead letter keeps, in characters. */
const KEPT_MAX = 4 * 1024;

describe('a hostile record', () => {
  it.each(Object.entries(HOSTILE_RECORDS))(
    '%s is given up in few words, and its lane goes on',
    async (_name, hostile) => {
      const epoch = newOutboxEpoch();
      const lanes: Lane[] = [0, 1, 2];
      for (const lane of lanes) {
        const uid = newUid();
        const ack = await world.ingest.apply(NORTH_GATEWAY, batchText(epoch, lane, [hostile({ seq: 1, uid })]));
        expect(ack).toEqual({ epoch, lane, seq: 1, gap: false, diverged: false });
        const honest = recordOf(2, lane === 0 ? entryRead(world.site) : sighting(world.site));
        const next = await world.ingest.apply(NORTH_GATEWAY, wireBatch(epoch, lane, [honest]));
        expect(next).toMatchObject({ seq: 2, gap: false });
      }
      const kept = await letters(epoch);
      expect(kept.map(({ lane, seq }) => [lane, seq]).toSorted()).toEqual(lanes.map((lane) => [lane, 1]));
      for (const { payload, reason } of kept) {
        expect(payload.length).toBeLessThanOrEqual(KEPT_MAX);
        expect(reason.length).toBeLessThanOrEqual(KEPT_MAX);
      }
    },
  );

  it('does not travel with others of lane 0 beyond the size of a batch', async () => {
    const epoch = newOutboxEpoch();
    const records = [1, 2, 3].map((seq) => ({ ...recordOf(seq, sighting(world.site)), unknown: 'x'.repeat(60_000) }));
    expect(await world.ingest.apply(NORTH_GATEWAY, wireBatch(epoch, 0, records))).toBeNull();
    expect(await world.ingest.apply(NORTH_GATEWAY, wireBatch(epoch, 0, records.slice(0, 1)))).toMatchObject({ seq: 1 });
  });

  it('keeps only what was understood of it when it waits for another', async () => {
    const epoch = newOutboxEpoch();
    const waiting = recordOf(1, {
      kind: 'opening_result',
      reading_uid: newUid(),
      event_id: 'deadbeef',
      product_id: 1,
      outcome: 'failed',
      gateway_error_type: null,
      unknown: 'x'.repeat(50_000),
    });
    await world.ingest.apply(NORTH_GATEWAY, wireBatch(epoch, 0, [waiting]));
    const rows = await world.store.reader
      .selectFrom('early_records')
      .selectAll()
      .where('uid', '=', waiting.uid)
      .execute();
    expect(rows).toHaveLength(1);
    expect(rows[0]?.record.length).toBeLessThan(1_000);
  });
});

const pictures = async (): Promise<string[]> => {
  const names = await readdir(join(world.directory, 'images'), { recursive: true }).catch(() => []);
  // Not the bytes that they share.
  return names.filter((name) => /^..\/.*\./.test(name)).map((name) => name.slice(3));
};

describe('a picture', () => {
  const send = (epoch: OutboxEpoch, records: unknown[]) =>
    world.ingest.apply(NORTH_GATEWAY, wireBatch(epoch, 2, records));

  it('is not written when it does not follow', async () => {
    const before = await pictures();
    const epoch = newOutboxEpoch();
    for (let batch = 0; batch < 5; batch++) {
      const far = [0, 1, 2].map((index) => recordOf(1_000_000 + batch * 10 + index, imagePayload(newUid())));
      expect(await send(epoch, far)).toMatchObject({ seq: 0, gap: true });
    }
    expect(await pictures()).toEqual(before);
  });

  it('whose uid came before is not written again', async () => {
    const epoch = newOutboxEpoch();
    const read = recordOf(1, sighting(world.site));
    await world.ingest.apply(NORTH_GATEWAY, wireBatch(epoch, 1, [read]));
    const before = await pictures();
    // The uid is that of the sighting: known, and no picture's.
    await send(epoch, [recordOf(1, imagePayload(read.uid), { uid: read.uid })]);
    expect(await pictures()).toEqual(before);
  });

  it('leaves nothing behind when it is refused', async () => {
    const epoch = newOutboxEpoch();
    const bad = recordOf(1, entryRead(world.site, { reading: { lpr_camera_id: 999 } }));
    await world.ingest.apply(NORTH_GATEWAY, wireBatch(epoch, 0, [bad]));
    const before = await pictures();
    expect(await send(epoch, [recordOf(1, imagePayload(bad.uid))])).toMatchObject({ seq: 1 });
    expect(await pictures()).toEqual(before);
    expect((await letters(epoch)).at(-1)?.reason).toMatch(/which was given up: camera 999/);
  });

  it('is written a hundred times and not more when nobody announced it', async () => {
    const before = (await pictures()).length;
    const waiting = Number((await world.store.reader.selectFrom('early_records').select('uid').execute()).length);
    const epoch = newOutboxEpoch();
    const many = Array.from({ length: 100 }, (_, index) => recordOf(index + 1, imagePayload(newUid())));
    await send(epoch, many);
    await send(epoch, [recordOf(101, imagePayload(newUid())), recordOf(102, imagePayload(newUid()))]);
    expect((await pictures()).length - before).toBe(100 - waiting);
    expect((await letters(epoch)).at(-1)?.reason).toMatch(/comes before what announces it/);
  });
});

describe('the sweep of pictures', () => {
  const HOUR_S = 3_600;

  it('removes what nothing names and is older than an hour, and nothing else', async () => {
    const directory = join(world.directory, 'swept');
    const images = createFileImageStore({ directory });
    const { clock, store, logger, site } = world;
    const epoch = newOutboxEpoch();
    const [shown, orphan, fresh] = [newUid(), newUid(), newUid()];
    const read = recordOf(1, entryRead(site, { reading: { images: [{ uid: shown, role: 'full' }] } }));
    await world.ingest.apply(NORTH_GATEWAY, wireBatch(epoch, 0, [read]));
    await world.ingest.apply(NORTH_GATEWAY, wireBatch(epoch, 2, [recordOf(1, imagePayload(read.uid), { uid: shown })]));
    // Equal bytes would be one file, with one time.
    for (const uid of [shown, orphan, fresh]) await images.put(uid, { jpeg: Buffer.from(uid), thumbnail: null });
    const pathOf = (uid: Uid, tail = '.jpg') => join(directory, uid.slice(-2), `${uid}${tail}`);
    await writeFile(pathOf(orphan, '.jpg.half.tmp'), JPEG);
    await writeFile(pathOf(fresh, '.jpg.half.tmp'), JPEG);
    await mkdir(join(directory, 'zz'));
    const setAge = async (path: string, ageS: number) => {
      const at = clock.now() / 1_000 - ageS;
      await utimes(path, at, at);
    };
    for (const uid of [shown, orphan]) await setAge(pathOf(uid), 2 * HOUR_S);
    await setAge(pathOf(orphan, '.jpg.half.tmp'), 2 * HOUR_S);
    for (const tail of ['.jpg', '.jpg.half.tmp']) await setAge(pathOf(fresh, tail), HOUR_S / 2);

    const sweep = startPictureSweep({ store, images, clock, logger });
    await waitUntil('a sweep', () =>
      world.log.some(({ message }) => message === 'pictures that nothing names were removed'),
    );
    await sweep.close();
    const left = (await readdir(directory, { recursive: true })).filter((name) => /^..\/.*\./.test(name));
    expect(left.map((name) => name.slice(3)).toSorted()).toEqual(
      [`${shown}.jpg`, `${fresh}.jpg`, `${fresh}.jpg.half.tmp`].toSorted(),
    );
  });

  it('keeps what is written anew while it looks', async () => {
    const images = createFileImageStore({ directory: join(world.directory, 'anew') });
    const uid = newUid();
    await images.put(uid, { jpeg: JPEG, thumbnail: null });
    await images.remove(uid, { writtenBefore: Date.now() - 60_000 });
    expect(await images.read(uid)).not.toBeNull();
    await images.remove(uid, { writtenBefore: Date.now() + 60_000 });
    expect(await images.read(uid)).toBeNull();
  });
});
