/** The simulated cameras by the driver that reads them. */
import { axisCamera } from './axis-camera.js';
import type { CameraVendor } from './camera-vendor.js';
import { dahuaCamera } from './dahua-camera.js';
import { frigateCamera } from './frigate-camera.js';
import { hikvisionCamera } from './hikvision-camera.js';
import { lilinCamera } from './lilin-camera.js';
import { onvifCamera } from './onvif-camera.js';
import { TABLE_CAMERAS } from './table-cameras.js';
import { univiewCamera } from './uniview-camera.js';
import { zhenshiCamera } from './zhenshi-camera.js';

export const ALL_CAMERAS: Readonly<Record<string, CameraVendor>> = {
  hikvision: hikvisionCamera,
  dahua: dahuaCamera,
  axis: axisCamera,
  onvif: onvifCamera,
  zhenshi: zhenshiCamera,
  uniview: univiewCamera,
  frigate: frigateCamera,
  lilin: lilinCamera,
  ...TABLE_CAMERAS,
};
