/** A table of what the implementations of a port were held to: promises down, implementations across. */
import { afterAll, afterEach, describe } from 'vitest';
import { renderTable } from '../../shared/node/text-table.js';

const MARKS: Readonly<Record<string, string>> = { pass: 'yes', fail: 'NO' };
const NOT_APPLICABLE = '-';

/** Notes the results of the tests of the describe that it is called in, as those of one implementation. */
export type NoteResults = (implementation: string) => void;

/** Collects what the tests of this file find, and prints it at their end. */
export function printsTable(port: string, define: (note: NoteResults) => void): void {
  const results = new Map<string, Map<string, string>>();
  const implementations = new Set<string>();
  describe(port, () => {
    afterAll(() => {
      const columns = [...implementations];
      const rows = [...results].map(([promise, by]) => [
        promise,
        ...columns.map((name) => by.get(name) ?? NOT_APPLICABLE),
      ]);
      process.stdout.write(`\n${renderTable([port, ...columns], rows).join('\n')}\n`);
    });
    define((implementation) => {
      implementations.add(implementation);
      afterEach(({ task }) => {
        const by = results.get(task.name) ?? new Map<string, string>();
        by.set(implementation, MARKS[task.result?.state ?? ''] ?? NOT_APPLICABLE);
        results.set(task.name, by);
      });
    });
  });
}
