import { timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../../shared/clock.js';
import { uidSchema, type Uid } from '../../../shared/ids.js';

const IMAGE_LINK_LIFETIME_MS = 15 * 60_000;

/** The name of an image in a stored payload, instead of a link. It matches no text inside a JSON string, where quotes are escaped. */
const UNSIGNED_LINK = /"(image_url|cropped_image_url)":"image:([0-9a-f-]{36})"/g;

/** Temporary links to images, for which no bearer is needed: `{base}/v2/images/{uid}?expires={seconds since 1970}&signature={base64url}`. */
export interface ImageLinks {
  sign(uid: string): string;
  /** Signs every `image:<uid>` that is an image_url or cropped_image_url in a JSON text. */
  signJson(json: string): string;
  /** Returns which image the link opens, and for how long; null when it was changed or has expired. */
  verify(link: { uid: string; expires: string; signature: string }): { uid: Uid; remainingMs: number } | null;
}

/**
 * @param options.derive HMAC with the server key (`Secrets`)
 * @param options.baseUrl returns the public address without a slash at its end; called for each link, because the port is known late
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
    // Most texts have no link: to look for one is much faster than the expression.
    signJson: (json) =>
      !json.includes('":"image:')
        ? json
        : json.replace(UNSIGNED_LINK, (_, name: string, uid: string) => `"${name}":"${sign(uid)}"`),
    verify({ uid, expires, signature }) {
      const parsed = uidSchema.safeParse(uid);
      if (!parsed.success || !/^\d{1,12}$/.test(expires)) return null;
      const expected = signatureOf(uid, expires);
      const given = Buffer.from(signature, 'base64url');
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
      // The decoder of base64url accepts several spellings, but a signature must have only one.
      if (expected.toString('base64url') !== signature) return null;
      const remainingMs = Number(expires) * 1_000 - clock.now();
      return remainingMs > 0 ? { uid: parsed.data, remainingMs } : null;
    },
  };
}
