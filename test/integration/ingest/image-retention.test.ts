import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, describe, it } from 'vitest';
import type { Uid } from '../../../shared/ids.js';
import { createIngest } from '../../../cloud/traffic/ingest/ingest.js';
import { NORTH_GATEWAY } from '../gateway/link-site.js';
import { storeWorld } from '../gateway/store-world.js';
import {
  entryRead,
  imagePayload,
  JPEG,
  newOutboxEpoch,
  newUid,
  NOON_MS,
  recordOf,
  wireBatch,
} from './gateway-records.js';
import { DAY_MS } from '../../../shared/durations.js';
import { ingestDeps } from './ingest-deps.js';

describe('how long pictures are kept', () => {
  const world = storeWorld('for all tests');
  beforeAll(async () => {
    // Its gateways may send what was long ago, and were claimed before that.
    await world.store.change(async (tx) => {
      await tx.updateTable('lots').set({ autonomy_days: 366 }).execute();
      await tx
        .updateTable('gateways')
        .set({ claimed_at: NOON_MS - 366 * DAY_MS, device_since: NOON_MS - 366 * DAY_MS })
        .execute();
    });
  });

  /** A reading of so many days ago with its picture. */
  async function readWith(days: number, options: { arrives?: boolean; thumbnail?: string } = {}) {
    const { arrives = true, thumbnail } = options;
    const image = newUid();
    const event_ms = NOON_MS - days * DAY_MS;
    const plate = `ZG${Math.trunc(Math.random() * 1e9)}`;
    const reading = { event_ms, plate, images: [{ uid: image, role: 'full' as const }] };
    const read = recordOf(1, entryRead(world.site, { reading }));
    await world.ingest.apply(NORTH_GATEWAY, wireBatch(newOutboxEpoch(), 0, [read]));
    const send = () =>
      world.ingest.apply(
        NORTH_GATEWAY,
        wireBatch(newOutboxEpoch(), 2, [
          recordOf(1, imagePayload(read.uid, thumbnail === undefined ? {} : { thumbnail }), { uid: image }),
        ]),
      );
    if (arrives) await send();
    return { uid: read.uid, image, send };
  }
  const keepFor = (days: number | null) =>
    world.store.change(async (tx) => {
      await tx.updateTable('accounts').set({ image_retention_days: days }).where('name', '=', 'Harbour').execute();
    });
  const rowOf = (uid: Uid) =>
    world.store.reader.selectFrom('images').select('arrived_at').where('uid', '=', uid).executeTakeFirst();
  const readingOf = (uid: Uid) =>
    world.store.reader.selectFrom('plate_readings').select('plate').where('uid', '=', uid).executeTakeFirst();

  it('is as long as their readings, until their account says otherwise', async () => {
    const [old, fresh] = [await readWith(31), await readWith(29)];
    await world.ingest.prune();
    expect([await world.images.read(old.image), await world.images.read(fresh.image)]).toEqual([
      Buffer.from(JPEG),
      Buffer.from(JPEG),
    ]);
    await keepFor(30);
    await world.ingest.prune();
    expect([await world.images.read(old.image), await rowOf(old.image)]).toEqual([null, undefined]);
    // The bytes are the same, and somebody else's picture has them still.
    expect([await world.images.read(fresh.image), await rowOf(fresh.image)]).toMatchObject([Buffer.from(JPEG), {}]);
    expect(await readingOf(old.uid)).toBeDefined();
    await keepFor(null);
  });

  it('does not take the row of a picture that may still come', async () => {
    const late = await readWith(40, { arrives: false });
    const lost = await readWith(70, { arrives: false });
    await keepFor(30);
    await world.ingest.prune();
    expect([await rowOf(late.image), await rowOf(lost.image)]).toEqual([{ arrived_at: null }, undefined]);
    await late.send();
    expect(await world.images.read(late.image)).not.toBeNull();
    await world.ingest.prune();
    expect([await world.images.read(late.image), await rowOf(late.image)]).toEqual([null, undefined]);
    await keepFor(null);
  });

  it('goes on where it was interrupted, and two processes may do it at once', async () => {
    const old = await Promise.all(Array.from({ length: 20 }, (_, at) => readWith(50 + at)));
    await keepFor(30);
    const failing = { ...world.images, remove: () => Promise.reject(new Error('a folder that is gone')) };
    const broken = createIngest(ingestDeps(world, { images: failing }));
    await expect(broken.prune()).rejects.toThrow('a folder that is gone');
    await Promise.all([world.ingest.prune(), world.ingest.prune()]);
    for (const { image } of old)
      expect([await world.images.read(image), await rowOf(image)]).toEqual([null, undefined]);
    await keepFor(null);
  });

  it('keeps the same picture of many readings once', async () => {
    await keepFor(1);
    await world.ingest.prune();
    await keepFor(null);
    const thumbnail = Buffer.from(Uint8Array.from([0xff, 0xd8, 0xff, 0xe0, 9])).toString('base64');
    const reads = await Promise.all(Array.from({ length: 10 }, () => readWith(0, { thumbnail })));
    const files = await readdir(join(world.directory, 'images'), { recursive: true, withFileTypes: true });
    const inodes = new Set<number>();
    for (const entry of files) if (entry.isFile()) inodes.add((await stat(join(entry.parentPath, entry.name))).ino);
    expect(inodes.size).toBe(2);
    for (const { image } of reads) expect(await world.images.readThumbnail(image)).toHaveLength(5);
  });

  it('takes no thumbnail that is none, and the picture all the same', async () => {
    for (const thumbnail of ['', 'no base64!', Buffer.from('no picture').toString('base64'), 'A'.repeat(50_000)]) {
      const { image } = await readWith(0, { thumbnail });
      expect([await world.images.read(image), await world.images.readThumbnail(image)]).toEqual([
        Buffer.from(JPEG),
        null,
      ]);
    }
  });
});
