/** One lot: what stands in it, and its release in an emergency. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { VIEW_PATHS } from '../console-paths.js';
import { timeOf, words } from './browser.js';
import { LoadingSign } from './loading-sign.js';
import { LotGuide, ShowGuideButton } from './lot-guide.js';
import { Occupancy } from './occupancy-part.js';
import { Button, Empty, joined, Link, Notice } from './parts.js';
import { query, queryOf, setQuery } from './place.js';
import { placesFree, PlaceTag } from './plan-panel.js';
import { shownLot, useShownLot } from './plan-store.js';
import { LotPlan } from './plan-view.js';
import { cameraState } from './plan-words.js';
import { ProductCard } from './product-part.js';
import { Release } from './release-part.js';
import { mayManage } from './session.js';
import { SetupChanges } from './setup-changes.js';
import { makeable, makeWordOf, SetupForm } from './setup-forms.js';
import { Troubles, troublesOfLot } from './troubles-part.js';
import {
  cameras,
  gateways,
  healths,
  isLoaded,
  lostSince,
  type Lot,
  lots,
  type Place,
  type Product,
  products,
  timezoneOfLot,
  type Zone,
  zones,
} from './store.js';

export function LotView({ id }: { id: number }) {
  const lot = lots.value.find((each) => each.id === id);
  const wanted = query.value.get('product');
  const isPlan = queryOf('show') === 'plan';
  useShownLot(id, isLoaded.value && lostSince.value === null);
  useEffect(() => {
    if (isLoaded.value && wanted !== null)
      document.getElementById(`product-${wanted}`)?.scrollIntoView({ block: 'center' });
  }, [wanted, isLoaded.value]);
  if (!isLoaded.value) return <LoadingSign />;
  if (lot === undefined) return <Empty>{words.lot.unknown}</Empty>;
  const own = products.value.filter(({ lot_id }) => lot_id === id);
  const ownZones = zones.value.filter(({ lot_id }) => lot_id === id);
  return (
    <>
      <div class="head">
        <div>
          <h1 tabIndex={-1}>{lot.name}</h1>
          <p class="facts">{lot.address}</p>
        </div>
        <Link class="button small" to={`${VIEW_PATHS.kiosk}?lot=${id}`}>
          {words.views.kiosk}
        </Link>
      </div>
      <Troubles troubles={troublesOfLot(lot)} lotId={id} />
      <div class="buttons" role="group" aria-label={words.plan.shownAs}>
        <Button
          look="small"
          word={words.plan.list}
          isPressed={!isPlan}
          onClick={() => setQuery({ show: '', at: '' })}
        />
        <Button
          look="small"
          word={words.plan.plan}
          isPressed={isPlan}
          onClick={() => setQuery({ show: 'plan', product: '' })}
        />
      </div>
      {own.length > 0 && <Release lot={lot} own={own} />}
      {mayManage.value && <LotGuide lot={lot} />}
      {mayManage.value && <Setup lot={lot} />}
      {mayManage.value && <SetupChanges lot={lot} />}
      {isPlan ? <LotPlan lot={lot} /> : <LotList id={id} own={own} ownZones={ownZones} />}
    </>
  );
}

/** What can be added to the lot. */
function Setup({ lot }: { lot: Lot }) {
  const notice = useSignal('');
  const edited = makeable(lot).find((each) => each === queryOf('edit'));
  return (
    <>
      <details class="others">
        <summary>{words.setup.title}</summary>
        <div class="buttons">
          {makeable(lot).map((each) => (
            <Button key={each} look="small" word={makeWordOf(each)} onClick={() => setQuery({ edit: each })} />
          ))}
          <ShowGuideButton lot={lot} />
        </div>
      </details>
      <Notice text={notice.value} />
      {edited !== undefined && (
        <SetupForm
          key={edited}
          what={edited}
          lot={lot}
          onClose={(said) => {
            setQuery({ edit: '' });
            notice.value = said;
          }}
        />
      )}
    </>
  );
}

/** The same facts as the plan's, as lists. */
function LotList({ id, own, ownZones }: { id: number; own: readonly Product[]; ownZones: readonly Zone[] }) {
  const places = shownLot.value?.lot_id === id ? shownLot.value.places : [];
  return (
    <>
      <h2>{words.lot.products}</h2>
      {own.length === 0 && <Empty>{words.lot.noProducts}</Empty>}
      <div class="cards">
        {own.map((product) => (
          <ProductCard key={product.id} product={product} />
        ))}
      </div>
      <h2>{words.lot.zones}</h2>
      <div class="card">
        <Occupancy lotId={id} />
        {ownZones.length > 1 && (
          <ul class="lines">
            {ownZones.map((zone) => (
              <li key={zone.id}>
                <strong>{zone.name}</strong>{' '}
                <span>{words.overview.occupied(zone.occupied_count, zone.spot_count)}</span>
              </li>
            ))}
          </ul>
        )}
      </div>
      {places.length > 0 && (
        <>
          <h2>{words.plan.places}</h2>
          {ownZones.map((zone) => (
            <PlaceList key={zone.id} zone={zone} places={places.filter(({ zone_id }) => zone_id === zone.id)} />
          ))}
        </>
      )}
      <h2>{words.lot.devices}</h2>
      <ul class="card lines">
        {gateways.value
          .filter(({ lot_id }) => lot_id === id)
          .map((gateway) => (
            <li key={gateway.id}>
              <strong>{gateway.name}</strong> <span>{gatewayFacts(gateway)}</span>
            </li>
          ))}
        {cameras.value
          .filter(({ zone_id }) => ownZones.some((zone) => zone.id === zone_id))
          .map((camera) => (
            <li key={camera.id}>
              <strong>{camera.name}</strong> <span>{cameraState(camera)}</span>
            </li>
          ))}
      </ul>
    </>
  );
}

function PlaceList({ zone, places }: { zone: Zone; places: readonly Place[] }) {
  if (places.length === 0) return null;
  return (
    <details class="card">
      <summary>
        {zone.name}: {placesFree(places)}
      </summary>
      <ul class="place-list">
        {places.map((place) => (
          <li key={place.id}>
            <strong>{place.name ?? place.id}</strong> <PlaceTag place={place} />
          </li>
        ))}
      </ul>
    </details>
  );
}

function gatewayFacts({ id, lot_id, status, last_seen, agent_version }: (typeof gateways.value)[number]): string {
  const health = healths.value.get(id);
  const since = health?.alone_since ?? last_seen;
  const depth = health?.queue.depth ?? null;
  const days = health?.token_days_left ?? null;
  const { lot: say } = words;
  return joined([
    status === 'online' ? say.gatewayOnline : say.gatewayOffline(since && timeOf(since, timezoneOfLot(lot_id))),
    depth !== null && say.queue(depth),
    days !== null && say.tokenDays(days),
    agent_version !== null && say.version(agent_version),
  ]);
}
