/** A sample of each event, with which an owner tries a webhook. Only the `webhook-id` of its delivery shows that it is a sample. */
import type { EventName, EventPayload } from '../../../shared/events/event-schemas.js';
import { isoTime } from '../../rest/entry.js';

type Samples = { [Name in EventName]: (times: Times) => EventPayload<Name> };

interface Times {
  created_at: string;
  updated_at: string;
}

const EVENT_ID = '5a3c90de';
const PLATE = 'ZG1234AB';
const LOT = { id: 1, account_id: 1, name: 'North', address: 'Harbour 1', latitude: 45.8, longitude: 15.98 };
const CAMERA = { id: 1, device_id: 'cam-in-1', name: 'Entrance' };

const reading = (times: Times): EventPayload<'plate_reading_create'> => ({
  id: 1,
  plate: PLATE,
  confidence: 0.97,
  image_url: null,
  cropped_image_url: null,
  direction: 'in',
  type: 'car',
  make: null,
  color: null,
  model: null,
  country_code: 'HR',
  session_id: null,
  access_decision: null,
  access_decision_reason: null,
  lpr_camera_id: CAMERA.id,
  zone_id: 1,
  plate_side: 'front',
  lpr_camera_direction: 'in',
  ...times,
});

const session = ({ created_at }: Times): EventPayload<'session_create'> => ({
  id: 1,
  public_id: 'SAMPLE0001',
  duration: 0,
  amount_paid: 0,
  exit_allowed: true,
  entry_license_plate: { id: 1, plate: PLATE, image_url: null, cropped_image_url: null },
  created_at,
  entry: { id: CAMERA.id, type: 'lpr_camera' },
  zone_id: 1,
});

const SAMPLES: Samples = {
  lot_change: (times) => ({
    lot_id: LOT.id,
    event_id: EVENT_ID,
    data: {
      id: 1,
      device_id: 'a4c138000001',
      name: 'Entrance barrier',
      lot_id: LOT.id,
      product_type_id: 1,
      latitude: null,
      longitude: null,
      status: 'online',
      battery_status: 87,
      rssi: -60,
      deleted_at: null,
      ...times,
      barrier: {
        id: 1,
        product_id: 1,
        state: 'opened',
        is_auto_close: 1,
        is_car_on_top: 0,
        auto_close_time: 10,
        create_at: times.created_at,
        updated_at: times.updated_at,
      },
      lot: { ...LOT, lot_cluster_id: 1, timezone: 'Europe/Zagreb', ...times },
    },
  }),
  gateway_error: () => ({ type: 'Timeout', event_id: EVENT_ID, data: { id: 1, name: 'Entrance barrier' } }),
  gateway_status: () => ({ uuid: '5a3c90de-0000-4000-8000-000000000001', status: 'online' }),
  plate_reading_create: reading,
  plate_reading_update: (times) => ({
    ...reading(times),
    access_decision: 'triggered',
    access_decision_reason: 'whitelist',
  }),
  session_create: session,
  session_update: (times) => ({
    ...session(times),
    ended_at: times.updated_at,
    exit: { id: 2, type: 'lpr_camera' },
  }),
  lpr_camera_status: () => ({ id: CAMERA.id, device_id: CAMERA.device_id, status: 'online' }),
  lot_detection_change: () => ({ lots: [{ id: LOT.id, detection_status: 'online', occupied_count: 1 }] }),
  zone_change: (times) => ({
    zones: [
      {
        id: 1,
        account_id: LOT.account_id,
        lot_id: LOT.id,
        name: 'Level 0',
        description: null,
        spot_count: 40,
        occupied_count: 1,
        deleted_at: null,
        ...times,
      },
    ],
  }),
  parking_place_change: () => ({
    places: [{ id: 1, lot_id: LOT.id, zone_id: 1, name: 'A1', occupancy_status: 'occupied' }],
  }),
  parking_gateway_state_change: () => ({ gateways: [{ id: 1, status: 'online' }] }),
  lpr_event: (times) => ({
    lot_id: LOT.id,
    data: {
      id: 1,
      scan_time: times.created_at,
      lpr_camera_id: CAMERA.id,
      lot_id: LOT.id,
      related_lot_entry_id: null,
      duration: null,
      is_allowed: 1,
      direction: 'in',
      license_plate: PLATE,
      license_plate_image_url: null,
      full_image_url: null,
      make: '',
      color: '',
      model: '',
      color_depth: null,
      ...times,
      lpr_camera: {
        ...CAMERA,
        device_serial: null,
        account_id: LOT.account_id,
        zone_id: 1,
        status: 'online',
        lpr_position: 'in',
        connected_device_type: 'other',
        mac: null,
        deleted_at: null,
        ...times,
      },
      related_lot_entry: null,
    },
  }),
};

/** @param now wall milliseconds, at which the sample happened */
export function sampleEvent<Name extends EventName>(event: Name, now: number): EventPayload<Name> {
  return SAMPLES[event]({ created_at: isoTime(now), updated_at: isoTime(now) });
}
