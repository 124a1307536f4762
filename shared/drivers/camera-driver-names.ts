/**
 * The names of the camera drivers in configuration, REST, site file and console. What each requires of a camera is in `camera-drivers.ts`;
 * pages that only choose one have no use for it.
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
