/** The drawing of a lot: it takes the pointer and the keyboard, by which things are chosen, or moved while the lot is arranged. */
import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';
import { nameOf, type Spot } from '../drawing/plan-layout.js';
import {
  alongFrom,
  type Direction,
  type Frame,
  frameOf,
  GRID,
  moveTo,
  nextFrom,
  resizeTo,
  STEPS,
} from '../drawing/plan-moves.js';
import { words } from './browser.js';
import { queryOf, setQuery } from './place.js';
import { elementId, keyOf, type Thing, ThingShown } from './plan-thing.js';
import { labelOf } from './plan-words.js';
import type { Lot, Place } from './store.js';

/** While things are moved there is room for them beyond what stands there now. */
const ROOM = 240;

/** The holder of a thing: the pointer with its distance from the thing's corner, or the keyboard. */
interface Held {
  thing: Thing;
  how: 'move' | 'resize';
  dx: number;
  dy: number;
}

/** The functions of the drawing that the pointer and the keyboard need. */
interface Hand {
  spots: readonly Spot[];
  isArranging: boolean;
  held: Signal<Held | null>;
  focusOn: (thing: Thing) => void;
  /** Brings what is held, or its lower right corner, to a point. */
  apply: (by: Pick<Held, 'thing' | 'how'>, point: Point) => void;
  /** Enter and space: a thing is chosen, or taken up and put down. */
  press: (spot: Spot) => void;
}

interface DrawingProps {
  lot: Lot;
  spots: readonly Spot[];
  places: readonly Place[];
  /** null: things stay where they are. */
  onChange: ((spots: readonly Spot[]) => void) | null;
}

/** What is chosen, what is held, and the one thing that the Tab key leads to. */
function useHand({ spots, places, onChange }: DrawingProps) {
  const isArranging = onChange !== null;
  const held = useSignal<Held | null>(null);
  const current = useSignal<string | null>(null);
  const said = useSignal('');
  useEffect(() => {
    held.value = null;
    said.value = '';
  }, [isArranging]);
  const chosen = queryOf('at');
  const tabbed = spots.find((spot) => nameOf(spot) === current.value) ?? spots[0];
  const isHeld = (spot: Spot) => held.value !== null && nameOf(held.value.thing) === nameOf(spot);
  const choose = (spot: Spot) => {
    current.value = nameOf(spot);
    if (!isArranging) setQuery({ at: chosen === keyOf(spot) ? '' : keyOf(spot) });
  };
  const toggleHeld = (spot: Spot) => {
    const name = labelOf(spot, places);
    said.value = held.value === null ? words.plan.lifted(name) : words.plan.putDown(name);
    held.value = held.value === null ? { thing: spot, how: 'move', dx: 0, dy: 0 } : null;
  };
  const focusOn = (thing: Thing) => {
    current.value = nameOf(thing);
    document.getElementById(elementId(thing))?.focus();
  };
  const apply: Hand['apply'] = (by, point) => onChange?.(draggedTo(spots, by, point));
  const hand: Hand = { spots, isArranging, held, focusOn, apply, press: isArranging ? toggleHeld : choose };
  return {
    hand,
    said: said.value,
    /** How a thing is shown now. */
    lookOf: (spot: Spot) => ({
      isHeld: isHeld(spot),
      isPressed: isArranging ? isHeld(spot) : chosen === keyOf(spot),
      isTabbed: tabbed !== undefined && nameOf(spot) === nameOf(tabbed),
      hasCorner: isArranging && spot.kind === 'zone',
      onFocus: () => (current.value = nameOf(spot)),
      onPress: () => choose(spot),
    }),
  };
}

export function Drawing(props: DrawingProps) {
  const { lot, spots, places } = props;
  const { hand, said, lookOf } = useHand(props);
  const { isArranging, held } = hand;
  const hint = useId();
  const frame = useFrame(spots, isArranging, held);
  const pointer = usePointer(hand);
  return (
    <div class="sheet">
      <div class="scroll">
        <svg
          ref={pointer.svg}
          class={isArranging ? 'arranging' : ''}
          viewBox={[frame.x, frame.y, frame.width, frame.height].join(' ')}
          role="group"
          aria-label={words.plan.title(lot.name)}
          aria-describedby={hint}
          onPointerMove={pointer.move}
          onPointerUp={pointer.release}
          onPointerCancel={pointer.release}
        >
          {spots.map((spot) => (
            <ThingShown
              key={nameOf(spot)}
              spot={spot}
              places={places}
              {...lookOf(spot)}
              onKeyDown={(event) => handleKey(event, spot, hand)}
              onGrab={(event, how) => pointer.grab(event, spot, how)}
            />
          ))}
        </svg>
      </div>
      <p id={hint} class="hint">
        {isArranging ? words.plan.howToArrange : words.plan.how}
      </p>
      <p role="status" class="hint">
        {said}
      </p>
    </div>
  );
}

/** Arrow keys go to the next thing, or move what is held; with Shift they change its size. */
function handleKey(event: KeyboardEvent, spot: Spot, { spots, held, focusOn, apply, press }: Hand): void {
  const { key } = event;
  const isHeld = held.value !== null;
  if (key === 'Enter' || key === ' ' || (key === 'Escape' && isHeld)) press(spot);
  else if (!isHeld && (key === 'PageDown' || key === 'PageUp'))
    focusOn(alongFrom(spots, spot, key === 'PageDown' ? 1 : -1));
  else if (key in STEPS) {
    const [stepX, stepY] = STEPS[key as Direction];
    if (!isHeld) focusOn(nextFrom(spots, spot, key as Direction));
    else if (event.shiftKey) apply({ thing: spot, how: 'resize' }, cornerOf(spot, stepX, stepY));
    else apply({ thing: spot, how: 'move' }, { x: spot.x + stepX * GRID, y: spot.y + stepY * GRID });
  } else return;
  event.preventDefault();
}

/** The pointer holds a thing from its press to its release, also outside the drawing. */
function usePointer({ isArranging, held, focusOn, apply }: Hand) {
  const svg = useRef<SVGSVGElement>(null);
  const isCaptured = ({ pointerId }: PointerEvent) => svg.current?.hasPointerCapture(pointerId) === true;
  return {
    svg,
    grab(event: PointerEvent, spot: Spot, how: Held['how']) {
      if (!isArranging || event.button !== 0) return;
      event.preventDefault();
      event.stopPropagation();
      focusOn(spot);
      svg.current?.setPointerCapture(event.pointerId);
      const { x, y } = pointIn(svg.current, event);
      const from = how === 'move' ? spot : { x: spot.x + spot.width, y: spot.y + spot.height };
      held.value = { thing: spot, how, dx: x - from.x, dy: y - from.y };
    },
    move(event: PointerEvent) {
      if (held.value === null || !isCaptured(event)) return;
      const { x, y } = pointIn(svg.current, event);
      apply(held.value, { x: x - held.value.dx, y: y - held.value.dy });
    },
    release(event: PointerEvent) {
      if (isCaptured(event)) held.value = null;
    },
  };
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
