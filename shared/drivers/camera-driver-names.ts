/**
 * The names of the camera drivers in configuration, REST, site file and console. They are apart from the requirements of the drivers
 * (`camera-drivers.ts`), so that web pages need not load those.
 */
export const CAMERA_DRIVER_NAMES = [
  'hikvision',
  'dahua',
  'axis',
  'onvif',
  'milesight',
  'openalpr',
  'platerecognizer',
  'verkada',
  'lilin',
  'zhenshi',
  'genetec',
  'unifi',
  'uniview',
  'survision',
  'frigate',
  'mapping',
] as const;

export type CameraDriverName = (typeof CAMERA_DRIVER_NAMES)[number];
