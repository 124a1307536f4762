/** How the pictures of a reading stand in payloads: named by their uid; links are signed when they are sent. */

/** uids of a reading's pictures. */
export interface ReadingImages {
  full: string | null;
  cropped: string | null;
}

export function readingImages(rows: readonly { uid: string; role: 'full' | 'cropped' }[]): ReadingImages {
  const first = (role: 'full' | 'cropped') => rows.find((row) => row.role === role)?.uid ?? null;
  return { full: first('full'), cropped: first('cropped') };
}

/** The links of the current events and of REST: `image:<uid>`, replaced by a signed address when sent. */
export function imageLinks(images: ReadingImages): { image_url: string | null; cropped_image_url: string | null } {
  return { image_url: unsignedLink(images.full), cropped_image_url: unsignedLink(images.cropped) };
}

const unsignedLink = (uid: string | null): string | null => (uid === null ? null : `image:${uid}`);

/** Where the picture lies in the image store: what the legacy event tells instead of a link. */
export function imageStorageKey(uid: string | null): string | null {
  return uid === null ? null : `${uid.slice(-2)}/${uid}.jpg`;
}
