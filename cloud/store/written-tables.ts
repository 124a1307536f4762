import { AliasNode, type OperationNode, type RootOperationNode, TableNode } from 'kysely';

/**
 * The tables a statement writes, by its own words: rows that foreign keys take along are not told. `any` for a statement that cannot
 * be looked into (SQL as text).
 */
export function tablesWritten(statement: RootOperationNode): readonly string[] | 'any' {
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
