/** How SQLite goes about what is asked of it. */
import { CompiledQuery, type KyselyPlugin, type RootOperationNode } from 'kysely';
import type { CloudStore, Db } from '../../../cloud/kernel/store/cloud-store.js';

const nobody = new AbortController().signal;

/** The steps of each query of `work`, in order. */
export function plansOf(store: CloudStore, work: (db: Db) => Promise<unknown>): Promise<string[][]> {
  return store.report({ account_id: 0, kind: 'sum', signal: nobody }, async (db) => {
    const nodes: RootOperationNode[] = [];
    const listening: KyselyPlugin = {
      transformQuery({ node }) {
        nodes.push(node);
        return node;
      },
      transformResult: async ({ result }) => result,
    };
    await work(db.withPlugin(listening));
    const plans: string[][] = [];
    for (const node of nodes) {
      const { sql, parameters } = db.getExecutor().compileQuery(node, { queryId: 'plan' });
      const asked = CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]);
      const { rows } = await db.executeQuery<{ detail: string }>(asked);
      plans.push(rows.map(({ detail }) => detail));
    }
    if (plans.length === 0) throw new Error('nothing was asked');
    return plans;
  });
}
