import { MIGRATION_TABLES } from './migrate.js';
import type { TableShape } from './move-end.js';

/** One column in a database's own account of its tables. */
export interface CatalogRow {
  table_name: string;
  column_name: string;
  /** Which column of the primary key it is, from 1; 0: none. */
  key_place: number;
}

/** Puts together what a database says of its tables. @param columns in the order of the tables' columns */
export function tableShapes(
  columns: readonly CatalogRow[],
  references: readonly { table_name: string; refers_to: string }[],
): TableShape[] {
  const names = [...new Set(columns.map(({ table_name }) => table_name))].filter(
    (name) => !MIGRATION_TABLES.includes(name),
  );
  return names.map((name) => {
    const own = columns.filter(({ table_name }) => table_name === name);
    const key = own.filter(({ key_place }) => key_place > 0).toSorted((a, b) => a.key_place - b.key_place);
    return {
      name,
      columns: own.map(({ column_name }) => column_name),
      key: key.map(({ column_name }) => column_name),
      refersTo: references.filter(({ table_name }) => table_name === name).map(({ refers_to }) => refers_to),
    };
  });
}

/** Sorts tables so that each stands after those that it refers to. @throws when tables refer to each other in a circle */
export function inOrderOfReferences<Table extends Pick<TableShape, 'name' | 'refersTo'>>(
  tables: readonly Table[],
): Table[] {
  const sorted: Table[] = [];
  let left = [...tables];
  while (left.length > 0) {
    const waiting = new Set(left.map(({ name }) => name));
    const ready = left.filter(({ refersTo }) => !refersTo.some((name) => waiting.has(name)));
    if (ready.length === 0) throw new Error(`Tables refer to each other in a circle: ${[...waiting].join(', ')}`);
    sorted.push(...ready);
    left = left.filter((table) => !ready.includes(table));
  }
  return sorted;
}
