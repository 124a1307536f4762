/** The small pictures of stays in lists: their links end after a time, and are asked for again for many stays at once. */
import { signal } from '@preact/signals';
import { hasLinkEnded } from '../wording/picture-link.js';
import { gathered, load, PAGE_MAX } from './loading.js';
import type { Session } from './records.js';
import { client } from './session.js';

/** Stays whose links had ended, as they were read again. More are forgotten, the oldest first. */
const renewed = signal<ReadonlyMap<number, Session>>(new Map());
const RENEWED_MAX = 1_000;
const asked = new Set<number>();

const sideOf = ({ entry_license_plate, exit_license_plate }: Session) => entry_license_plate ?? exit_license_plate;

const urlOf = (session: Session): string | null => {
  const side = sideOf(session);
  return side?.image_url ?? side?.cropped_image_url ?? null;
};

const renewSoon = gathered(() => {
  const ids = [...asked];
  asked.clear();
  const query = { filter: [`id:in:${ids.join(',')}`], size: PAGE_MAX };
  return load(
    'stay pictures',
    () => client().get('/v2/sessions', { query }),
    (found) => {
      const next = [...renewed.value, ...found.map((each) => [each.id, each] as const)];
      renewed.value = new Map(next.slice(-RENEWED_MAX));
    },
  );
});

export function renewStay(id: number): void {
  if (asked.size < PAGE_MAX) asked.add(id);
  renewSoon();
}

/** Of the entry, or of the exit where no camera saw the entry. */
export function pictureOf(session: Session): { url: string | null; plate: string } {
  const url = urlOf(session);
  const again = renewed.value.get(session.id);
  const isOld = url !== null && hasLinkEnded(url, Date.now());
  return { url: isOld && again !== undefined ? urlOf(again) : url, plate: sideOf(session)?.plate ?? '' };
}
