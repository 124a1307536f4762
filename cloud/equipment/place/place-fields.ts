/** What is known of a parking place. */
import { z } from 'zod';
import { codecSettingsShape, sensorCodecSchema } from '../../../shared/drivers/sensor-codecs.js';
import { sensorNameSchema } from '../../../shared/drivers/sensor-drivers.js';
import { OCCUPANCY_STATES } from '../../../shared/events/event-schemas.js';
import {
  computed,
  datetime,
  identity,
  inner,
  inRest,
  nameValue,
  oneLine,
  referenceTo,
  required,
  shown,
  shownAs,
  TIMES,
  withDefault,
} from '../../rest/entry.js';

export const PLACE_FIELDS = {
  id: identity,
  account_id: inner({ partOf: 'accounts' }),
  /** Must be the lot of its zone. */
  lot: inRest(referenceTo('lots', { id: 'lot_id', isOptional: true, filter: true })),
  zone: inRest(referenceTo('zones', { id: 'zone_id', filter: true })),
  name: required(nameValue, { form: shownAs(z.string().nullable()), filter: true, sort: true }),
  occupancy_status: shown(z.enum(OCCUPANCY_STATES), { filter: true }),
  /** When the sensor last reported a change; null: never. */
  changed_at: inner('bigint null'),
  first_heard_at: computed(datetime.nullable(), {
    column: 'bigint null',
    says: 'When the sensor first reported; null: it never did, and how the place is is not known.',
  }),
  stale_since: computed(datetime.nullable(), {
    column: 'bigint null',
    says: 'When the sensor was last heard before it fell silent; until then the place was as it is shown. null: it is not silent, or there is none.',
  }),
  parking_gateway: referenceTo('parking_gateways', {
    id: 'parking_gateway_id',
    isNullable: true,
    default: null,
    among: 'lot',
    filter: true,
    says: 'The parking gateway of the sensor; null for a place without one.',
  }),
  /** Its name at the parking gateway: a register, an EUI. */
  sensor: withDefault(oneLine(sensorNameSchema).nullable(), null, {
    says: 'Which sensor of the parking gateway watches the place; null for none.',
  }),
  codec: withDefault(sensorCodecSchema.nullable(), null, {
    form: shownAs(z.string().nullable()),
    says: 'How the bytes of the sensor are read; null where the driver knows.',
  }),
  occupied_below_mm: withDefault(codecSettingsShape.occupied_below_mm.nullable(), null, {
    says: 'The distance in millimetres below which the place is occupied; null where nothing is measured.',
  }),
  hysteresis_mm: withDefault(codecSettingsShape.hysteresis_mm.nullable(), null, {
    says: 'How many millimetres farther the distance has to be before the place is free again; null where nothing is measured.',
  }),
  ...TIMES,
};

/** The columns that a row of deleted places keeps, besides those of all. */
export const KEPT_OF_PLACES = ['zone_id', 'occupancy_status', 'changed_at'] as const;
