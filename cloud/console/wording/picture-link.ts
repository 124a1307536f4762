/** A link that ends within this time may have ended when the picture is fetched by it. */
const SOON_MS = 5_000;

/** Whether a picture can no longer be fetched by a link. @param url null: there is none, so that a new one may be better. @param now milliseconds since 1970 */
export function hasLinkEnded(url: string | null, now: number): boolean {
  if (url === null) return true;
  const expires = /[?&]expires=(\d+)/.exec(url)?.[1];
  return expires !== undefined && Number(expires) * 1_000 - SOON_MS <= now;
}
