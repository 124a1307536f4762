/** The images of a reading in payloads: they are named by their uid, and links are signed when they are sent. */

/** The uids of a reading's images; null when there is none. */
export interface ReadingImages {
  full: string | null;
  cropped: string | null;
}

export function readingImages(rows: readonly { uid: string; role: 'full' | 'cropped' }[]): ReadingImages {
  const first = (role: 'full' | 'cropped') => rows.find((row) => row.role === role)?.uid ?? null;
  return { full: first('full'), cropped: first('cropped') };
}

/** Builds the links for REST and for events that are not legacy: `image:<uid>`, which a signed address replaces when it is sent. */
export function imageLinks(images: ReadingImages): { image_url: string | null; cropped_image_url: string | null } {
  return { image_url: unsignedLink(images.full), cropped_image_url: unsignedLink(images.cropped) };
}

const unsignedLink = (uid: string | null): string | null => (uid === null ? null : `image:${uid}`);

/** Builds the key of an image in the image store, which the legacy event shows instead of a link. */
export function imageStorageKey(uid: string | null): string | null {
  return uid === null ? null : `${uid.slice(-2)}/${uid}.jpg`;
}
