/** By which column the rows of a list are sorted: as the address has it, and as a press on a column's head changes it. */

export interface RowOrder {
  /** The column, by its name in the address. */
  by: string;
  /** The highest, newest, longest first. */
  isDown: boolean;
}

export interface SortedColumn {
  key: string;
  /** How its first press sorts: times and amounts begin with the highest, names with A. */
  isDownFirst: boolean;
}

/**
 * @param text of the address: `plate`, or `-plate` for the other way round
 * @param usual the order without any text, and with one that names no column
 */
export function rowOrderOf(text: string, columns: readonly SortedColumn[], usual: RowOrder): RowOrder {
  const isDown = text.startsWith('-');
  const by = isDown ? text.slice(1) : text;
  return columns.some(({ key }) => key === by) ? { by, isDown } : usual;
}

/** What the address has after a press on the head of a column; empty: the usual order. */
export function pressedOrder(column: SortedColumn, now: RowOrder, usual: RowOrder): string {
  const isDown = now.by === column.key ? !now.isDown : column.isDownFirst;
  if (column.key === usual.by && isDown === usual.isDown) return '';
  return isDown ? `-${column.key}` : column.key;
}

/** Rows in an order; rows that are equal in it stay as they were. @param compare by the column alone, the lowest first */
export function inRowOrder<Item>(
  items: readonly Item[],
  compare: (a: Item, b: Item) => number,
  { isDown }: RowOrder,
): Item[] {
  return items.toSorted(isDown ? (a, b) => compare(b, a) : compare);
}
