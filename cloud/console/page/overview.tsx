/** All lots, the one that needs a person first. */
import { useSignal } from '@preact/signals';
import { lotPath, VIEW_PATHS } from '../console-paths.js';
import { type Trouble, troublesOf, worstFirst } from '../wording/lot-troubles.js';
import { timeOf, words } from './browser.js';
import { LoadingSign } from './loading-sign.js';
import { Button, Empty, Link, Notice } from './parts.js';
import { queryOf, setQuery } from './place.js';
import { ProductRow } from './product-part.js';
import { mayManage, mayRule } from './session.js';
import { SetupChanges } from './setup-changes.js';
import { LotForm } from './setup-forms.js';
import { Today } from './spark-part.js';
import {
  cameras,
  gateways,
  healths,
  isLoaded,
  loadRefusal,
  type Lot,
  lots,
  minute,
  products,
  released,
  zones,
} from './store.js';

export function troublesOfLot(id: number): Trouble[] {
  const zoneIds = new Set(zones.value.filter(({ lot_id }) => lot_id === id).map((zone) => zone.id));
  const facts = {
    autonomy_days: lots.value.find((lot) => lot.id === id)?.autonomy_days ?? null,
    products: products.value.filter(({ lot_id }) => lot_id === id),
    gateways: gateways.value.filter(({ lot_id }) => lot_id === id),
    healths: healths.value,
    cameras: cameras.value.filter(({ zone_id }) => zoneIds.has(zone_id)),
  };
  return troublesOf(facts, words, { timeOf, now: Math.max(minute.value, Date.now()) });
}

export function Overview() {
  const notice = useSignal('');
  if (!isLoaded.value) return <LoadingSign />;
  const ordered = worstFirst(lots.value.map((lot) => ({ ...lot, troubles: troublesOfLot(lot.id) })));
  const count = ordered.reduce((sum, { troubles }) => sum + troubles.length, released.value.length);
  const isCalm = count === 0 && loadRefusal.value === null;
  return (
    <>
      <div class="head">
        <h1 tabIndex={-1}>{words.views.overview}</h1>
        <p class={isCalm ? 'lead good' : 'lead bad'}>
          {isCalm ? words.overview.calm : count === 0 ? words.overview.unsure : words.overview.needs(count)}
        </p>
        {mayRule.value && <Button word={words.setup.lot} onClick={() => setQuery({ edit: 'lot' })} />}
      </div>
      <Notice text={notice.value} />
      {mayRule.value && queryOf('edit') === 'lot' && (
        <LotForm
          onClose={(said) => {
            setQuery({ edit: '' });
            notice.value = said;
          }}
        />
      )}
      {ordered.length === 0 && <Empty>{words.overview.noLots}</Empty>}
      <div class="lots">
        {ordered.map((lot) => (
          <LotCard key={lot.id} lot={lot} troubles={lot.troubles} />
        ))}
      </div>
    </>
  );
}

function LotCard({ lot, troubles }: { lot: Lot; troubles: readonly Trouble[] }) {
  const own = products.value.filter(({ lot_id }) => lot_id === lot.id);
  const hasZones = zones.value.some(({ lot_id }) => lot_id === lot.id);
  return (
    <article class={troubles.length > 0 ? 'card lot troubled' : 'card lot'} aria-labelledby={`lot-${lot.id}`}>
      <header>
        <div>
          <h2 id={`lot-${lot.id}`}>
            <Link to={lotPath(lot.id)}>{lot.name}</Link>
          </h2>
          <p class="facts">{lot.address}</p>
        </div>
      </header>
      <Troubles troubles={troubles} lotId={lot.id} />
      <Occupancy lotId={lot.id} />
      {hasZones && <Today lotId={lot.id} timezone={lot.timezone} spots={spotsOfLot(lot.id)} />}
      <ul class="products">
        {own.map((product) => (
          <ProductRow key={product.id} product={product} />
        ))}
      </ul>
      {mayManage.value && <SetupChanges lot={lot} />}
    </article>
  );
}

/** How many vehicles a lot has room for; 0: a zone without a limit makes the lot one. */
function spotsOfLot(lotId: number): number {
  const own = zones.value.filter(({ lot_id }) => lot_id === lotId);
  if (own.some(({ spot_count }) => spot_count === 0)) return 0;
  return own.reduce((sum, { spot_count }) => sum + spot_count, 0);
}

/** How many vehicles are in a lot, as number and bar. */
export function Occupancy({ lotId }: { lotId: number }) {
  const own = zones.value.filter(({ lot_id }) => lot_id === lotId);
  const occupied = own.reduce((sum, { occupied_count }) => sum + occupied_count, 0);
  const spots = spotsOfLot(lotId);
  const text = words.overview.occupied(occupied, spots);
  return (
    <div class="occupancy">
      <p>
        <strong class="figure">{occupied}</strong> <span>{words.overview.ofSpots(spots)}</span>
        {spots > 0 && <span class="free">{words.overview.free(Math.max(0, spots - occupied))}</span>}
      </p>
      {spots > 0 && <meter min={0} max={spots} value={Math.min(occupied, spots)} aria-label={text} />}
    </div>
  );
}

export function Troubles({ troubles, lotId }: { troubles: readonly Trouble[]; lotId: number }) {
  if (troubles.length === 0) return null;
  return (
    <ul class="troubles">
      {troubles.map((trouble, at) => (
        <li key={`${trouble.kind}-${at}`}>
          <span>{trouble.sentence}</span>
          <Help about={trouble.about} lotId={lotId} />
        </li>
      ))}
    </ul>
  );
}

function Help({ about, lotId }: { about: Trouble['about']; lotId: number }) {
  if ('product' in about)
    return (
      <Link class="button small" to={`${lotPath(lotId)}?product=${about.product}`}>
        {words.troubles.toProduct}
      </Link>
    );
  if ('camera' in about)
    return (
      <Link class="button small" to={`${VIEW_PATHS.devices}?show=cameras`}>
        {words.troubles.toCamera}
      </Link>
    );
  return (
    <Link class="button small" to={VIEW_PATHS.devices}>
      {words.troubles.toGateway}
    </Link>
  );
}
