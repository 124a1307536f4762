/** How well gateways hear each product over time: where a gateway stands badly, and what has come into the way. */
import type { components } from '@parking-gateway/client';
import { DAY_MS, HOUR_MS } from '../../../shared/durations.js';
import { dateFormat } from '../wording/clock-text.js';
import { signalLines, signalY, WEAK_DBM } from '../wording/signal-lines.js';
import { words } from './browser.js';
import { Choice, named, worded } from './fields.js';
import { Empty, Refused } from './parts.js';
import { queryOf, query, setQuery } from './place.js';
import { client } from './session.js';
import { gatewayOf, gateways, lots, type Product, products, serverMinute } from './store.js';
import { useRead } from './use-read.js';

const say = words.devices;

const RANGES = { day: DAY_MS, week: 7 * DAY_MS, month: 30 * DAY_MS };
type Range = keyof typeof RANGES;
const isRange = (name: string): name is Range => Object.hasOwn(RANGES, name);
/** So many plots are looked at together; each is one request. */
const PLOTS_MAX = 24;
const WIDTH = 600;
const HEIGHT = 160;
const STYLES = 4;
const GRID_DBM = [-40, -60, -80];

export function SignalPart() {
  const lotId = Number(query.value.get('lot') ?? lots.value[0]?.id ?? 0);
  const wanted = queryOf('range');
  const range: Range = isRange(wanted) ? wanted : 'day';
  const own = products.value.filter(({ lot_id }) => lot_id === lotId).slice(0, PLOTS_MAX);
  return (
    <>
      <p class="facts">{say.signalWhat}</p>
      <search class="card filters">
        <Choice
          label={words.forms.lot}
          value={String(lotId)}
          onValue={(lot) => setQuery({ lot })}
          options={named(lots.value)}
        />
        <Choice
          label={say.range}
          value={range}
          onValue={(next) => setQuery({ range: next })}
          options={worded(say.ranges)}
        />
      </search>
      {own.length === 0 && <Empty>{say.noProducts}</Empty>}
      <div class="cards wide">
        {own.map((product) => (
          <ProductSignal key={product.id} product={product} range={range} />
        ))}
      </div>
    </>
  );
}

/** Whole hours, so that the same plot is asked for once in an hour and drawn from edge to edge. */

function ProductSignal({ product, range }: { product: Product; range: Range }) {
  const to = Math.ceil(serverMinute() / HOUR_MS) * HOUR_MS;
  const from = to - RANGES[range];
  const asked = useRead(`${product.id} ${from} ${to}`, (signal) =>
    client().get('/v2/products/{id}/signal', {
      path: { id: product.id },
      query: { from: new Date(from).toISOString(), to: new Date(to).toISOString() },
      signal,
    }),
  );
  return (
    <article class="card" aria-labelledby={`signal-${product.id}`}>
      <h2 id={`signal-${product.id}`}>{product.name}</h2>
      <Refused refusal={asked.refusal} onAgain={asked.again} />
      {asked.found !== null && <Plot product={product} hours={asked.found} from={from} to={to} />}
    </article>
  );
}

const nameOf = (id: number): string => gatewayOf(id)?.name ?? `#${id}`;
/** A gateway has the same line in every plot. */
const styleOf = (id: number): string => {
  const place = gateways.value.findIndex((each) => each.id === id);
  return `line-${Math.max(0, place) % STYLES}`;
};

function Plot(props: {
  product: Product;
  hours: readonly components['schemas']['SignalHour'][];
  from: number;
  to: number;
}) {
  const frame = { from: props.from, to: props.to, width: WIDTH, height: HEIGHT };
  const lines = signalLines(props.hours, frame);
  if (lines.length === 0) return <p class="notice">{say.signalNone}</p>;
  const parts = lines.map((each) =>
    say.signalPart(nameOf(each.gateway_id), each.median, each.weakest, each.hours_count),
  );
  const best = lines[0]?.median ?? 0;
  return (
    <>
      {best < WEAK_DBM && <p class="notice bad">{say.signalWeak}</p>}
      <svg
        class="plot"
        role="img"
        aria-label={say.signalOf(props.product.name, parts.join(' '))}
        viewBox={`0 0 ${WIDTH + 56} ${HEIGHT + 34}`}
      >
        {GRID_DBM.map((dbm) => (
          <g key={dbm}>
            <line class="grid" x1={0} x2={WIDTH} y1={signalY(dbm, frame)} y2={signalY(dbm, frame)} />
            <text x={WIDTH + 6} class="side" y={signalY(dbm, frame)}>
              {dbm}
            </text>
          </g>
        ))}
        <rect
          class="weak"
          x={0}
          width={WIDTH}
          y={signalY(WEAK_DBM, frame)}
          height={HEIGHT - signalY(WEAK_DBM, frame)}
        />
        {lines.map(({ gateway_id, band, line }) => (
          <g key={gateway_id} class={styleOf(gateway_id)}>
            <path class="band" d={band} />
            <path class="line" d={line} />
          </g>
        ))}
        {[0, 0.5, 1].map((part) => (
          <text
            key={part}
            class={part === 0 ? 'first' : part === 1 ? 'last' : 'middle'}
            x={part * WIDTH}
            y={HEIGHT + 8}
          >
            {tickOf(props.from + part * (props.to - props.from), props.to - props.from)}
          </text>
        ))}
      </svg>
      <ul class="legend">
        {lines.map(({ gateway_id, median }) => (
          <LegendItem key={gateway_id} look={styleOf(gateway_id)} text={say.signalLegend(nameOf(gateway_id), median)} />
        ))}
        <LegendItem look="weak" text={say.signalWeakBelow(WEAK_DBM)} />
      </ul>
    </>
  );
}

function LegendItem({ look, text }: { look: string; text: string }) {
  return (
    <li class={look}>
      <span class="swatch" aria-hidden="true" /> {text}
    </li>
  );
}

/** Of a day the hour, of more the date. */
const tickOf = (at: number, spanMs: number): string =>
  dateFormat(
    words.locale,
    spanMs <= DAY_MS ? { hour: '2-digit', minute: '2-digit' } : { day: 'numeric', month: 'short' },
  ).format(at);
