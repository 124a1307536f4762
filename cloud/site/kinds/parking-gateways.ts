/** What parking-detection gateways speak. */
export const PARKING_GATEWAY_DRIVERS = ['modbus-tcp', 'modbus-rtu', 'chirpstack', 'ttn', 'http', 'ble-beacon'] as const;
export const SENSOR_CODECS = ['bosch-tps110', 'nwave-g4', 'milesight-udl'] as const;

/** Sensors that are registers, asked again and again. */
export const isModbus = (driver: unknown): boolean => driver === 'modbus-tcp' || driver === 'modbus-rtu';
