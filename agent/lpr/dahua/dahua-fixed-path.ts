/**
 * ITSAPI without a push path: older cameras post to `/NotificationInfo/TollgateInfo` and `/NotificationInfo/KeepAlive` and know no other
 * address, so that no key fits in it. Such a camera is known by the address that it has in its settings, and by the `DeviceID` that it
 * names, which is its device_id.
 */
import { withoutMapping } from '../../../shared/remote-address.js';
import type { CameraDriver } from '../camera.js';
import { decodeText } from '../formats/charset-parser.js';
import { parseJson } from '../formats/document-parser.js';
import { textAt } from '../formats/path-parser.js';

const DEVICE_ID = ['Picture.SnapInfo.DeviceID', 'SnapInfo.DeviceID', 'DeviceInfo.DeviceID', 'DeviceID'];

export const dahuaFixedPath: NonNullable<CameraDriver['fixedPath']> = {
  prefix: '/NotificationInfo',
  camerasAt(remoteAddress, cameras) {
    const at = withoutMapping(remoteAddress);
    return [...cameras].flatMap(({ device_id, driver, address, push_key }) => {
      // A camera without a push key does not push: it is listened to.
      const isPushing = driver === 'dahua' && push_key !== '';
      return isPushing && at !== '' && hostOf(address) === at ? [device_id] : [];
    });
  },
  cameraOf({ contentType, body, path = '' }, among) {
    const [first = null, ...others] = among;
    // Some say that they live by an address alone.
    if (body.length === 0 && /keep-?alive$/i.test(path) && others.length === 0) return first;
    const named = textAt(parseJson(decodeText(body, contentType)), DEVICE_ID);
    return among.find((device_id) => device_id === named) ?? null;
  },
};

const hostOf = (address: string): string =>
  URL.canParse(address) ? new URL(address).hostname.replace(/^\[|\]$/g, '') : '';
