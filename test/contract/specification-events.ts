/**
 * The events of the interface specification ("Events"), key by key. `?` marks what may be left out. A nested key is there whenever
 * its parent is, unless it has its own `?`.
 */
import type { EventName } from '../../shared/events/event-schemas.js';

const keys = (text: string, prefix = ''): string[] => text.split(/[\s,]+/).map((key) => prefix + key);

const BRAIN_TYPE = 'id product_id state permanent_position deleted_at created_at updated_at';

const LOT_CHANGE = [
  ...keys('lot_id event_id? data'),
  ...keys('id device_id name lot_id product_type_id latitude longitude status battery_status rssi', 'data.'),
  ...keys('product_error_id? product_error? deleted_at created_at updated_at lot', 'data.'),
  ...keys('barrier? gate? chain? bollard? brain?', 'data.'),
  ...keys(
    'id error_code jammed sensor_dirty pin_broken rtcc_invalid battery_empty master_key_not_set deleted_at created_at updated_at',
    'data.product_error.',
  ),
  ...keys('id product_id state is_auto_close is_car_on_top auto_close_time create_at updated_at', 'data.barrier.'),
  ...['gate', 'chain', 'bollard', 'brain'].flatMap((type) => keys(BRAIN_TYPE, `data.${type}.`)),
  ...keys('id lot_cluster_id account_id name address latitude longitude timezone created_at updated_at', 'data.lot.'),
];

const PLATE_READING = [
  ...keys('id plate confidence image_url cropped_image_url direction type make color model country_code session_id'),
  ...keys('access_decision access_decision_reason lpr_camera_id zone_id plate_side lpr_camera_direction'),
  ...keys('created_at updated_at'),
];

const SESSION = [
  ...keys('id public_id ended_at? duration discount_time? amount_paid possibly_exited? exit_allowed'),
  ...keys('entry_license_plate created_at entry exit? zone_id'),
  ...keys('id plate image_url cropped_image_url', 'entry_license_plate.'),
  ...keys('id type', 'entry.'),
  ...keys('id type', 'exit.'),
];

const LOT_ENTRY =
  'id scan_time lpr_camera_id lot_id related_lot_entry_id duration is_allowed direction license_plate license_plate_image_url ' +
  'full_image_url make color model color_depth created_at updated_at';
const LPR_CAMERA =
  'id device_id device_serial name account_id zone_id status lpr_position connected_device_type mac deleted_at created_at updated_at';

/** The keys of a list under a name, with those of its items. */
const oneItem = (name: string, item: string) => [name, ...keys(item, `${name}[].`)];

export const SPECIFICATION_EVENTS: Record<EventName | 'authorized', string[]> = {
  authorized: [],
  lot_change: LOT_CHANGE,
  gateway_error: [...keys('type event_id data message?'), ...keys('id name', 'data.')],
  gateway_status: keys('uuid status'),
  plate_reading_create: PLATE_READING,
  plate_reading_update: PLATE_READING,
  session_create: SESSION,
  session_update: SESSION,
  lpr_camera_status: keys('id device_id status'),
  lot_detection_change: oneItem('lots', 'id detection_status occupied_count'),
  zone_change: oneItem(
    'zones',
    'id account_id lot_id name description spot_count occupied_count deleted_at created_at updated_at',
  ),
  parking_place_change: oneItem('places', 'id lot_id zone_id name occupancy_status'),
  parking_gateway_state_change: oneItem('gateways', 'id status'),
  lpr_event: [
    ...keys('lot_id data'),
    ...keys(`${LOT_ENTRY} lpr_camera related_lot_entry`, 'data.'),
    ...keys(LPR_CAMERA, 'data.lpr_camera.'),
    ...keys(`${LOT_ENTRY} lpr_camera`, 'data.related_lot_entry.'),
    ...keys('id device_id name', 'data.related_lot_entry.lpr_camera.'),
  ],
};

/** The presence of a key: in every event that has its parent, in some of them, or in none. */
export type Presence = 'always' | 'sometimes' | 'never';

export interface KeyRow {
  path: string;
  specification: 'required' | 'optional' | 'unknown';
  observed: Presence;
}

const isBelow = (path: string, parent: string) => path.startsWith(`${parent}.`) || path.startsWith(`${parent}[].`);

/** Compares an event's keys of the table with the combinations of keys that were observed. Keys that the table lacks come last. */
export function compareKeys(specified: readonly string[], combinations: readonly string[][]): KeyRow[] {
  const written = specified.map((key) => ({
    path: key.replace('?', ''),
    optional: key.endsWith('?'),
  }));
  const known = new Set(written.map(({ path }) => path));
  const presenceOf = (path: string): Presence => {
    const parent = [...known].filter((other) => isBelow(path, other)).toSorted((a, b) => b.length - a.length)[0];
    // A parent that is null or absent has no keys.
    const possible = combinations.filter(
      (paths) => parent === undefined || paths.some((other) => isBelow(other, parent)),
    );
    const having = possible.filter((paths) => paths.includes(path)).length;
    if (having === 0) return 'never';
    return having === possible.length ? 'always' : 'sometimes';
  };
  const strange = new Set(combinations.flat().filter((path) => !known.has(path)));
  return [
    ...written.map(({ path, optional }): KeyRow => {
      return { path, specification: optional ? 'optional' : 'required', observed: presenceOf(path) };
    }),
    ...[...strange].map((path): KeyRow => ({ path, specification: 'unknown', observed: 'sometimes' })),
  ];
}

/** Whether the table allows what was observed. */
export function isAllowed({ specification, observed }: KeyRow): boolean {
  if (specification === 'unknown') return false;
  return specification === 'optional' || observed !== 'sometimes';
}
