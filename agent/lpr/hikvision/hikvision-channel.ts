/** A camera behind a recorder has the recorder's address, and `?channel=` in it: the recorder posts for all its channels to one of them. */
import type { CameraItem } from '../../../shared/gateway-config.js';

/** null: the camera is one of its own. */
export function hikvisionChannel({ address }: Pick<CameraItem, 'address'>): string | null {
  if (!URL.canParse(address)) return null;
  const channel = new URL(address).searchParams.get('channel');
  return channel !== null && /^\d{1,5}$/.test(channel) ? channel : null;
}
