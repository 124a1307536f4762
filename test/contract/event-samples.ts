/** Payloads of events, for tests of how events travel rather than of what causes them. */
import type { EventName, EventPayload } from '../../shared/events/event-schemas.js';

const AT = '2026-01-15T12:00:00.000Z';
const TIMES = { created_at: AT, updated_at: AT };

export function plateReadingPayload(
  given: Partial<EventPayload<'plate_reading_create'>> = {},
): EventPayload<'plate_reading_create'> {
  return {
    id: 1,
    plate: 'ZG1',
    confidence: null,
    image_url: null,
    cropped_image_url: null,
    direction: 'in',
    type: null,
    make: null,
    color: null,
    model: null,
    country_code: null,
    session_id: null,
    access_decision: null,
    access_decision_reason: null,
    lpr_camera_id: 1,
    zone_id: 1,
    plate_side: 'front',
    lpr_camera_direction: 'in',
    ...TIMES,
    ...given,
  };
}

const session: EventPayload<'session_create'> = {
  id: 1,
  public_id: 'ABCDEFGH01',
  duration: 0,
  amount_paid: 0,
  exit_allowed: true,
  entry_license_plate: null,
  created_at: AT,
  entry: { id: 1, type: 'lpr_camera' },
  zone_id: 1,
};
const endedSession: EventPayload<'session_update'> = {
  ...session,
  ended_at: AT,
  discount_time: -1,
  possibly_exited: true,
  exit_allowed: false,
  entry_license_plate: { id: 1, plate: 'ZG1', image_url: null, cropped_image_url: null },
  exit: { id: 2, type: 'lpr_camera' },
};

const product: EventPayload<'lot_change'> = {
  lot_id: 1,
  data: {
    id: 1,
    device_id: 'a4c138000001',
    name: 'Entry barrier',
    lot_id: 1,
    product_type_id: 1,
    latitude: null,
    longitude: null,
    status: 'online',
    battery_status: null,
    rssi: null,
    deleted_at: null,
    ...TIMES,
    lot: null,
  },
};
const blockIds = { id: 1, product_id: 1 };
const positioned = {
  ...blockIds,
  state: 'opened',
  permanent_position: 'disabled',
  deleted_at: null,
  ...TIMES,
} as const;
const productOfEveryKind: EventPayload<'lot_change'> = {
  lot_id: 1,
  event_id: '0123abcd',
  data: {
    ...product.data,
    product_error_id: 1,
    product_error: {
      id: 1,
      error_code: '3',
      jammed: 1,
      sensor_dirty: 1,
      pin_broken: 0,
      rtcc_invalid: 0,
      battery_empty: 0,
      master_key_not_set: 0,
      deleted_at: null,
      ...TIMES,
    },
    barrier: {
      ...blockIds,
      state: 'closed',
      is_auto_close: 1,
      is_car_on_top: 0,
      auto_close_time: 10,
      create_at: AT,
      updated_at: AT,
    },
    gate: positioned,
    chain: positioned,
    bollard: positioned,
    brain: positioned,
    lot: {
      id: 1,
      lot_cluster_id: 1,
      account_id: 1,
      name: 'North',
      address: '',
      latitude: null,
      longitude: null,
      timezone: 'Europe/Zagreb',
      ...TIMES,
    },
  },
};

const entry: Omit<EventPayload<'lpr_event'>['data'], 'lpr_camera' | 'related_lot_entry'> = {
  id: 2,
  scan_time: AT,
  lpr_camera_id: 1,
  lot_id: 1,
  related_lot_entry_id: null,
  duration: null,
  is_allowed: 1,
  direction: 'in',
  license_plate: 'ZG1',
  license_plate_image_url: null,
  full_image_url: null,
  make: '',
  color: '',
  model: '',
  color_depth: null,
  ...TIMES,
};
const camera: EventPayload<'lpr_event'>['data']['lpr_camera'] = {
  id: 1,
  device_id: 'cam-in-1',
  device_serial: null,
  name: 'Entry camera',
  account_id: 1,
  zone_id: 1,
  status: 'online',
  lpr_position: 'in',
  connected_device_type: 'other',
  mac: null,
  deleted_at: null,
  ...TIMES,
};
const cameraName = { id: 1, device_id: 'cam-in-1', name: 'Entry camera' };
const related = { ...entry, id: 1, lpr_camera: cameraName };
const zone: EventPayload<'zone_change'>['zones'][number] = {
  id: 1,
  account_id: 1,
  lot_id: 1,
  name: 'Level 0',
  description: null,
  spot_count: 40,
  occupied_count: 1,
  deleted_at: null,
  ...TIMES,
};

/** Each event with as few keys as it may have, and with as many as it can have. */
export const EVENT_SAMPLES: { [Name in EventName]: EventPayload<Name>[] } = {
  lot_change: [product, productOfEveryKind],
  gateway_error: [
    { type: 'Timeout', event_id: '0123abcd', data: { id: 1, name: 'Entry barrier' } },
    { type: 5, event_id: '0123abcd', data: { id: 1, name: 'Entry barrier' }, message: 'Device jammed' },
  ],
  gateway_status: [{ uuid: '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c01', status: 'online' }],
  plate_reading_create: [plateReadingPayload()],
  plate_reading_update: [plateReadingPayload({ access_decision: 'triggered', access_decision_reason: 'whitelist' })],
  session_create: [session],
  session_update: [session, endedSession],
  lpr_camera_status: [{ id: 1, device_id: 'cam-in-1', status: 'offline' }],
  lot_detection_change: [{ lots: [{ id: 1, detection_status: 'online', occupied_count: 1 }] }],
  zone_change: [{ zones: [zone] }],
  parking_place_change: [{ places: [{ id: 1, lot_id: 1, zone_id: 1, name: 'A1', occupancy_status: 'occupied' }] }],
  parking_gateway_state_change: [{ gateways: [{ id: 1, status: 'online' }] }],
  lpr_event: [
    { lot_id: 1, data: { ...entry, lpr_camera: camera, related_lot_entry: null } },
    {
      lot_id: 1,
      data: {
        ...entry,
        direction: 'out',
        duration: 60,
        related_lot_entry_id: 1,
        lpr_camera: camera,
        related_lot_entry: related,
      },
    },
  ],
};
