/** One thing of a lot's drawing. */
import type { Spot } from '../drawing/plan-layout.js';
import { CameraShape, PlaceShape, ProductShape, ZoneShape } from './plan-shapes.js';
import { labelOf, stateOf } from './plan-words.js';
import { type Place, productOf } from './store.js';

export type Thing = Pick<Spot, 'kind' | 'id'>;

/** As the address has it. */
export const keyOf = ({ kind, id }: Thing): string => `${kind}-${id}`;
export const elementId = (thing: Thing): string => `in-plan-${keyOf(thing)}`;

/** It takes the pointer and the keyboard. @param props.hasCorner by which its size is changed */
export function ThingShown(props: {
  spot: Spot;
  places: readonly Place[];
  isHeld: boolean;
  isPressed: boolean;
  isTabbed: boolean;
  hasCorner: boolean;
  onFocus: () => void;
  onPress: () => void;
  onKeyDown: (event: KeyboardEvent) => void;
  onGrab: (event: PointerEvent, how: 'move' | 'resize') => void;
}) {
  const { spot, places, onGrab } = props;
  const { kind, x, y, width, height } = spot;
  return (
    <g
      class={`thing ${kind} ${stateOf(spot, places)}${props.isHeld ? ' held' : ''}`}
      transform={`translate(${x} ${y})`}
    >
      {/* The label says all of it, and more than fits into the drawing. */}
      <g aria-hidden="true">
        <Shape spot={spot} places={places} />
      </g>
      <rect
        id={elementId(spot)}
        class="hit"
        width={width}
        height={height}
        rx={12}
        role="button"
        tabindex={props.isTabbed ? 0 : -1}
        aria-label={labelOf(spot, places)}
        aria-pressed={props.isPressed}
        onFocus={props.onFocus}
        onClick={props.onPress}
        onKeyDown={props.onKeyDown}
        onPointerDown={(event) => onGrab(event, 'move')}
      />
      {props.hasCorner && (
        <path
          class="corner"
          d={`M${width} ${height - 30}V${height}H${width - 30}Z`}
          onPointerDown={(event) => onGrab(event, 'resize')}
        />
      )}
    </g>
  );
}

function Shape({ spot, places }: { spot: Spot; places: readonly Place[] }) {
  if (spot.kind === 'zone') return <ZoneShape spot={spot} />;
  if (spot.kind === 'lpr_camera') return <CameraShape spot={spot} />;
  if (spot.kind === 'product') {
    const product = productOf(spot.id);
    return product === undefined ? null : <ProductShape spot={spot} product={product} />;
  }
  const place = places.find(({ id }) => id === spot.id);
  return place === undefined ? null : <PlaceShape spot={spot} place={place} />;
}
