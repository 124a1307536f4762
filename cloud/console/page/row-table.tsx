/**
 * Rows of vehicles or of stays: columns that stand below each other, sorted by a press on their heads. What a row has to tell opens beside
 * the table on a desk, and below the row elsewhere; on a phone the same rows are small cards. Which row is open stands in the address, as
 * the order does.
 */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { inRowOrder, pressedOrder, type RowOrder, rowOrderOf, type SortedColumn } from '../wording/row-order.js';
import { isDesk, words } from './browser.js';
import { Button } from './parts.js';
import { queryOf, setQuery } from './place.js';

export interface Column<Item> {
  /** Its name in the address, where the rows are sorted by it. */
  key: string;
  head: string;
  /** What sets its width, and its place on a phone's card. `col-minor`: left out where there is little room. */
  look:
    | 'col-pick'
    | 'col-pic'
    | 'col-id'
    | 'col-said'
    | 'col-time'
    | 'col-time col-left'
    | 'col-num'
    | 'col-minor'
    | 'col-acts';
  cell: (item: Item) => ComponentChildren;
  /** Left out: the rows are not sorted by it. `compare` is left out where the service sorts. */
  sort?: { isDownFirst: boolean; compare?: (a: Item, b: Item) => number };
}

/** A kind of list. It is made once for each, so that a row is drawn anew only when its own things have changed. */
export interface RowTableOf<Item> {
  /** Which row is open, by this name in the address; rows have it in their ids, too. */
  name: 'reading' | 'session' | 'opening' | 'member';
  label: string;
  columns: readonly Column<Item>[];
  usual: RowOrder;
  /** Of the row, beside its place in the table. */
  look: (item: Item) => string;
  /** The plate. */
  title: (item: Item) => string;
  details: (item: Item) => ComponentChildren;
}

/** A button of each row: keys move among them. */
export const ROW_BUTTON = '.rows-table .row-open';

const sortedColumns = <Item,>({ columns }: Pick<RowTableOf<Item>, 'columns'>): SortedColumn[] =>
  columns.flatMap(({ key, sort }) => (sort === undefined ? [] : [{ key, isDownFirst: sort.isDownFirst }]));

/** The order that the address asks for. */
export const orderOf = <Item,>(table: Pick<RowTableOf<Item>, 'columns' | 'usual'>): RowOrder =>
  rowOrderOf(queryOf('sort'), sortedColumns(table), table.usual);

/** Rows in the order that the address asks for. */
export function inOrderAsked<Item>(
  items: readonly Item[],
  table: Pick<RowTableOf<Item>, 'columns' | 'usual'>,
): readonly Item[] {
  const order = orderOf(table);
  const compare = table.columns.find(({ key }) => key === order.by)?.sort?.compare;
  return compare === undefined ? items : inRowOrder(items, compare, order);
}

/** @param props.hasManyActions each row has several buttons */
export function RowTable<Item extends { id: number }>(props: {
  of: RowTableOf<Item>;
  items: readonly Item[];
  hasManyActions?: boolean;
}) {
  const { of, items, hasManyActions = false } = props;
  const opened = items.find(({ id }) => String(id) === queryOf(of.name));
  const isBeside = opened !== undefined && isDesk.value;
  return (
    <div class={isBeside ? 'table-area beside' : 'table-area'}>
      <div class="table-box">
        <table class={`rows-table of-${of.name}${hasManyActions ? ' many' : ''}`} aria-label={of.label}>
          <Heads of={of} />
          {Array.from({ length: Math.ceil(items.length / ROWS) }, (_, at) => (
            <Part key={at} of={of} items={items.slice(at * ROWS, (at + 1) * ROWS)} isFirst={at === 0} />
          ))}
        </table>
      </div>
      {isBeside && <Panel key={opened.id} of={of} item={opened} />}
    </div>
  );
}

function Heads<Item>({ of }: { of: RowTableOf<Item> }) {
  const order = orderOf(of);
  return (
    <thead>
      <tr>
        {of.columns.map(({ key, head, look, sort }) => {
          const isBy = order.by === key;
          if (sort === undefined)
            return (
              <th key={key} scope="col" class={look}>
                <span class={look === 'col-pick' || look === 'col-pic' || look === 'col-acts' ? 'hidden' : ''}>
                  {head}
                </span>
              </th>
            );
          const next = pressedOrder({ key, isDownFirst: sort.isDownFirst }, order, of.usual);
          return (
            <th
              key={key}
              scope="col"
              class={look}
              aria-sort={isBy ? (order.isDown ? 'descending' : 'ascending') : undefined}
            >
              <button type="button" class="sort" onClick={() => setQuery({ sort: next })}>
                {head} <span aria-hidden="true">{isBy ? (order.isDown ? '▾' : '▴') : ''}</span>
              </button>
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

/** A list is cut into bodies of so many rows, of which those near the window are made: ten thousand rows are then a few hundred in the page. */
const ROWS = 50;
/** How far beyond the window rows are made, so that scrolling does not see them come. */
const NEAR_PX = 1_200;
/** Before a part was shown, its rows are taken to be this high. */
const ROW_PX = 40;

function Part<Item extends { id: number }>(props: { of: RowTableOf<Item>; items: readonly Item[]; isFirst: boolean }) {
  const { of, items, isFirst } = props;
  const body = useRef<HTMLTableSectionElement>(null);
  const isNear = useSignal(isFirst);
  const height = useRef(items.length * ROW_PX);
  useEffect(() => {
    const { current: shown } = body;
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
    <tbody ref={body}>
      {isNear.value ? (
        items.map((item) => <Row key={item.id} of={of} item={item} />)
      ) : (
        <tr aria-hidden="true" class="far">
          <td colSpan={of.columns.length} style={{ height: `${height.current}px` }} />
        </tr>
      )}
    </tbody>
  );
}

const isOpenRow = (name: string, id: number): boolean => queryOf(name) === String(id);

function Row<Item extends { id: number }>({ of, item }: { of: RowTableOf<Item>; item: Item }) {
  const { name } = of;
  const { id } = item;
  const isOpen = isOpenRow(name, id);
  const press = (event: MouseEvent) => {
    // By the keyboard, where it is open beside the table already: into it.
    if (isOpen && isDesk.value && event.detail === 0) document.querySelector<HTMLElement>('.panel')?.focus();
    else if (isOpen) setQuery({ [name]: '' });
    else setQuery({ [name]: String(id) });
  };
  const pressRow = (event: MouseEvent) => {
    const isOther = event.target instanceof Element && event.target.closest('button, a, input, select') !== null;
    if (!isOther && getSelection()?.isCollapsed !== false) press(event);
  };
  return (
    <>
      <tr class={`${of.look(item)}${isOpen ? ' current' : ''}`} onClick={pressRow}>
        {of.columns.map(({ key, head, look, cell }) => (
          <td key={key} class={look} data-head={head}>
            {look === 'col-id' ? (
              <button
                type="button"
                class="row-open plate"
                id={`${name}-${id}`}
                aria-expanded={isOpen}
                aria-label={words.sessions.details(of.title(item))}
                onClick={press}
              >
                {cell(item)}
              </button>
            ) : (
              cell(item)
            )}
          </td>
        ))}
      </tr>
      {isOpen && !isDesk.value && (
        <tr class="opened">
          <td colSpan={of.columns.length}>{of.details(item)}</td>
        </tr>
      )}
    </>
  );
}

/** The open row's details beside the table, which stay in the window while the table is scrolled. */
function Panel<Item extends { id: number }>({ of, item }: { of: RowTableOf<Item>; item: Item }) {
  const title = of.title(item);
  return (
    <aside class="panel card" aria-label={words.sessions.details(title)} tabIndex={-1}>
      <div class="panel-head">
        <h2 class="plate">{title}</h2>
        <Button look="small" word={words.done} onClick={() => closeRow(of.name)} />
      </div>
      {of.details(item)}
    </aside>
  );
}

/** Closes the open row, whose button has the focus then. @returns whether one was open */
export function closeRow(name: RowTableOf<never>['name']): boolean {
  const id = queryOf(name);
  if (id === '') return false;
  setQuery({ [name]: '' });
  document.getElementById(`${name}-${id}`)?.focus();
  return true;
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
