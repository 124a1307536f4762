/** The settings that each camera driver requires. */
import { z } from 'zod';
import { CAMERA_DRIVER_NAMES, CAMERA_DRIVERS, type CameraDriverName } from './camera-driver-list.js';
import { cameraMappingSchema } from './camera-mapping.js';
import { isMissing, type SettingProblem, settingProblems } from './setting-problems.js';

/**
 * The settings of a camera that depend on its protocol. All are optional here; a driver that requires one says so in its own schema.
 * `address` is the URL at which the camera answers, or '' when only the camera connects. `timezone` is the zone of times without an offset.
 */
const cameraSettingsShape = {
  address: z.string(),
  username: z.string(),
  password: z.string(),
  timezone: z.string(),
  mapping: z.record(z.string(), z.unknown()).nullish(),
};

/** Requires nothing: a camera that connects by itself needs no address. */
const anySettings = z.object(cameraSettingsShape).partial();

/** A required address, for cameras that the gateway calls, or hears at a broker. */
const addressOf = (schemes: RegExp, example: string) =>
  anySettings.extend({
    address: z
      .string({ error: requiredIfMissing })
      .min(1, { error: REQUIRED, abort: true })
      .regex(schemes, `must be ${example}`),
  });
const REQUIRED = 'is required for this driver';
const requiredIfMissing = ({ input }: { input?: unknown }): string | undefined =>
  isMissing(input) ? REQUIRED : undefined;
const calledSettings = addressOf(/^https?:\/\/[^/\s]+/i, 'http://host or https://host');
const brokerSettings = addressOf(/^mqtts?:\/\/[^/\s]+/i, 'the broker, such as mqtt://192.168.1.40:1883');
/** Without a mapping, pushes of the camera are stored, and `parking-agent cameras map` proposes a mapping from the last one. */
const mappedSettings = anySettings.extend({ mapping: cameraMappingSchema.nullish() });

const SETTINGS: Readonly<Record<(typeof CAMERA_DRIVERS)[CameraDriverName]['settings'], z.ZodType>> = {
  any: anySettings,
  called: calledSettings,
  broker: brokerSettings,
  mapped: mappedSettings,
};

/** The allowed values of a camera's `driver`. */
export const cameraDriverSchema = z.enum(CAMERA_DRIVER_NAMES);

/**
 * Finds the problems that a camera's driver has with its settings, at most one per setting. For an unknown driver there are none, because
 * then `driver` itself is the problem.
 * @param driver of any type, as it stands in the input
 * @param settings the camera's keys; others are ignored
 */
export function cameraSettingProblems(driver: unknown, settings: Readonly<Record<string, unknown>>): SettingProblem[] {
  const { success, data: name } = cameraDriverSchema.safeParse(driver);
  return success
    ? settingProblems(SETTINGS[CAMERA_DRIVERS[name].settings], { settings, limits: cameraSettingsShape })
    : [];
}
