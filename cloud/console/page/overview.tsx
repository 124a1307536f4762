/** All lots, the one that needs a person first. */
import { useSignal } from '@preact/signals';
import { needsPerson, type Trouble } from '../../../shared/troubles/trouble.js';
import { lotPath } from '../console-paths.js';
import { worstFirst } from '../wording/lot-troubles.js';
import { words } from './browser.js';
import { LoadingSign } from './loading-sign.js';
import { Button, Empty, Link, Notice } from './parts.js';
import { queryOf, setQuery } from './place.js';
import { ProductRow } from './product-part.js';
import { mayManage, mayRule } from './session.js';
import { SetupChanges } from './setup-changes.js';
import { LotForm } from './setup-forms.js';
import { Today } from './spark-part.js';
import { isLoaded, loadRefusal, type Lot, lots, products, zones } from './store.js';
import { watched } from './trouble-store.js';
import { accountTroubles, Troubles, troublesOfLot } from './troubles-part.js';

export function Overview() {
  const notice = useSignal('');
  if (!isLoaded.value) return <LoadingSign />;
  const ordered = worstFirst(lots.value.map((lot) => ({ ...lot, troubles: troublesOfLot(lot) })));
  const ofAccount = accountTroubles();
  const count = [ofAccount, ...ordered.map(({ troubles }) => troubles)].flat().filter(needsPerson).length;

  return (
    <>
      <div class="head">
        <h1 tabIndex={-1}>{words.views.overview}</h1>
        <Lead count={count} />
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
      <Troubles troubles={ofAccount} title={words.ofAccount} />
      {ordered.length === 0 && <Empty>{words.overview.noLots}</Empty>}
      <div class="lots">
        {ordered.map((lot) => (
          <LotCard key={lot.id} lot={lot} troubles={lot.troubles} />
        ))}
      </div>
    </>
  );
}

/** Nothing is well before everything was read. */
function Lead({ count }: { count: number }) {
  if (count > 0) return <p class="lead bad">{words.troubles.needs(count)}</p>;
  if (loadRefusal.value !== null) return <p class="lead bad">{words.overview.unsure}</p>;
  return watched.value === null ? <p class="lead">{words.loading}</p> : <p class="lead good">{words.troubles.calm}</p>;
}

function LotCard({ lot, troubles }: { lot: Lot; troubles: readonly Trouble[] }) {
  const own = products.value.filter(({ lot_id }) => lot_id === lot.id);
  const hasZones = zones.value.some(({ lot_id }) => lot_id === lot.id);
  return (
    <article class={troubles.some(needsPerson) ? 'card lot troubled' : 'card lot'} aria-labelledby={`lot-${lot.id}`}>
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
