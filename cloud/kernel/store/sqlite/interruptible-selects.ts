/** Makes each select ask for each of its rows, before its own conditions, whether it goes on. */
import {
  AndNode,
  type KyselyPlugin,
  OperationNodeTransformer,
  ParensNode,
  type SelectQueryNode,
  sql,
  type SqlBool,
  WhereNode,
} from 'kysely';
import { MAY_CONTINUE } from './interruption.js';

const ASK = sql<SqlBool>`${sql.raw(MAY_CONTINUE)}()`.toOperationNode();

class InterruptibleSelects extends OperationNodeTransformer {
  protected override transformSelectQuery(node: SelectQueryNode): SelectQueryNode {
    const select = super.transformSelectQuery(node);
    const where = select.where === undefined ? ASK : AndNode.create(ASK, ParensNode.create(select.where.where));
    return { ...select, where: WhereNode.create(where) };
  }
}

const transformer = new InterruptibleSelects();

/** For queries of Kysely; SQL as text stays as it is. */
export const INTERRUPTIBLE: KyselyPlugin = {
  transformQuery: ({ node }) => transformer.transformNode(node),
  transformResult: async ({ result }) => result,
};
