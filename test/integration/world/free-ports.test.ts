import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const HOME = new URL('../../world/free-ports.js', import.meta.url).href;
/** More than half of the numbers that a worker once had to itself. */
const COUNT = 1_001;

/** What a process of the tests is given; it keeps what it holds until it is told to end. */
const PROGRAM = `
  const { freePorts } = await import(${JSON.stringify(HOME)});
  process.stdout.write(JSON.stringify(await freePorts(${COUNT})));
  setTimeout(() => {}, 3_000);
`;

it('gives no number to two processes at a time, also when the runner gave both the same pool id', async () => {
  const run = async (): Promise<number[]> => {
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', PROGRAM], {
      env: { ...process.env, VITEST_POOL_ID: '1' },
    });
    return JSON.parse(stdout) as number[];
  };
  const ports = (await Promise.all([run(), run()])).flat();
  expect(ports).toHaveLength(2 * COUNT);
  expect(new Set(ports).size).toBe(ports.length);
});
