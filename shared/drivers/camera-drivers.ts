/**
 * The camera drivers: their names in configuration, REST and site file, and what each requires of a camera's settings. This is
 * the only list of them: the cloud validates by it, and a gateway registers each of its drivers under one of these names.
 */
import { z } from 'zod';
import { type SettingProblem, settingProblems } from './setting-problems.js';

/**
 * The settings of a camera that depend on its protocol. All are optional here; a driver that needs one says so in its own schema.
 * `address` is the URL at which the camera answers, or '' when only the camera calls. `timezone` is the zone of times that carry none.
 */
const cameraSettingsShape = {
  address: z.string(),
  username: z.string(),
  password: z.string(),
  timezone: z.string(),
};

export interface CameraDriverInfo {
  /** The vendor or protocol as people write it. */
  label: string;
  /** What a camera of this driver must have configured; its keys are keys of a camera. */
  settings: z.ZodType;
}

/** Requires nothing beyond the limits of each setting: a camera that pushes by itself needs no address. */
const anySettings = z.object(cameraSettingsShape).partial();

export const CAMERA_DRIVERS = {
  hikvision: { label: 'Hikvision', settings: anySettings },
  dahua: { label: 'Dahua', settings: anySettings },
  axis: { label: 'Axis', settings: anySettings },
  onvif: { label: 'ONVIF', settings: anySettings },
  milesight: { label: 'Milesight', settings: anySettings },
  openalpr: { label: 'OpenALPR', settings: anySettings },
  platerecognizer: { label: 'Plate Recognizer', settings: anySettings },
  verkada: { label: 'Verkada', settings: anySettings },
  lilin: { label: 'LILIN', settings: anySettings },
} as const satisfies Record<string, CameraDriverInfo>;

export type CameraDriverName = keyof typeof CAMERA_DRIVERS;
export const CAMERA_DRIVER_NAMES = Object.keys(CAMERA_DRIVERS) as [CameraDriverName, ...CameraDriverName[]];

/** What a camera's `driver` may be. */
export const cameraDriverSchema = z.enum(CAMERA_DRIVER_NAMES);

/**
 * Finds what a camera's driver has against its settings, at most one problem per setting. For an unknown driver it finds none: the
 * problem is then one of `driver` itself.
 * @param driver of any type, as it stands in the input
 * @param settings the camera's keys; others are ignored
 */
export function cameraSettingProblems(driver: unknown, settings: Readonly<Record<string, unknown>>): SettingProblem[] {
  const { success, data: name } = cameraDriverSchema.safeParse(driver);
  return success ? settingProblems(CAMERA_DRIVERS[name].settings, { settings, limits: cameraSettingsShape }) : [];
}
