import { timingSafeEqual } from 'node:crypto';

/** Where each gateway fetches a release: `{base}/v2/releases/{id}/bundle?gateway={uuid}&key={base64url}`. Nobody can guess the key. */
export interface ReleaseLinks {
  linkOf(release: { id: number; sha256: string }, device: GatewayDevice): string;
  /** @returns whether the key is that of this device for this release */
  isKey(key: string, release: { sha256: string }, device: GatewayDevice): boolean;
}

/** The device that a gateway is: the key of another one, or of none, is another key. */
export interface GatewayDevice {
  uuid: string;
  public_key: string;
}

/** @param options.derive HMAC with the server key (`Secrets`) */
export function createReleaseLinks(options: {
  derive: (purpose: string, ...parts: string[]) => Buffer;
  baseUrl: () => string;
}): ReleaseLinks {
  const keyOf = (sha256: string, { uuid, public_key }: GatewayDevice) =>
    options.derive('release_link', sha256, uuid, public_key).toString('base64url');
  return {
    linkOf: ({ id, sha256 }, device) =>
      `${options.baseUrl()}/v2/releases/${id}/bundle?gateway=${device.uuid}&key=${keyOf(sha256, device)}`,
    isKey(key, { sha256 }, device) {
      const [given, expected] = [Buffer.from(key), Buffer.from(keyOf(sha256, device))];
      return given.length === expected.length && timingSafeEqual(given, expected);
    },
  };
}
