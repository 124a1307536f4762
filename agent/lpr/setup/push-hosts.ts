/** Where a camera reaches this gateway. */
import type { CameraItem } from '../../../shared/gateway-config.js';
import { withoutMapping } from '../../../shared/remote-address.js';
import type { CameraClient } from '../network/camera-client.js';

export interface PushHostDeps {
  client: CameraClient;
  /** The port at which cameras reach this gateway. */
  httpPort: () => number;
}

/** This gateway's own address on the way to the camera, with its port. @throws Error when the camera cannot be asked */
export async function pushHost(
  camera: CameraItem,
  { client, httpPort }: PushHostDeps,
  signal: AbortSignal,
): Promise<string> {
  const { localAddress } = await client.ask(camera, { path: '/', signal });
  return hostOf(withoutMapping(localAddress), httpPort());
}

/** The same, or every address of this gateway when the camera cannot be asked. */
export async function likelyPushHosts(
  camera: CameraItem,
  deps: PushHostDeps & { ownAddresses: () => readonly string[] },
  signal: AbortSignal,
): Promise<string[]> {
  const own = () => deps.ownAddresses().map((address) => hostOf(address, deps.httpPort()));
  return pushHost(camera, deps, signal).then((host) => [host], own);
}

const hostOf = (address: string, port: number): string => `${address.includes(':') ? `[${address}]` : address}:${port}`;
