/** What needs a person in a lot, each with the button that leads to it. */
import { lotPath, VIEW_PATHS } from '../console-paths.js';
import { type Trouble, troublesOf } from '../wording/lot-troubles.js';
import { timeOf, words } from './browser.js';
import { Link } from './parts.js';
import { cameras, gateways, healths, lots, minute, products, zones } from './store.js';

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
