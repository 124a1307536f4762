/** The places that sensors watch, with what each says now, and a form that gives a place its sensor. */
import type { components } from '@parking-gateway/client';
import { SENSOR_CODECS } from '../../../shared/drivers/sensor-codec-list.js';
import { sensorDriverFacts } from '../wording/sensor-settings.js';
import { timeOf, words } from './browser.js';
import { AddingForm } from './adding-form.js';
import { missing, named } from './fields.js';
import { useForm } from './form-parts.js';
import { joined, Refused } from './parts.js';
import { PlaceTag } from './plan-panel.js';
import type { ParkingGateway } from './records.js';
import { client } from './session.js';
import { firstZone, zoneOptions } from './setup-fields.js';
import { setupWords } from './setup-words.js';
import { all, type Lot, zoneOf } from './store.js';
import { useAgain } from './use-again.js';
import { useRead } from './use-read.js';

type Place = components['schemas']['ParkingPlace'];

const PAGE = 300;
const AGAIN_MS = 3_000;

export function SensorPlaces({ lot, sensors }: { lot: Lot; sensors: ParkingGateway }) {
  const say = setupWords.sensors;
  const query = { filter: [`lot_id:eq:${lot.id}`], sort: 'name:asc' as const, size: PAGE };
  const read = useRead(`places of ${lot.id}`, (signal) => all(client().list('/v2/parking-places', { query, signal })));
  useAgain(read, AGAIN_MS);
  const own = read.found?.filter(({ parking_gateway_id }) => parking_gateway_id === sensors.id);
  const free = read.found?.filter(({ parking_gateway_id }) => parking_gateway_id === null) ?? [];
  return (
    <section aria-label={say.placesTitle}>
      <h3>{say.placesTitle}</h3>
      <Refused refusal={read.refusal} onAgain={read.again} />
      {own?.length === 0 && <p class="facts">{say.none}</p>}
      <ul class="places">
        {own?.map((place) => (
          <li key={place.id}>
            <strong>{place.name ?? `#${place.id}`}</strong> <PlaceTag place={place} />
            <span class="facts">
              {joined([
                zoneOf(place.zone_id)?.name,
                `${words.devices.sensor} ${place.sensor ?? '–'}`,
                heardText(place),
              ])}
            </span>
          </li>
        ))}
      </ul>
      <AssignForm lot={lot} sensors={sensors} free={free} onDone={read.again} />
    </section>
  );
}

function heardText({ stale_since, first_heard_at }: Place): string {
  if (stale_since !== null) return words.devices.placeStale(timeOf(stale_since));
  return first_heard_at === null ? setupWords.sensors.never : setupWords.sensors.heard(timeOf(first_heard_at));
}

const HINTS = { register: 'modbus', eui: 'eui', name: 'other' } as const;

/** Gives a sensor to a place that has none, or to a new one. */
function AssignForm(props: { lot: Lot; sensors: ParkingGateway; free: readonly Place[]; onDone: () => void }) {
  const { lot, sensors, free, onDone } = props;
  const say = setupWords.sensors;
  const sensorsBy = sensorDriverFacts(sensors.driver)?.sensorsBy ?? 'name';
  const initial = { place: '', zone: firstZone(lot), name: '', sensor: '', codec: '' };
  const { form, key, sending, submit, field, choice } = useForm(
    `sensor of ${sensors.id}`,
    initial,
    ['name', 'zone_id', 'sensor', 'codec'],
    ({ place, name, sensor }) => ({
      ...(place === '' ? missing('name', name) : {}),
      ...missing('sensor', sensor),
    }),
  );
  const watched = {
    parking_gateway_id: sensors.id,
    sensor: form.sensor.trim(),
    codec: sensorsBy === 'eui' ? ((form.codec || null) as keyof typeof SENSOR_CODECS | null) : null,
  };
  const made = { ...watched, name: form.name, zone_id: Number(form.zone) };
  const isNew = form.place === '';
  const send = () =>
    submit(async () => {
      if (isNew) await client().post('/v2/parking-places', { body: made, idempotencyKey: key() });
      else await client().patch('/v2/parking-places/{id}', { path: { id: Number(form.place) }, body: watched });
      onDone();
    });
  const codecs = Object.entries(SENSOR_CODECS).map(([value, { label }]) => ({ value, text: label }));
  const places = free.map(({ id, name }) => ({ id, name: name ?? `#${id}` }));
  return (
    <AddingForm
      label={say.assign}
      yes={words.forms.save}
      name={`sensor-${sensors.id}`}
      sending={sending}
      isMain={false}
      call={
        isNew
          ? { method: 'POST', path: '/v2/parking-places', body: made }
          : { method: 'PATCH', path: `/v2/parking-places/${form.place}`, body: watched }
      }
      onSend={send}
    >
      <div class="pair">
        {choice('place', say.place, named(places, say.newPlace))}
        {isNew && field('name', words.forms.name)}
        {isNew && choice('zone', words.forms.zone, zoneOptions(lot), { as: 'zone_id' })}
        {field('sensor', words.devices.sensor, { hint: say.sensorHints[HINTS[sensorsBy]] })}
        {sensorsBy === 'eui' && choice('codec', words.setup.codec, [{ value: '', text: '–' }, ...codecs])}
      </div>
    </AddingForm>
  );
}
