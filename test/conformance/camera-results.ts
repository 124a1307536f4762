/** What was tried of each camera driver, and with what result: the table that the suite prints. */
import { it as test, type TestFunction } from 'vitest';

const COLUMNS = [
  'is listed',
  'reads a push',
  'knows a repeat',
  'sign of life',
  'malformed',
  'many at once',
  'cut off',
  'any bytes',
  'simulated push',
  'is heard',
  'heard again',
  'is probed',
  'no 401 loop',
] as const;
type Capability = (typeof COLUMNS)[number];

const results = new Map<string, Map<Capability, 'ok' | 'FAILED'>>();

/** `it` of vitest, which also says what is proved of a driver. */
export function provedIn(driver: string) {
  const proving =
    <Given extends unknown[]>(capability: Capability, run: (...given: Given) => unknown) =>
    async (...given: Given): Promise<void> => {
      const row = results.get(driver) ?? new Map<Capability, 'ok' | 'FAILED'>();
      results.set(driver, row);
      try {
        await run(...given);
        if (row.get(capability) !== 'FAILED') row.set(capability, 'ok');
      } catch (error) {
        row.set(capability, 'FAILED');
        throw error;
      }
    };
  const it = (capability: Capability, name: string, run: () => unknown, timeoutMs?: number): void =>
    test(name, proving(capability, run) as TestFunction, timeoutMs);
  it.each =
    <Case>(cases: readonly Case[]) =>
    (capability: Capability, name: string, run: (given: Case) => unknown): void =>
      test.each([...cases])(name, proving(capability, run));
  return it;
}

/** One row per driver; a dash where its cameras have no such way. */
export function resultTable(): string {
  const widths = COLUMNS.map((name) => Math.max(name.length, 6));
  const width = Math.max(...[...results.keys()].map(({ length }) => length), 6);
  const line = (first: string, cells: readonly string[]) =>
    [first.padEnd(width), ...cells.map((cell, index) => cell.padEnd(widths[index] ?? 0))].join(' | ');
  const rows = [...results].map(([driver, row]) =>
    line(
      driver,
      COLUMNS.map((name) => row.get(name) ?? '-'),
    ),
  );
  return `${[line('driver', COLUMNS), ...rows].join('\n')}\n`;
}
