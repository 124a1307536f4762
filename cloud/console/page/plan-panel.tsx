/** What was chosen in a plan, with its facts and its buttons. */
import { decisionSentence } from '../wording/sentences.js';
import { timeOf, words } from './browser.js';
import { Link } from './parts.js';
import { Picture } from './picture.js';
import { queryOf } from './place.js';
import { lastReadingOf } from './plan-shapes.js';
import { placeStateOf, placeView } from './plan-store.js';
import { formerly } from './formerly.js';
import { cameraState } from './plan-words.js';
import { shownPlate } from './plate-mask.js';
import { Plate } from './plate-part.js';
import { ProductCard } from './product-part.js';
import { renewReading } from './reading-store.js';
import { type Camera, cameras, type Place, products, timezoneOf, type Zone, zoneOf, zones } from './store.js';

export function PlanPanel({ places }: { places: readonly Place[] }) {
  const [kind, idText] = queryOf('at').split('-');
  const id = Number(idText);
  return (
    <aside class="chosen" aria-live="polite">
      <h2>{words.plan.chosen}</h2>
      <Chosen kind={kind ?? ''} id={id} places={places} />
    </aside>
  );
}

function Chosen({ kind, id, places }: { kind: string; id: number; places: readonly Place[] }) {
  const byId = (each: { id: number }) => each.id === id;
  const product = kind === 'product' ? products.value.find(byId) : undefined;
  if (product !== undefined) return <ProductCard product={product} />;
  const camera = kind === 'lpr_camera' ? cameras.value.find(byId) : undefined;
  if (camera !== undefined) return <CameraCard camera={camera} />;
  const zone = kind === 'zone' ? zones.value.find(byId) : undefined;
  if (zone !== undefined) return <ZoneCard zone={zone} places={places} />;
  const place = kind === 'parking_place' ? places.find(byId) : undefined;
  if (place !== undefined) return <PlaceCard place={place} />;
  return <p class="empty">{words.plan.choose}</p>;
}

function CameraCard({ camera }: { camera: Camera }) {
  const reading = lastReadingOf(camera.id);
  return (
    <article class="card" aria-labelledby="chosen">
      <header>
        <h3 id="chosen">{camera.name}</h3>
        <span class={camera.status === 'online' ? 'tag good' : 'tag bad'}>{cameraState(camera)}</span>
      </header>
      {reading === undefined ? (
        <p class="facts">{words.plan.noRead}</p>
      ) : (
        <>
          <Picture
            url={reading.image_url}
            alt={words.live.picture(shownPlate(reading.plate))}
            plate={reading.plate}
            onEnded={() => renewReading(reading.id)}
          />
          <p>
            <Plate plate={reading.plate} of={{ list: 'plate-readings', id: reading.id }} />{' '}
            {timeOf(reading.created_at, timezoneOf(reading.zone_id))}
          </p>
          <p>{decisionSentence(reading, words)}</p>
        </>
      )}
      <Link class="button" to={`/live?camera=${camera.id}`}>
        {words.plan.toLive}
      </Link>
    </article>
  );
}

function ZoneCard({ zone, places }: { zone: Zone; places: readonly Place[] }) {
  const own = places.filter(({ zone_id }) => zone_id === zone.id);
  return (
    <article class="card" aria-labelledby="chosen">
      <h3 id="chosen">{zone.name}</h3>
      <p>{words.overview.occupied(zone.occupied_count, zone.spot_count)}</p>
      {own.length > 0 && <p class="facts">{placesFree(own)}</p>}
    </article>
  );
}

/** `3 of 12 free` */
export const placesFree = (places: readonly Place[]): string =>
  words.plan.placesFree(places.filter((place) => placeStateOf(place) === 'free').length, places.length);

function PlaceCard({ place }: { place: Place }) {
  return (
    <article class="card" aria-labelledby="chosen">
      <header>
        <h3 id="chosen">{words.plan.place(place.name ?? String(place.id))}</h3>
        <PlaceTag place={place} />
      </header>
      <p class="facts">{zoneOf(place.zone_id)?.name}</p>
    </article>
  );
}

const TONES = { free: 'good', occupied: 'busy', unknown: '' } as const;

export function PlaceTag({ place }: { place: Place }) {
  const { state, was } = placeView(place);
  return (
    <>
      <span class={`tag ${TONES[state]}`}>{words.plan.placeStates[state]}</span>
      {was !== null && <span class="facts">{formerly(was)}</span>}
    </>
  );
}
