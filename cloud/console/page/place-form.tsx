/** A parking place is made, changed or deleted: its name, its zone, and the sensor that watches it. */
import type { JSX } from 'preact';
import { CODEC_MM_MAX, SENSOR_CODECS } from '../../../shared/drivers/sensor-codec-list.js';
import type { Faults } from '../wording/field-faults.js';
import { words } from './browser.js';
import { missing, named } from './fields.js';
import { type EditedForm, Editor } from './editor.js';
import { Refused } from './parts.js';
import { client } from './session.js';
import { firstZone, idOf, type SetupFormProps, wholeFault, zoneOptions } from './setup-fields.js';
import { loadAll, type Place } from './store.js';
import { useRead } from './use-read.js';

interface PlaceFields {
  name: string;
  zone: string;
  /** Empty: nothing watches it. */
  gateway: string;
  sensor: string;
  codec: string;
  below: string;
  hysteresis: string;
}

const SENSORS_MAX = 300;
const MM = { least: 0, most: CODEC_MM_MAX };
const CODECS = Object.entries(SENSOR_CODECS);
/** Their sensors send bytes, which a codec reads. */
const LORA_DRIVERS = new Set(['chirpstack', 'ttn']);

/** Millimetres as they are typed; null: none. */
const mmOf = (text: string): number | null => (text === '' ? null : Number(text));
const codecOf = (name: string) => CODECS.find(([each]) => each === name);

function fieldsOfPlace(place: Place | undefined, zone: string): PlaceFields {
  return {
    name: place?.name ?? '',
    zone: place === undefined ? zone : String(place.zone_id),
    gateway: String(place?.parking_gateway_id ?? ''),
    sensor: place?.sensor ?? '',
    codec: place?.codec ?? '',
    below: String(place?.occupied_below_mm ?? ''),
    hysteresis: String(place?.hysteresis_mm ?? ''),
  };
}

/** Without a parking gateway there is no sensor, and without a codec none of its settings. */
function bodyOf({ name, zone, gateway, sensor, codec, below, hysteresis }: PlaceFields) {
  const chosen = gateway === '' ? undefined : codecOf(codec);
  const isMeasured = (chosen?.[1].uses ?? []).length > 0;
  return {
    name,
    zone_id: Number(zone),
    parking_gateway_id: idOf(gateway),
    sensor: gateway === '' ? null : sensor.trim(),
    codec: (chosen?.[0] ?? null) as keyof typeof SENSOR_CODECS | null,
    occupied_below_mm: isMeasured ? mmOf(below) : null,
    hysteresis_mm: isMeasured ? mmOf(hysteresis) : null,
  };
}

function faultsOf(form: PlaceFields): Faults {
  const { occupied_below_mm, hysteresis_mm } = bodyOf(form);
  return {
    ...missing('name', form.name),
    ...(form.gateway === '' ? {} : missing('sensor', form.sensor)),
    ...(occupied_below_mm === null ? {} : wholeFault('occupied_below_mm', form.below, MM)),
    ...(hysteresis_mm === null ? {} : wholeFault('hysteresis_mm', form.hysteresis, MM)),
  };
}

/** @param props.place that is changed; left out: a new one is made */
export function PlaceForm({ lot, place, onClose }: SetupFormProps & { place?: Place }) {
  const sensors = useRead(`sensors ${lot.id}`, (signal) =>
    client().get('/v2/parking-gateways', {
      query: { filter: [`lot_id:eq:${lot.id}`], sort: 'name:asc', size: SENSORS_MAX },
      signal,
    }),
  );
  const title = place === undefined ? words.setup.parking_place : (place.name ?? `#${place.id}`);
  return (
    <Editor
      list="/v2/parking-places"
      thing={place}
      title={title}
      draft={place === undefined ? `place-new-${lot.id}` : `place-form-${place.id}`}
      formOf={(each) => fieldsOfPlace(each ?? undefined, firstZone(lot))}
      faultsOf={faultsOf}
      bodyOf={bodyOf}
      after={loadAll}
      onClose={onClose}
      remove={place && { title: words.admin.deleteTitle(title), what: words.devices.deletePlace }}
    >
      {(edited) => (
        <>
          <div class="pair">
            {edited.field('name', words.forms.name)}
            {edited.choice('zone', words.forms.zone, zoneOptions(lot), { as: 'zone_id' })}
          </div>
          <Refused refusal={sensors.refusal} onAgain={sensors.again} />
          {sensorFields(edited, sensors.found ?? [])}
        </>
      )}
    </Editor>
  );
}

/**
 * What watches the place: the parking gateway, the sensor there, and how the bytes of one are read that sends by radio. No component: the
 * form has to know at once which faults these fields show.
 */
function sensorFields(
  { form, field, choice }: EditedForm<PlaceFields>,
  sensors: readonly { id: number; name: string; driver: string }[],
): JSX.Element {
  const say = words.setup;
  // The parking gateway that is set already is an option also before the list has come.
  const isListed = form.gateway === '' || sensors.some(({ id }) => String(id) === form.gateway);
  const unlisted = isListed ? [] : [{ id: Number(form.gateway), name: `#${form.gateway}` }];
  const driver = sensors.find(({ id }) => String(id) === form.gateway)?.driver ?? '';
  const isLora = LORA_DRIVERS.has(driver) || form.codec !== '';
  const uses: readonly string[] = codecOf(form.codec)?.[1].uses ?? [];
  const codecs = CODECS.map(([value, { label }]) => ({ value, text: label }));
  return (
    <>
      <div class="pair">
        {choice('gateway', say.watchedBy, named([...unlisted, ...sensors], say.unwatched), {
          as: 'parking_gateway_id',
        })}
        {form.gateway !== '' && field('sensor', words.devices.sensor, { hint: say.sensorHint })}
      </div>
      {form.gateway !== '' && isLora && choice('codec', say.codec, [{ value: '', text: '–' }, ...codecs])}
      {form.gateway !== '' && uses.length > 0 && (
        <div class="pair">
          {field('below', say.occupiedBelow, {
            as: 'occupied_below_mm',
            inputmode: 'numeric',
            hint: words.forms.optional,
          })}
          {field('hysteresis', say.hysteresis, { as: 'hysteresis_mm', inputmode: 'numeric', hint: say.hysteresisHint })}
        </div>
      )}
    </>
  );
}
