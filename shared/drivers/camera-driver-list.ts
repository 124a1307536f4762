/**
 * The camera drivers by their names in configuration, REST, site file and console. This is the only list of them: the cloud validates with
 * it, and the agent does not compile without a driver for each of these names. It is apart from the schemas (`camera-drivers.ts`), so that web
 * pages need not load those.
 */
interface CameraDriverInfo {
  /** The name of the vendor or protocol for people. */
  label: string;
  /**
   * The settings that a camera needs. `any`: none, it connects by itself. `called`, `broker`: an address, at which the gateway calls it or hears it.
   * `mapped`: a mapping may say how to read its pushes.
   */
  settings: 'any' | 'called' | 'broker' | 'mapped';
}

export const CAMERA_DRIVERS = {
  hikvision: { label: 'Hikvision', settings: 'any' },
  dahua: { label: 'Dahua', settings: 'any' },
  axis: { label: 'Axis', settings: 'any' },
  onvif: { label: 'ONVIF', settings: 'called' },
  milesight: { label: 'Milesight', settings: 'mapped' },
  openalpr: { label: 'OpenALPR', settings: 'mapped' },
  platerecognizer: { label: 'Plate Recognizer', settings: 'mapped' },
  verkada: { label: 'Verkada', settings: 'mapped' },
  lilin: { label: 'LILIN', settings: 'mapped' },
  zhenshi: { label: 'Zhenshi (VZenith)', settings: 'any' },
  genetec: { label: 'Genetec SharpV', settings: 'mapped' },
  unifi: { label: 'UniFi Protect', settings: 'mapped' },
  uniview: { label: 'Uniview', settings: 'called' },
  survision: { label: 'Survision', settings: 'mapped' },
  frigate: { label: 'Frigate', settings: 'broker' },
  mapping: { label: 'Any other, by a mapping', settings: 'mapped' },
} as const satisfies Record<string, CameraDriverInfo>;

export type CameraDriverName = keyof typeof CAMERA_DRIVERS;
export const CAMERA_DRIVER_NAMES = Object.keys(CAMERA_DRIVERS) as [CameraDriverName, ...CameraDriverName[]];
