/** How many vehicles are in a lot, by the places that are taken and by who is inside. */
import { VIEW_PATHS } from '../console-paths.js';
import { whyApart } from '../wording/counts-apart.js';
import { words } from './browser.js';
import { insideTotal } from './inside-store.js';
import { Link } from './parts.js';
import { inside, zones } from './store.js';

/** How many vehicles a lot has room for; 0: a zone without a limit makes the lot one. */
export function spotsOfLot(lotId: number): number {
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
      <InsideToo lotId={lotId} />
    </div>
  );
}

/** Who is inside by entries and exits, where that is another number than the places that are taken, and why it is. */
function InsideToo({ lotId }: { lotId: number }) {
  const own = zones.value.filter(({ lot_id }) => lot_id === lotId);
  const ids = new Set(own.map(({ id }) => id));
  const isWhole = insideTotal.value !== null && insideTotal.value === inside.value.length;
  const count = inside.value.filter(({ zone_id }) => ids.has(zone_id)).length;
  const why = isWhole ? whyApart(own, count, words) : null;
  if (why === null) return null;
  return (
    <p class="hint">
      <Link to={`${VIEW_PATHS.inside}?lot=${lotId}`}>{words.overview.insideToo(count)}</Link> {why}
    </p>
  );
}
