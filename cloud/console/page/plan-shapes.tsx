/** How each kind of thing is drawn in a plan: by shape, word and colour, all from its state as it is now. */
import type { Spot } from '../drawing/plan-layout.js';
import { errorOf, passStateOf, stayOf } from '../wording/product-view.js';
import { isRefused } from '../wording/sentences.js';
import { words } from './browser.js';
import { placeStateOf } from './plan-store.js';
import { shownPlate } from './plate-mask.js';
import { cameraOf, type Place, type Product, type Reading, readings, zoneOf } from './store.js';

/** Text of SVG does not wrap: what is too long ends in an ellipsis, and is whole in the thing's label. */
const short = (text: string, charsMax: number): string =>
  text.length <= charsMax ? text : `${[...text].slice(0, charsMax - 1).join('')}…`;

const CHARS_PER_UNIT = 1 / 9.5;
/** How wide a character of a zone's count is. */
const COUNT_CHAR = 8.6;
const fitting = (text: string, width: number): string => short(text, Math.max(3, Math.floor(width * CHARS_PER_UNIT)));

/** How wide a character of a small label is. */
const SMALL_CHAR = 8.8;

/** A name that is a little too long is drawn closer, so that it ends within its thing. */
const squeezed = (text: string, width: number) =>
  text.length * SMALL_CHAR > width ? { textLength: width, lengthAdjust: 'spacingAndGlyphs' as const } : {};

export const lastReadingOf = (cameraId: number): Reading | undefined =>
  readings.value.find(({ lpr_camera_id }) => lpr_camera_id === cameraId);

export function ZoneShape({ spot: { id, width, height } }: { spot: Spot }) {
  const zone = zoneOf(id);
  if (zone === undefined) return null;
  const { name, occupied_count, spot_count } = zone;
  const share = spot_count === 0 ? 0 : Math.min(1, occupied_count / spot_count);
  const count = words.overview.occupied(occupied_count, spot_count);
  const room = width - 48;
  return (
    <>
      <rect class="area" width={width} height={height} rx={16} />
      <text class="name" x={16} y={30}>
        {fitting(name, room - count.length * COUNT_CHAR)}
      </text>
      <text class="count" x={width - 16} y={30} text-anchor="end">
        {count}
      </text>
      {spot_count > 0 && (
        <>
          <rect class="track" x={16} y={40} width={width - 32} height={5} rx={2.5} />
          <rect
            class={share === 1 ? 'fill full' : 'fill'}
            x={16}
            y={40}
            width={(width - 32) * share}
            height={5}
            rx={2.5}
          />
        </>
      )}
    </>
  );
}

export function PlaceShape({ spot: { width, height }, place }: { spot: Spot; place: Place }) {
  const state = placeStateOf(place);
  return (
    <>
      <path class="bay" d={`M0 0V${height}H${width}V0`} />
      <rect class="surface" width={width} height={height} />
      <text class="label" x={width / 2} y={height - 7} text-anchor="middle">
        {short(place.name ?? '', 5)}
      </text>
      {state === 'occupied' && <Car x={width / 2 - 12} y={5} />}
      {state === 'free' && <circle class="free" cx={width / 2} cy={26} r={7} />}
      {state === 'unknown' && (
        <text class="unknown" x={width / 2} y={36} text-anchor="middle">
          ?
        </text>
      )}
    </>
  );
}

const Car = ({ x, y }: { x: number; y: number }) => (
  <g class="car" transform={`translate(${x} ${y})`}>
    <rect width={24} height={44} rx={8} />
    <path class="glass" d="M4 14q8-5 16 0v5q-8-3-16 0zM5 35q7 3 14 0v-3q-7 2-14 0z" />
  </g>
);

/** A gap in a wall with a bar across it, or without one: the same sign for barriers, gates, chains and bollards. */
export function ProductShape({ spot: { width, height }, product }: { spot: Spot; product: Product }) {
  const state = passStateOf(product);
  const error = errorOf(product);
  const stay = stayOf(product);
  const said = error !== null ? words.states.error : stay === null ? words.states[state] : words.product.stays[stay];
  const middle = width / 2;
  return (
    <>
      <rect class="body" width={width} height={height} rx={12} />
      <g class="gap" transform={`translate(${middle - 45} 12)`}>
        <rect class="post" width={12} height={26} rx={3} />
        <rect class="post" x={78} width={12} height={26} rx={3} />
        {state === 'blocked' && <rect class="bar" x={12} y={9} width={66} height={8} />}
        {state === 'passable' && <path class="way" d="M32 4l9 9-9 9M50 4l9 9-9 9" />}
        {state === 'unknown' && <path class="maybe" d="M14 13h62" />}
        {state === 'error' && <path class="broken" d="M16 19l18-12M56 19l18-12M45 5v9M45 19v2" />}
      </g>
      <text class="label" x={middle} y={60} text-anchor="middle">
        {fitting(product.name, width - 8)}
      </text>
      <text class="state" x={middle} y={82} text-anchor="middle">
        {fitting(said, width - 8)}
      </text>
      {(error !== null || product.status === 'offline') && <Alarm x={width - 12} y={12} />}
    </>
  );
}

export function CameraShape({ spot: { id, width, height } }: { spot: Spot }) {
  const camera = cameraOf(id);
  if (camera === undefined) return null;
  const reading = lastReadingOf(id);
  const name = fitting(camera.name, (width - 54) * 1.2);
  const tone = reading === undefined ? '' : isRefused(reading) ? 'bad' : reading.access_decision === null ? '' : 'good';
  return (
    <>
      <rect class="body" width={width} height={height} rx={12} />
      <g class="lens" transform="translate(12 10)">
        <rect width={22} height={14} rx={3} />
        <path d="M22 5l9-4v12l-9-4z" />
      </g>
      <text class="label small" x={48} y={22} {...squeezed(name, width - 54)}>
        {name}
      </text>
      {camera.status === 'online' ? (
        <text class={`read ${tone}`} x={width / 2} y={56} text-anchor="middle">
          {fitting(reading === undefined ? '–' : shownPlate(reading.plate), width - 16)}
        </text>
      ) : (
        <text class="silent" x={width / 2} y={56} text-anchor="middle">
          {fitting(words.lot.cameraOffline(null), width - 16)}
        </text>
      )}
      {camera.status !== 'online' && <Alarm x={width - 12} y={12} />}
    </>
  );
}

/** Something here needs a person. */
const Alarm = ({ x, y }: { x: number; y: number }) => (
  <g class="alarm" transform={`translate(${x} ${y})`}>
    <circle r={10} />
    <path d="M0-5v5M0 4v1" />
  </g>
);
