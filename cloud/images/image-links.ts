import { timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../shared/clock.js';
import { uidSchema, type Uid } from '../../shared/ids.js';

const IMAGE_LINK_LIFETIME_MS = 15 * 60_000;

/** Where an event's stored payload names a picture instead of linking it. Inside a JSON string the quotes would be escaped. */
const UNSIGNED_LINK = /"(image_url|cropped_image_url)":"image:([0-9a-f-]{36})"/g;

/** Temporary links to pictures: `{base}/v2/images/{uid}?expires={seconds since 1970}&signature={base64url}`, no bearer needed. */
export interface ImageLinks {
  sign(uid: string): string;
  /** Signs every `image:<uid>` that stands as image_url or cropped_image_url in a JSON text. */
  signJson(json: string): string;
  /** What the link opens and for how long still, or null when it is changed or expired. */
  verify(link: { uid: string; expires: string; signature: string }): { uid: Uid; remainingMs: number } | null;
}

/**
 * @param options.derive HMAC with the server key (`Secrets`)
 * @param options.baseUrl the public address, without a slash at its end; asked for each link, because the listener's port may come late
 */
export function createImageLinks(options: {
  derive: (purpose: string, ...parts: string[]) => Buffer;
  baseUrl: () => string;
  clock: Clock;
  lifetimeMs?: number;
}): ImageLinks {
  const { derive, baseUrl, clock, lifetimeMs = IMAGE_LINK_LIFETIME_MS } = options;

  const signatureOf = (uid: string, expires: string) => derive('image_link', uid, expires);

  const sign = (uid: string) => {
    const expires = String(Math.ceil((clock.now() + lifetimeMs) / 1_000));
    return `${baseUrl()}/v2/images/${uid}?expires=${expires}&signature=${signatureOf(uid, expires).toString('base64url')}`;
  };

  return {
    sign,
    signJson: (json) => json.replace(UNSIGNED_LINK, (_, name: string, uid: string) => `"${name}":"${sign(uid)}"`),
    verify({ uid, expires, signature }) {
      const parsed = uidSchema.safeParse(uid);
      if (!parsed.success || !/^\d{1,12}$/.test(expires)) return null;
      const expected = signatureOf(uid, expires);
      const given = Buffer.from(signature, 'base64url');
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
      // base64url decodes sloppily: one signature must have one spelling.
      if (expected.toString('base64url') !== signature) return null;
      const remainingMs = Number(expires) * 1_000 - clock.now();
      return remainingMs > 0 ? { uid: parsed.data, remainingMs } : null;
    },
  };
}
