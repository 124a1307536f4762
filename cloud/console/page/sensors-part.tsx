/** Sensors: what they report to, and the place that each watches. */
import type { components } from '@parking-gateway/client';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { DeviceHead, FirstStep, RenameOrDelete } from './admin-parts.js';
import { timeOf, words } from './browser.js';
import { withoutSecret } from './cameras-part.js';
import { useEdit } from './editor.js';
import { Choice, named } from './fields.js';
import { Button, Dialog, Empty, Facts, joined, Notice, Refused } from './parts.js';
import { setQuery } from './place.js';
import { PlaceTag } from './plan-panel.js';
import { placeStateOf } from './plan-store.js';
import { SensorForm } from './sensor-form.js';
import { client, mayManage } from './session.js';
import { setupWords } from './setup-words.js';
import { all, gatewayOf, lots, minute, onEvent, timezoneOfLot, zoneOf } from './store.js';
import { useRead } from './use-read.js';

const say = words.devices;

type ParkingGateway = components['schemas']['ParkingGateway'];
type Place = components['schemas']['ParkingPlace'];

/** More are no list for people. */
const PLACES_MAX = 2_000;
const PAGE = 300;
const GATHER_MS = 1_000;

async function readSensors(signal: AbortSignal): Promise<{ sensors: ParkingGateway[]; places: Place[] }> {
  const query = { sort: 'id:asc', size: PAGE } as const;
  const sensors = await all(client().list('/v2/parking-gateways', { query, signal }));
  const places = await all(client().list('/v2/parking-places', { query, signal }), PLACES_MAX);
  return { sensors, places };
}

export function SensorsPart() {
  const asked = useRead(`${Math.floor(minute.value)}`, readSensors);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = onEvent(({ event }) => {
      if (event !== 'lot_detection_change' && event !== 'parking_place_change') return;
      timer ??= setTimeout(() => {
        timer = undefined;
        asked.again();
      }, GATHER_MS);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, []);
  const { sensors = [], places = [] } = asked.found ?? {};
  const edit = useEdit(sensors, asked.again);
  if (asked.found === null && asked.refusal === null) return <Empty>{words.loading}</Empty>;
  const make = mayManage.value && lots.value.length > 0 && (
    <Button look="main" word={setupWords.sensors.make} onClick={() => setQuery({ edit: 'new' })} />
  );
  const without = places.filter(({ parking_gateway_id }) => parking_gateway_id === null);
  return (
    <>
      <Refused refusal={asked.refusal} onAgain={asked.again} />
      {sensors.length > 0 && <div class="buttons end">{make}</div>}
      <Notice text={edit.notice} />
      {edit.isOpen && mayManage.value && (
        <SensorEditor key={edit.thing?.id} sensors={edit.thing} onClose={edit.onClose} />
      )}
      {asked.found !== null && sensors.length === 0 && <FirstStep what={say.noSensors}>{make}</FirstStep>}
      {sensors.map((sensor) => (
        <SensorCard
          key={sensor.id}
          sensor={sensor}
          places={places.filter(({ parking_gateway_id }) => parking_gateway_id === sensor.id)}
          onChanged={asked.again}
        />
      ))}
      {without.length > 0 && (
        <section class="card" aria-labelledby="places-without">
          <h2 id="places-without">{say.withoutSensor}</h2>
          <Places places={without} onChanged={asked.again} />
        </section>
      )}
    </>
  );
}

/** Sensors are of one lot: of new ones the person says first of which. */
function SensorEditor({ sensors, onClose }: { sensors: ParkingGateway | null; onClose: (notice: string) => void }) {
  const chosen = useSignal(lots.value.length === 1 ? String(lots.value[0]?.id) : '');
  const lot = lots.value.find(({ id }) => (sensors === null ? String(id) === chosen.value : id === sensors.lot_id));
  if (lot !== undefined) return <SensorForm lot={lot} sensors={sensors} onClose={onClose} />;
  return (
    <Dialog title={setupWords.sensors.make} onClose={() => onClose('')}>
      <Choice label={words.forms.lot} value="" options={named(lots.value, '–')} onValue={(id) => (chosen.value = id)} />
    </Dialog>
  );
}

function SensorCard(props: { sensor: ParkingGateway; places: readonly Place[]; onChanged: () => void }) {
  const { sensor, places, onChanged } = props;
  const { id, name, lot_id, status, last_seen, driver, address, poll_ms, heartbeat_s } = sensor;
  const isOnline = status === 'online';
  return (
    <section class="card device" aria-labelledby={`sensor-${id}`}>
      <DeviceHead
        id={`sensor-${id}`}
        name={name}
        where={lots.value.find((each) => each.id === lot_id)?.name ?? words.admin.noLot}
        isThere={isOnline}
        text={
          isOnline
            ? say.sensorOnline
            : say.sensorOffline(last_seen === null ? null : timeOf(last_seen, timezoneOfLot(lot_id)))
        }
      />
      <Facts
        facts={[
          [say.driver, driver],
          [words.forms.address, withoutSecret(address) || '–'],
          [say.readBy, gatewayOf(sensor.gateway_id)?.name ?? '–'],
          [say.every, say.seconds(String(Math.min(poll_ms / 1000, heartbeat_s)))],
        ]}
      />
      {mayManage.value && (
        <div class="buttons">
          <Button look="small" word={words.forms.edit} about={name} onClick={() => setQuery({ edit: String(id) })} />
        </div>
      )}
      <Places places={places} onChanged={onChanged} />
    </section>
  );
}

function Places({ places, onChanged }: { places: readonly Place[]; onChanged: () => void }) {
  if (places.length === 0) return <p class="facts">{say.noPlaces}</p>;
  const occupied = places.filter((place) => placeStateOf(place) === 'occupied').length;
  return (
    <details open={places.length <= 20}>
      <summary>
        {say.places}: {say.placesOf(occupied, places.length)}
      </summary>
      <ul class="places">
        {places.map((place) => (
          <PlaceRow key={place.id} place={place} onChanged={onChanged} />
        ))}
      </ul>
    </details>
  );
}

function PlaceRow({ place, onChanged }: { place: Place; onChanged: () => void }) {
  const { id, zone_id, sensor, stale_since } = place;
  const name = place.name ?? `#${id}`;
  return (
    <li>
      <strong>{name}</strong>
      <PlaceTag place={place} />
      {stale_since !== null && <span class="state blocked">{say.placeStale(timeOf(stale_since))}</span>}
      <span class="facts">{joined([zoneOf(zone_id)?.name, sensor !== null && `${say.sensor} ${sensor}`])}</span>
      {mayManage.value && (
        <span class="buttons">
          <RenameOrDelete
            list="/v2/parking-places"
            thing={{ id, name }}
            deleteWhat={say.deletePlace}
            onChanged={onChanged}
          />
        </span>
      )}
    </li>
  );
}
