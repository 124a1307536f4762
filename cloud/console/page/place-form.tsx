/** A parking place is made, changed or deleted: its name, its zone, and the sensor that watches it. */
import type { JSX } from 'preact';
import { CODEC_MM_MAX, SENSOR_CODECS } from '../../../shared/drivers/sensor-codec-list.js';
import type { Faults } from '../wording/field-faults.js';
import { words } from './browser.js';
import { changedOf } from './draft.js';
import { callFor, Editor, type EditedForm } from './form-parts.js';
import { Choice, named, Refused } from './parts.js';
import { client } from './session.js';
import { done, firstZone, idOf, missing, nameOf, type SetupFormProps, wholeFault, ZoneChoice } from './setup-fields.js';
import type { Place } from './store.js';
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

function fieldsOf(place: Place | undefined, zone: string): PlaceFields {
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
  const initial = fieldsOf(place, firstZone(lot));
  const changeOf = (form: PlaceFields) => changedOf(bodyOf(initial), bodyOf(form));
  return (
    <Editor<PlaceFields>
      title={place === undefined ? words.setup.parking_place : (place.name ?? `#${place.id}`)}
      name={place === undefined ? `place-new-${lot.id}` : `place-form-${place.id}`}
      isThere={place !== undefined}
      initial={initial}
      faultsOf={faultsOf}
      save={(form, idempotencyKey) =>
        done(
          place === undefined
            ? client().post('/v2/parking-places', { body: bodyOf(form), idempotencyKey })
            : client().patch('/v2/parking-places/{id}', { path: { id: place.id }, body: changeOf(form) }),
        )
      }
      callOf={(form) => callFor('/v2/parking-places', place?.id, place === undefined ? bodyOf(form) : changeOf(form))}
      nameOf={nameOf}
      onClose={onClose}
      remove={
        place && {
          title: words.admin.deleteTitle(place.name ?? `#${place.id}`),
          what: words.devices.deletePlace,
          run: () => done(client().delete('/v2/parking-places/{id}', { path: { id: place.id } })),
        }
      }
    >
      {(edited) => (
        <>
          <div class="pair">
            {edited.field('name', words.setup.name)}
            <ZoneChoice
              lot={lot}
              value={edited.form.zone}
              onValue={(zone) => edited.set({ zone })}
              fault={edited.faultOf('zone_id')}
            />
          </div>
          <Refused refusal={sensors.refusal.value} onAgain={sensors.again} />
          {sensorFields(edited, sensors.value.value ?? [])}
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
  edited: EditedForm<PlaceFields>,
  sensors: readonly { id: number; name: string; driver: string }[],
): JSX.Element {
  const { form, set, faultOf, field } = edited;
  const say = words.setup;
  // What is there already is shown, though the list is still on its way.
  const unlisted = sensors.some(({ id }) => String(id) === form.gateway) || form.gateway === '' ? [] : [form.gateway];
  const driver = sensors.find(({ id }) => String(id) === form.gateway)?.driver ?? '';
  const isLora = LORA_DRIVERS.has(driver) || form.codec !== '';
  const uses: readonly string[] = codecOf(form.codec)?.[1].uses ?? [];
  return (
    <>
      <div class="pair">
        <Choice
          label={say.watchedBy}
          value={form.gateway}
          options={[
            { value: '', text: say.unwatched },
            ...unlisted.map((id) => ({ value: id, text: `#${id}` })),
            ...named(sensors),
          ]}
          onValue={(gateway) => set({ gateway })}
          fault={faultOf('parking_gateway_id')}
        />
        {form.gateway !== '' && field('sensor', words.devices.sensor, { hint: say.sensorHint })}
      </div>
      {form.gateway !== '' && isLora && (
        <Choice
          label={say.codec}
          value={form.codec}
          options={[{ value: '', text: '–' }, ...CODECS.map(([value, { label }]) => ({ value, text: label }))]}
          onValue={(codec) => set({ codec })}
          fault={faultOf('codec')}
        />
      )}
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
