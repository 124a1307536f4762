import { AliasNode, type OperationNode, type RootOperationNode, TableNode } from 'kysely';

/** What the change under way writes, and who wants to know of it once it is committed. There is one change at a time. */
export function createWrittenTables() {
  const wanted = new Map<() => void, ReadonlySet<string>>();
  let tables: Set<string> | 'any' = new Set();

  return {
    add(names: readonly string[], listener: () => void): () => void {
      wanted.set(listener, new Set(names));
      return () => void wanted.delete(listener);
    },
    /** A change begins. */
    begin(): void {
      tables = new Set();
    },
    statement(statement: RootOperationNode): void {
      const names = tablesWritten(statement);
      if (names === 'any') tables = 'any';
      else if (tables !== 'any') for (const name of names) tables.add(name);
    },
    /** Those who wait for a table that the change wrote. */
    listeners(): ReadonlySet<() => void> {
      const isWritten = (name: string) => tables === 'any' || tables.has(name);
      return new Set([...wanted].filter(([, names]) => [...names].some(isWritten)).map(([listener]) => listener));
    },
  };
}

/**
 * The tables a statement writes, by its own words: rows that foreign keys take along are not told. `any` for a statement that cannot
 * be looked into (SQL as text).
 */
function tablesWritten(statement: RootOperationNode): readonly string[] | 'any' {
  switch (statement.kind) {
    case 'SelectQueryNode':
      return [];
    case 'InsertQueryNode':
      return statement.into === undefined ? 'any' : namesOf([statement.into]);
    case 'UpdateQueryNode':
      return statement.table === undefined ? 'any' : namesOf([statement.table]);
    case 'DeleteQueryNode':
      return namesOf(statement.from.froms);
    default:
      return 'any';
  }
}

function namesOf(nodes: readonly OperationNode[]): readonly string[] | 'any' {
  const names: string[] = [];
  for (const node of nodes) {
    const table = AliasNode.is(node) ? node.node : node;
    if (!TableNode.is(table)) return 'any';
    names.push(table.table.identifier.name);
  }
  return names;
}
