import type { SensorItem } from '../../shared/gateway-config.js';

/** A parking gateway as a gateway's configuration has it, with what its driver does not use left empty. */
export const sensorItem = (own: Pick<SensorItem, 'driver' | 'places'> & Partial<SensorItem>): SensorItem => ({
  id: 1,
  name: 'Guidance',
  address: '',
  unit: null,
  poll_ms: 1_000,
  heartbeat_s: 10_800,
  register: null,
  application: null,
  ...own,
});

/** A place whose sensor needs no settings. */
export const sensorPlace = (
  id: number,
  own: Pick<SensorItem['places'][number], 'sensor'> & Partial<SensorItem['places'][number]>,
): SensorItem['places'][number] => ({
  id,
  zone_id: 1,
  name: `A${id}`,
  codec: null,
  occupied_below_mm: null,
  hysteresis_mm: null,
  ...own,
});
