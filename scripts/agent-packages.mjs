// The packages that the agent's bundles leave outside, and that have to lie beside them on a device.
export const OUTSIDE = [
  'better-sqlite3',
  'koffi',
  'sharp',
  'modbus-serial',
  'onvif',
  '@abandonware/noble',
  '@abandonware/bluetooth-hci-socket',
  '@opentelemetry',
];
