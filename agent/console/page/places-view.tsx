/** Parking places as their sensors say, and what displays show. */
import { Empty } from '../../../shared/page/parts.js';
import { formerText } from '../../../shared/troubles/age.js';
import type { LocalView, ParkingGatewayView } from '../view/local-view.js';
import { words } from './browser.js';
import { Part } from './local-parts.js';
import { gatewayNow } from './view-store.js';

export function PlacesView({ view }: { view: LocalView }) {
  const { places: say, views } = words();
  return (
    <>
      <h1 tabIndex={-1}>{views.places}</h1>
      {view.parking_gateways.length === 0 && <Empty>{say.none}</Empty>}
      {view.parking_gateways.map((gateway) => (
        <Sensors key={gateway.name} gateway={gateway} />
      ))}
      <Part title={say.displays}>
        {view.displays.length === 0 && <p class="hint">{say.noDisplays}</p>}
        <ul class="rows">
          {view.displays.map(({ name, text, fault }) => (
            <li key={name} class="card">
              <strong>{name}</strong>
              <span>{text === null ? say.showsNothing : say.shows(text)}</span>
              {fault !== null && <p class="notice bad">{fault}</p>}
            </li>
          ))}
        </ul>
      </Part>
    </>
  );
}

function Sensors({ gateway }: { gateway: ParkingGatewayView }) {
  const { places: say } = words();
  const { name, status, fault, places } = gateway;
  const occupied = places.filter(({ occupancy, is_stale }) => occupancy === 'occupied' && !is_stale).length;
  return (
    <Part title={name}>
      <p class="head">
        <span class="lead">{say.occupied(occupied, places.length)}</span>
        <span class={`tag ${status === 'online' ? 'good' : 'bad'}`}>{say[status]}</span>
      </p>
      {fault !== null && <p class="notice bad">{fault}</p>}
      <ul class="places">
        {places.map((place) => (
          <PlaceLine key={place.name} place={place} />
        ))}
      </ul>
    </Part>
  );
}

/** A place, which is unknown while its sensor is silent. */
function PlaceLine({ place }: { place: ParkingGatewayView['places'][number] }) {
  const { places: say, formerly, ages } = words();
  const { name, occupancy, is_stale, heard_at } = place;
  const state = is_stale ? 'unknown' : (occupancy ?? 'unknown');
  const former =
    occupancy === null || heard_at === null
      ? null
      : formerText(formerly[occupancy], { ageMs: gatewayNow.value - Date.parse(heard_at), words: ages });
  return (
    <li class={`place ${state}`}>
      <strong>{name}</strong>
      <span>{say.occupancies[state]}</span>
      {is_stale && <span class="tag warn">{say.silent}</span>}
      {former !== null && <span class="facts">{former}</span>}
    </li>
  );
}
