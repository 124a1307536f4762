import {
  AliasNode,
  type KyselyPlugin,
  type OperationNode,
  type PluginTransformQueryArgs,
  type QueryId,
  RawNode,
  type RootOperationNode,
  TableNode,
} from 'kysely';

/** Names of tables; 'any' when a statement is SQL as text, which is not analysed. */
export type WrittenNames = ReadonlySet<string> | 'any';

/** A commit of another process, as far as it is known. */
export interface ForeignChange {
  written: WrittenNames;
  /** Whether it may be no cloud process but a tool beside it (`apply`), which tells nothing else of what it does. */
  isOfTool: boolean;
}

export const includesOneOf = (written: WrittenNames, tables: readonly string[]): boolean =>
  written === 'any' || tables.some((table) => written.has(table));

/** Finds out which tables a transaction writes, and counts its statements, those of its locks included. */
export interface WrittenTables {
  /** Sees the statements of the transaction in which it is installed. */
  readonly plugin: KyselyPlugin;
  /** How many it has seen. */
  readonly statements: number;
  /** Whether one is under way, or has ended since this was asked last. One that failed counts as under way until the next one ends. */
  isBusy(): boolean;
  names(): WrittenNames;
  includesOneOf(tables: readonly string[]): boolean;
}

export function createWrittenTables(): WrittenTables {
  let tables: Set<string> | 'any' = new Set();
  let statements = 0;
  let statementsHeard = 0;
  let asked: QueryId | undefined;
  let answered: QueryId | undefined;

  function note(statement: RootOperationNode): void {
    const names = tablesWritten(statement);
    if (names === 'any') tables = 'any';
    else if (tables !== 'any') for (const name of names) tables.add(name);
  }

  return {
    plugin: {
      transformQuery({ node, queryId }: PluginTransformQueryArgs) {
        asked = queryId;
        note(node);
        return node;
      },
      // A piece of a statement is transformed like a statement, but only a whole one has a result.
      async transformResult({ result, queryId }) {
        answered = queryId;
        statements += 1;
        return result;
      },
    },
    get statements() {
      return statements;
    },
    isBusy() {
      const isBusy = asked !== answered || statements > statementsHeard;
      statementsHeard = statements;
      return isBusy;
    },
    names: () => tables,
    includesOneOf: (names) => includesOneOf(tables, names),
  };
}

/** SQL as text that only reads: it has no word with which a statement writes. */
const READS = /^\s*(?:select|with)\b(?!.*\b(?:insert|update|delete|merge)\b)/is;

/**
 * Finds the tables that a statement itself writes, without the rows that foreign keys delete. `any` for SQL as text, of which it is only
 * looked whether it reads.
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
      return RawNode.is(statement) && READS.test(statement.sqlFragments.join('?')) ? [] : 'any';
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
