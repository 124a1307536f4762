import { timingSafeEqual } from 'node:crypto';

/** Where each gateway fetches a release: `{base}/v2/releases/{id}/bundle?gateway={uuid}&key={base64url}`. Nobody can guess the key. */
export interface ReleaseLinks {
  linkOf(release: { id: number; sha256: string }, uuid: string): string;
  /** @returns whether the key is that of this gateway for this release */
  isKey(key: string, release: { sha256: string }, uuid: string): boolean;
}

/** @param options.derive HMAC with the server key (`Secrets`) */
export function createReleaseLinks(options: {
  derive: (purpose: string, ...parts: string[]) => Buffer;
  baseUrl: () => string;
}): ReleaseLinks {
  const keyOf = (sha256: string, uuid: string) => options.derive('release_link', sha256, uuid).toString('base64url');
  return {
    linkOf: ({ id, sha256 }, uuid) =>
      `${options.baseUrl()}/v2/releases/${id}/bundle?gateway=${uuid}&key=${keyOf(sha256, uuid)}`,
    isKey(key, { sha256 }, uuid) {
      const [given, expected] = [Buffer.from(key), Buffer.from(keyOf(sha256, uuid))];
      return given.length === expected.length && timingSafeEqual(given, expected);
    },
  };
}
