import { expect, it } from 'vitest';
import { createPreparedStatements } from '../../../cloud/kernel/store/postgres/prepared-statements.js';

const ask = (times: number, nameOf: () => string | undefined) => Array.from({ length: times }, nameOf).at(-1);

it('names a statement that comes often, always the same way, and no other', () => {
  const statements = createPreparedStatements();
  expect(ask(4, () => statements.nameOf('select 1'))).toBeUndefined();
  expect(statements.nameOf('select 2')).toBeUndefined();
  const name = statements.nameOf('select 1');
  expect(name).toBeDefined();
  expect(statements.nameOf('select 1')).toBe(name);
  expect(ask(5, () => statements.nameOf('select 2'))).not.toBe(name);
});

it('are bounded, in number and in length', () => {
  const statements = createPreparedStatements();
  const names = Array.from({ length: 500 }, (_, n) => ask(9, () => statements.nameOf(`select ${n}`)));
  expect(new Set(names.filter((name) => name !== undefined)).size).toBe(100);
  expect(ask(9, () => createPreparedStatements().nameOf(`select ${'1'.repeat(9_000)}`))).toBeUndefined();
});
