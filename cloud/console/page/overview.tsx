/** All lots, the one that needs a person first, with what waits and what happens. On a desk they stand beside each other. */
import { useSignal } from '@preact/signals';
import { needsPerson } from '../../../shared/troubles/trouble.js';
import { lotPath, VIEW_PATHS } from '../console-paths.js';
import { worstFirst } from '../wording/lot-troubles.js';
import { words } from './browser.js';
import { LoadingSign } from './loading-sign.js';
import { Now } from './now-part.js';
import { Occupancy, spotsOfLot } from './occupancy-part.js';
import { Button, Link, Notice } from './parts.js';
import { queryOf, setQuery } from './place.js';
import { ProductRow } from './product-part.js';
import { mayManage, mayRule } from './session.js';
import { SetupChanges } from './setup-changes.js';
import { LotForm } from './lot-form.js';
import { Today } from './spark-part.js';
import { watched } from './trouble-store.js';
import { accountTroubles, troublesOfLot } from './troubles-part.js';
import { waitingCount, Waits } from './waits-part.js';
import { isLoaded, loadRefusal, type Lot, lots, products, zones } from './store.js';

export function Overview() {
  const notice = useSignal('');
  if (!isLoaded.value) return <LoadingSign />;
  const ordered = worstFirst(lots.value.map((lot) => ({ ...lot, troubles: troublesOfLot(lot) })));
  const ofAccount = accountTroubles();
  const count =
    [ofAccount, ...ordered.map(({ troubles }) => troubles)].flat().filter(needsPerson).length + waitingCount();
  const make = mayRule.value && <Button look="main" word={words.setup.lot} onClick={() => setQuery({ edit: 'lot' })} />;
  return (
    <>
      <div class="head">
        <h1 tabIndex={-1}>{words.views.overview}</h1>
        <Lead count={count} />
        <Plans lots={ordered} />
        {ordered.length > 0 && (
          <Link class="button small" to={VIEW_PATHS.kiosk}>
            {words.views.kiosk}
          </Link>
        )}
        {ordered.length > 0 && make}
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
      {ordered.length === 0 && (
        <div class="empty first">
          <p>{words.overview.noLots}</p>
          {make}
        </div>
      )}
      <div class="overview">
        <Waits lots={ordered} ofAccount={ofAccount} />
        <div class="lots">
          {ordered.map((lot) => (
            <LotCard key={lot.id} lot={lot} isTroubled={lot.troubles.some(needsPerson)} />
          ))}
        </div>
        <Now />
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

/** More lots have their plans in their own views. */
const PLANS_MAX = 4;

/** The plans of the lots, where they can be reached at once. */
function Plans({ lots: all }: { lots: readonly Lot[] }) {
  if (all.length === 0 || all.length > PLANS_MAX) return null;
  return (
    <nav class="buttons" aria-label={words.plan.plan}>
      {all.map(({ id, name }) => (
        <Link key={id} class="button small" to={`${lotPath(id)}?show=plan`}>
          {all.length === 1 ? words.plan.plan : `${words.plan.plan}: ${name}`}
        </Link>
      ))}
    </nav>
  );
}

function LotCard({ lot, isTroubled }: { lot: Lot; isTroubled: boolean }) {
  const own = products.value.filter(({ lot_id }) => lot_id === lot.id);
  const hasZones = zones.value.some(({ lot_id }) => lot_id === lot.id);
  return (
    <article class={isTroubled ? 'card lot troubled' : 'card lot'} aria-labelledby={`lot-${lot.id}`}>
      <header>
        <div>
          <h2 id={`lot-${lot.id}`}>
            <Link to={lotPath(lot.id)}>{lot.name}</Link>
          </h2>
          <p class="facts">{lot.address}</p>
        </div>
      </header>
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
