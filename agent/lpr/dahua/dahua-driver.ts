import type { CameraItem } from '../../../shared/gateway-config.js';
import { withoutMapping } from '../../../shared/remote-address.js';
import type { CameraDriver, CameraDriverDeps } from '../camera.js';
import { decodeText } from '../formats/charset-parser.js';
import { parseJson } from '../formats/document-parser.js';
import { textAt } from '../formats/path-parser.js';
import { createCameraClient } from '../network/camera-client.js';
import { createHttpProbe } from '../network/http-probe.js';
import { dahuaPush } from './dahua-push.js';
import { createDahuaClock, createDahuaSetup } from './dahua-setup.js';
import { createDahuaStream } from './dahua-stream.js';

const DEVICE_ID = ['Picture.SnapInfo.DeviceID', 'SnapInfo.DeviceID', 'DeviceInfo.DeviceID', 'DeviceID'];
const SYSTEM_INFO = {
  vendor: 'Dahua',
  path: '/cgi-bin/magicBox.cgi?action=getSystemInfo',
  proof: /^\s*(?:serialNumber|deviceType|processor|hardwareVersion|updateSerial|appAutoStart)=/m,
};

/** Driver: Dahua cameras, which push by ITSAPI, or whose streams the gateway listens to. */
export function createDahuaDriver(deps: CameraDriverDeps): CameraDriver {
  const client = createCameraClient(deps);
  const listen = createDahuaStream({ client, clock: deps.clock, random: deps.random });
  return {
    push: dahuaPush,
    probe: createHttpProbe(client, SYSTEM_INFO),
    source: (camera, listener) => (isPushing(camera) ? null : listen(camera, listener)),
    readClock: createDahuaClock(client),
    planSetup: createDahuaSetup(client),
    fixedPath: dahuaFixedPath,
  };
}

/**
 * ITSAPI without a push path: older cameras post to `/NotificationInfo/TollgateInfo` and `/NotificationInfo/KeepAlive` and know no other
 * address, so that no key fits in it. Such a camera is known by the address in its settings, and by the `DeviceID` in its pushes, which is
 * its device_id.
 */
const dahuaFixedPath: NonNullable<CameraDriver['fixedPath']> = {
  prefix: '/NotificationInfo',
  camerasAt(remoteAddress, cameras) {
    const at = withoutMapping(remoteAddress);
    return [...cameras].flatMap((camera) => {
      const { device_id, driver, address } = camera;
      return driver === 'dahua' && isPushing(camera) && at !== '' && hostOf(address) === at ? [device_id] : [];
    });
  },
  cameraOf({ contentType, body, path = '' }, among) {
    const [first, ...others] = among;
    // The keep-alive of some cameras has no body.
    if (body.length === 0 && /keep-?alive$/i.test(path) && others.length === 0) return first?.device_id ?? null;
    return textAt(parseJson(decodeText(body, contentType)), DEVICE_ID);
  },
};

/** The gateway listens to the others. */
const isPushing = ({ push_key, push_without_key }: Pick<CameraItem, 'push_key' | 'push_without_key'>): boolean =>
  push_key !== '' || push_without_key;

const hostOf = (address: string): string =>
  URL.canParse(address) ? new URL(address).hostname.replace(/^\[|\]$/g, '') : '';
