/** A lot as a drawing: what stands where and how it is, and, for who may, where it should stand. */
import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';
import { arrange, nameOf, type PlanThings, type SavedSpot, type Spot } from '../drawing/plan-layout.js';
import {
  alongFrom,
  type Direction,
  type Frame,
  frameOf,
  GRID,
  moveTo,
  nextFrom,
  resizeTo,
  savedOf,
  STEPS,
} from '../drawing/plan-moves.js';
import type { Refusal } from '../wording/sentences.js';
import { words } from './browser.js';
import { useDraft } from './draft.js';
import { CallShown, Empty, Refused } from './parts.js';
import { query, setQuery } from './place.js';
import { PlanPanel } from './plan-panel.js';
import { elementId, keyOf, type Thing, ThingShown } from './plan-thing.js';
import { labelOf } from './plan-words.js';
import { readPlanAgain, savePlan, shownLot } from './plan-store.js';
import { isManager, refusalOf } from './session.js';
import { cameras, type Lot, type Place, products, zones } from './store.js';

/** While things are moved there is room for them beyond what stands there now. */
const ROOM = 240;
const WAS_CHANGED = 412;

/** What holds a thing: the pointer with its distance from the thing's corner, or the keyboard. */
interface Held {
  thing: Thing;
  how: 'move' | 'resize';
  dx: number;
  dy: number;
}

function thingsOf(lot_id: number, places: readonly Place[]): PlanThings {
  const own = zones.value.filter((zone) => zone.lot_id === lot_id);
  const ids = new Set(own.map(({ id }) => id));
  return {
    zones: own,
    places,
    products: products.value.filter((product) => product.lot_id === lot_id),
    cameras: cameras.value.filter(({ zone_id }) => ids.has(zone_id)),
  };
}

export function LotPlan({ lot }: { lot: Lot }) {
  const [form, reset] = useDraft(`plan-${lot.id}`, { isArranging: false, items: [] as SavedSpot[] });
  const refusal = useSignal<Refusal | null>(null);
  const saved = useSignal<SavedSpot[] | null>(null);
  const known = shownLot.value;
  if (known?.lot_id !== lot.id) return <Empty>{words.loading}</Empty>;
  const things = thingsOf(lot.id, known.places);
  const { isArranging, items } = form.value;
  const spots = arrange(things, isArranging ? items : known.plan);
  if (spots.length === 0) return <Empty>{words.plan.nothing}</Empty>;

  const change = (next: readonly Spot[]) => (form.value = { isArranging: true, items: savedOf(next) });
  const attempt = async (work: () => Promise<unknown>) => {
    refusal.value = null;
    try {
      await work();
    } catch (error) {
      refusal.value = refusalOf(error);
    }
  };
  const save = async () => {
    await savePlan(lot.id, items);
    saved.value = items;
    reset();
  };
  const readAgain = async (then: () => unknown) => {
    await readPlanAgain(lot.id);
    await then();
  };
  const begin = () => {
    saved.value = null;
    change(spots);
  };
  return (
    <section class="plan" aria-label={words.plan.title(lot.name)}>
      {isManager.value && !isArranging && (
        <div class="buttons">
          <button type="button" onClick={begin}>
            {words.plan.arrange}
          </button>
        </div>
      )}
      {isManager.value && isArranging && (
        <ArrangeButtons
          onSave={() => void attempt(save)}
          onDiscard={reset}
          onAutomatic={() => change(arrange(things, []))}
        />
      )}
      {refusal.value?.status === WAS_CHANGED ? (
        <WasChanged
          onTheirs={() => void attempt(() => readAgain(reset))}
          onMine={() => void attempt(() => readAgain(save))}
        />
      ) : (
        <Refused refusal={refusal.value} />
      )}
      {saved.value !== null && !isArranging && (
        <div role="status">
          <p class="notice good">{words.plan.saved}</p>
          <CallShown call={{ method: 'PUT', path: `/v2/lots/${lot.id}/plan`, body: { items: saved.value } }} />
        </div>
      )}
      <div class="drawing">
        <Drawing lot={lot} spots={spots} places={known.places} onChange={isArranging ? change : null} />
        {!isArranging && <PlanPanel places={known.places} />}
      </div>
    </section>
  );
}

function ArrangeButtons(props: { onSave: () => void; onDiscard: () => void; onAutomatic: () => void }) {
  return (
    <div class="buttons">
      <button type="button" class="main" onClick={props.onSave}>
        {words.plan.save}
      </button>
      <button type="button" onClick={props.onDiscard}>
        {words.plan.discard}
      </button>
      <button type="button" onClick={props.onAutomatic}>
        {words.plan.automatic}
      </button>
    </div>
  );
}

/** Somebody else arranged the lot meanwhile. */
function WasChanged({ onTheirs, onMine }: { onTheirs: () => void; onMine: () => void }) {
  return (
    <div class="notice bad" role="alert">
      <p>{words.plan.changed}</p>
      <div class="buttons">
        <button type="button" class="small" onClick={onTheirs}>
          {words.plan.theirs}
        </button>
        <button type="button" class="small" onClick={onMine}>
          {words.plan.mine}
        </button>
      </div>
    </div>
  );
}

/** @param props.onChange null: things stay where they are */
function Drawing(props: {
  lot: Lot;
  spots: readonly Spot[];
  places: readonly Place[];
  onChange: ((spots: readonly Spot[]) => void) | null;
}) {
  const { lot, spots, places, onChange } = props;
  const isArranging = onChange !== null;
  const svg = useRef<SVGSVGElement>(null);
  const held = useSignal<Held | null>(null);
  /** The one thing that Tab leads to. */
  const current = useSignal<string | null>(null);
  const said = useSignal('');
  const hint = useId();
  useEffect(() => {
    held.value = null;
    said.value = '';
  }, [isArranging]);
  const frame = useFrame(spots, isArranging, held);
  const chosen = query.value.get('at');
  const tabbed = spots.find((spot) => nameOf(spot) === current.value) ?? spots[0];

  const focusOn = (thing: Thing) => {
    current.value = nameOf(thing);
    document.getElementById(elementId(thing))?.focus();
  };
  const apply = (by: Pick<Held, 'thing' | 'how'>, point: Point) => onChange?.(draggedTo(spots, by, point));
  const press = (spot: Spot) => {
    current.value = nameOf(spot);
    if (isArranging) return;
    setQuery({ at: chosen === keyOf(spot) ? '' : keyOf(spot) });
  };
  const toggleHeld = (spot: Spot) => {
    const isHeld = held.value !== null;
    held.value = isHeld ? null : { thing: spot, how: 'move', dx: 0, dy: 0 };
    const name = labelOf(spot, places);
    said.value = isHeld ? words.plan.putDown(name) : words.plan.taken(name);
  };
  const onKeyDown = (event: KeyboardEvent, spot: Spot) => {
    const { key } = event;
    if (key === 'Enter' || key === ' ') {
      if (isArranging) toggleHeld(spot);
      else press(spot);
    } else if (key === 'Escape' && held.value !== null) toggleHeld(spot);
    else if (held.value === null && (key === 'PageDown' || key === 'PageUp'))
      focusOn(alongFrom(spots, spot, key === 'PageDown' ? 1 : -1));
    else if (key in STEPS) {
      const [stepX, stepY] = STEPS[key as Direction];
      if (held.value === null) focusOn(nextFrom(spots, spot, key as Direction));
      else if (event.shiftKey) apply({ thing: spot, how: 'resize' }, cornerOf(spot, stepX, stepY));
      else apply({ thing: spot, how: 'move' }, { x: spot.x + stepX * GRID, y: spot.y + stepY * GRID });
    } else return;
    event.preventDefault();
  };

  const onPointerDown = (event: PointerEvent, spot: Spot, how: Held['how']) => {
    if (!isArranging || event.button !== 0) return;
    event.preventDefault();
    event.stopPropagation();
    focusOn(spot);
    svg.current?.setPointerCapture(event.pointerId);
    const { x, y } = pointIn(svg.current, event);
    const from = how === 'move' ? spot : { x: spot.x + spot.width, y: spot.y + spot.height };
    held.value = { thing: spot, how, dx: x - from.x, dy: y - from.y };
  };
  const onPointerMove = (event: PointerEvent) => {
    if (held.value === null || svg.current?.hasPointerCapture(event.pointerId) !== true) return;
    const { x, y } = pointIn(svg.current, event);
    apply(held.value, { x: x - held.value.dx, y: y - held.value.dy });
  };
  const onPointerUp = (event: PointerEvent) => {
    if (svg.current?.hasPointerCapture(event.pointerId) === true) held.value = null;
  };
  return (
    <div class="sheet">
      <div class="scroll">
        <svg
          ref={svg}
          class={isArranging ? 'arranging' : ''}
          viewBox={[frame.x, frame.y, frame.width, frame.height].join(' ')}
          role="group"
          aria-label={words.plan.title(lot.name)}
          aria-describedby={hint}
          onPointerMove={onPointerMove}
          onPointerUp={onPointerUp}
          onPointerCancel={onPointerUp}
        >
          {spots.map((spot) => {
            const name = nameOf(spot);
            const isHeld = held.value !== null && nameOf(held.value.thing) === name;
            return (
              <ThingShown
                key={name}
                spot={spot}
                places={places}
                isHeld={isHeld}
                isPressed={isArranging ? isHeld : chosen === keyOf(spot)}
                isTabbed={tabbed !== undefined && name === nameOf(tabbed)}
                hasCorner={isArranging && spot.kind === 'zone'}
                onFocus={() => (current.value = name)}
                onPress={() => press(spot)}
                onKeyDown={(event) => onKeyDown(event, spot)}
                onGrab={(event, how) => onPointerDown(event, spot, how)}
              />
            );
          })}
        </svg>
      </div>
      <p id={hint} class="hint">
        {isArranging ? words.plan.howToArrange : words.plan.how}
      </p>
      <p role="status" class="hint">
        {said.value}
      </p>
    </div>
  );
}

interface Point {
  x: number;
  y: number;
}

/** The things when the one that is held, or its lower right corner, is at this point. */
function draggedTo(
  spots: readonly Spot[],
  { thing, how }: Pick<Held, 'thing' | 'how'>,
  { x, y }: Point,
): readonly Spot[] {
  if (how === 'move') return moveTo(spots, thing, { x, y });
  const own = spots.find((spot) => nameOf(spot) === nameOf(thing));
  return own === undefined ? spots : resizeTo(spots, thing, { width: x - own.x, height: y - own.y });
}

/** Where the pointer is, as the drawing counts. */
function pointIn(svg: SVGSVGElement | null, { clientX, clientY }: PointerEvent): Point {
  const matrix = svg?.getScreenCTM()?.inverse();
  return matrix === undefined ? { x: 0, y: 0 } : new DOMPoint(clientX, clientY).matrixTransform(matrix);
}

/** The part that is drawn. It stands still while something is moved: else what is below the pointer would run away. */
function useFrame(spots: readonly Spot[], isArranging: boolean, held: Signal<Held | null>): Frame {
  const kept = useRef<Frame | null>(null);
  if (held.value === null || kept.current === null) kept.current = frameOf(spots, isArranging ? ROOM : 0);
  return kept.current;
}

const cornerOf = ({ x, y, width, height }: Spot, stepX: number, stepY: number) => ({
  x: x + width + stepX * GRID,
  y: y + height + stepY * GRID,
});
