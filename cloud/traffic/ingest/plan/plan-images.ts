/** Plans images: a read or a sighting announces them, and their bytes follow. */
import type { ImageRecord, ImageReference } from '../../../../shared/uplink.js';
import { type RecordContext, tooEarly, UnusableRecord } from './context.js';

/** An image is announced once: its uid is the name of its file. */
export function checkImagesAreNew({ facts, plan }: RecordContext, images: readonly ImageReference[]): void {
  for (const [index, { uid }] of images.entries()) {
    const isKnown = facts.images.has(uid) || plan.images.has(uid);
    if (isKnown || images.findIndex((other) => other.uid === uid) !== index) {
      throw new UnusableRecord(`picture ${uid} was announced before`);
    }
  }
}

/** Plans the rows of the images that the record announces. */
export function planImages(
  { plan, gateway, record }: RecordContext,
  { images, created_at }: { images: readonly ImageReference[]; created_at: number },
): void {
  const { account_id, lot_id } = gateway;
  for (const { uid, role } of images) {
    plan.images.set(uid, { uid, account_id, lot_id, owner_uid: record.uid, role, created_at, arrived_at: null });
  }
}

/** Makes an image visible whose bytes are already in the image store. */
export function planImage(context: RecordContext, payload: ImageRecord): void {
  const { facts, plan, gateway, record, now } = context;
  const announced = plan.images.get(record.uid);
  const image = announced ?? facts.images.get(record.uid);
  if (image === undefined) throw tooEarly(context, payload.owner_uid);
  if (image.owner_uid !== payload.owner_uid || image.lot_id !== gateway.lot_id) {
    throw new UnusableRecord(`picture ${record.uid} was not announced by ${payload.owner_uid}`);
  }
  if (announced === undefined) plan.arrived.push(record.uid);
  else announced.arrived_at = now;
}
