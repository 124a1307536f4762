/** Removes what is kept only for a while: what delivery needs, sightings, and pictures. */
import { DAY_MS } from '../../../shared/durations.js';
import { uidSchema } from '../../../shared/ids.js';
import { pruneCameraDays } from '../../equipment/entry.js';
import { deleteImages, imageRetentions, imagesOfOwners, oldImages } from '../image/image-queries.js';
import type { ImageStore } from '../image/image-store.js';
import { pruneEarlyLetIns } from '../reading/handled-queries.js';
import { deleteSightings, oldSightings } from '../reading/sighting-queries.js';
import type { CloudStore, NewRow, Row } from '../../kernel/store/entry.js';
import { deleteEarlyRecords, insertDeadLetters, earlyRecordsBefore, pruneIngest } from './ingest-queries.js';
import { parseEarlyRecord } from './read/kept-record-codec.js';

/** REST contract, "Access decisions": a sighting is kept 24 h with its picture. */
const SIGHTING_KEPT_MS = DAY_MS;
/** This is longer than a gateway may act alone and still repeat a record of its first day. */
const UIDS_KEPT_MS = 30 * DAY_MS;
const EARLY_KEPT_MS = 7 * DAY_MS;
const FAULTS_KEPT_MS = 90 * DAY_MS;
/** How many dead letters, and how many notes of lost records, are kept of all gateways: some hundred megabytes. */
const FAULTS_KEPT = 100_000;
const EARLY_PER_RUN_MAX = 1_000;
const SIGHTINGS_PER_STEP = 200;
/**
 * How much longer the row of a picture that has not arrived is kept: its gateway may be cut off, and a picture without its row would wait
 * for a read that came long ago.
 */
const ON_ITS_WAY_MS = 30 * DAY_MS;
const IMAGES_PER_STEP = 200;

interface PruneDeps {
  store: CloudStore;
  images: Pick<ImageStore, 'remove'>;
}

export async function pruneDelivery(
  { store, images }: PruneDeps,
  now: number,
  faultsKept = FAULTS_KEPT,
): Promise<void> {
  const waitedInVain = await store.change(async (tx) => {
    const rows = await earlyRecordsBefore(tx, now - EARLY_KEPT_MS, EARLY_PER_RUN_MAX);
    await insertDeadLetters(
      tx,
      rows.map((row) => letterOf(row, now)),
    );
    await deleteEarlyRecords(tx, rows);
    await pruneCameraDays(tx, now);
    await pruneEarlyLetIns(tx, now - EARLY_KEPT_MS);
    await pruneIngest(tx, { uids: now - UIDS_KEPT_MS, faults: now - FAULTS_KEPT_MS }, faultsKept);
    return rows;
  });
  // An image that waited in vain belongs to a read that was given up.
  for (const { uid } of waitedInVain) await images.remove(uidSchema.parse(uid));
}

function letterOf(row: Row<'early_records'>, now: number): NewRow<'dead_letters'> {
  const { epoch, lane, record } = parseEarlyRecord(row.record);
  const reason = `waited in vain for ${row.waits_for_uid}`;
  const { gateway_id, uid, record: payload } = row;
  return { gateway_id, epoch, lane, seq: record.seq, uid, reason, payload, created_at: now };
}

/** Removes the images before the rows that name them, so that an interrupted run is found and continued. */
export async function pruneSightings({ store, images }: PruneDeps, now: number): Promise<void> {
  const before = now - SIGHTING_KEPT_MS;
  for (;;) {
    const uids = await oldSightings(store.reader, { before, limit: SIGHTINGS_PER_STEP });
    if (uids.length === 0) return;
    for (const { full, cropped } of (await imagesOfOwners(store.reader, uids)).values()) {
      for (const uid of [full, cropped]) if (uid !== null) await images.remove(uidSchema.parse(uid));
    }
    await store.change((tx) => deleteSightings(tx, uids));
  }
}

/**
 * Removes pictures that are older than their account keeps them, the bytes before the rows that name them, so that an interrupted run is
 * found and continued. Their readings stay, and say from then on that there is no picture.
 */
export async function pruneImages({ store, images }: PruneDeps, now: number): Promise<void> {
  for (const { account_id, days } of await imageRetentions(store.reader)) {
    const before = now - days * DAY_MS;
    for (;;) {
      const limits = { account_id, before, missingBefore: before - ON_ITS_WAY_MS, limit: IMAGES_PER_STEP };
      const uids = await oldImages(store.reader, limits);
      if (uids.length === 0) break;
      for (const uid of uids) await images.remove(uidSchema.parse(uid));
      await store.change((tx) => deleteImages(tx, uids));
    }
  }
}
