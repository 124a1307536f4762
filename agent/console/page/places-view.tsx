/** Parking places as their sensors say, and what displays show. */
import { Empty } from '../../../shared/page/parts.js';
import type { LocalView, ParkingGatewayView } from '../view/local-view.js';
import { words } from './browser.js';
import { Part } from './local-parts.js';

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
  const occupied = places.filter(({ occupancy }) => occupancy === 'occupied').length;
  return (
    <Part title={name}>
      <p class="head">
        <span class="lead">{say.occupied(occupied, places.length)}</span>
        <span class={`tag ${status === 'online' ? 'good' : 'bad'}`}>{say[status]}</span>
      </p>
      {fault !== null && <p class="notice bad">{fault}</p>}
      <ul class="places">
        {places.map((place) => (
          <li key={place.name} class={`place ${place.occupancy ?? 'unknown'}`}>
            <strong>{place.name}</strong>
            <span>{say.occupancies[place.occupancy ?? 'unknown']}</span>
            {place.is_stale && <span class="tag warn">{say.silent}</span>}
          </li>
        ))}
      </ul>
    </Part>
  );
}
