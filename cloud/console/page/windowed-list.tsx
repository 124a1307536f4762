/**
 * A list of which only the part near the window is made. It is cut into lists of fifty rows; one that is far away is an empty box as
 * high as it was. Ten thousand rows are then a few hundred in the page, whatever their heights.
 */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { words } from './browser.js';

const ROWS = 50;
/** How far beyond the window rows are made, so that scrolling does not see them come. */
const NEAR_PX = 1_200;
/** Before a part was shown, its rows are taken to be this high. */
const ROW_PX = 72;

export function WindowedList<Item extends { id: number }>(props: {
  items: readonly Item[];
  row: (item: Item) => ComponentChildren;
}) {
  const { items, row } = props;
  const parts = Array.from({ length: Math.ceil(items.length / ROWS) }, (_, at) => at);
  return (
    <div class="windowed">
      {parts.map((at) => (
        <Part key={at} first={at * ROWS} items={items.slice(at * ROWS, (at + 1) * ROWS)} row={row} />
      ))}
    </div>
  );
}

function Part<Item extends { id: number }>(props: {
  first: number;
  items: readonly Item[];
  row: (item: Item) => ComponentChildren;
}) {
  const { first, items, row } = props;
  const box = useRef<HTMLDivElement>(null);
  const isNear = useSignal(first === 0);
  const height = useRef(items.length * ROW_PX);
  useEffect(() => {
    const { current: shown } = box;
    if (shown === null) return;
    const near = new IntersectionObserver(
      (entries) => {
        const isSeen = entries.at(-1)?.isIntersecting ?? false;
        if (isSeen) isNear.value = true;
        // What has the focus stays, or the keyboard would be lost.
        else if (isNear.value && !shown.contains(document.activeElement)) {
          height.current = shown.offsetHeight;
          isNear.value = false;
        }
      },
      { rootMargin: `${NEAR_PX}px 0px` },
    );
    near.observe(shown);
    return () => near.disconnect();
  }, []);
  return (
    <div ref={box} style={isNear.value ? { minHeight: 'auto' } : { minHeight: `${height.current}px` }}>
      {isNear.value && (
        <ul class="stays" aria-label={words.found.rows(first + 1, first + items.length)}>
          {items.map(row)}
        </ul>
      )}
    </div>
  );
}

/** Asks for more when its place comes near the window; by keyboard it is a button. */
export function MoreRows({ onMore, label }: { onMore: () => void; label: string }) {
  const box = useRef<HTMLButtonElement>(null);
  const ask = useRef(onMore);
  ask.current = onMore;
  useEffect(() => {
    if (box.current === null) return;
    const near = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) ask.current();
      },
      { rootMargin: `${NEAR_PX}px 0px` },
    );
    near.observe(box.current);
    return () => near.disconnect();
  });
  return (
    <button type="button" ref={box} onClick={onMore}>
      {label}
    </button>
  );
}
