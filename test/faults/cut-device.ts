/** A device on a traced disk: the real program runs on it once, and each state on the way is then started anew. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { openDevice } from '../../agent/commissioning/data-erasure.js';
import { findIdentity } from '../../agent/commissioning/identity.js';
import { loadAgentConfig } from '../../agent/config.js';
import { connectDevice } from '../../agent/device-process.js';
import { recordsIn } from '../../agent/store/count-waiting.js';
import { openSqliteAgentStore } from '../../agent/store/sqlite-agent-store.js';
import { silentLogger } from '../../shared/logger.js';
import { startProgram } from '../world/programs.js';
import { type CutOff, cutOffs, type Files, filesOf, putBack } from './cut-offs.js';
import { buildDiskShim, readTrace } from './disk-shim.js';

export type CutDevice = ReturnType<typeof createCutDevice>;

export function createCutDevice(directory: string, port: number) {
  const disk = join(directory, 'disk');
  mkdirSync(disk);
  const shim = buildDiskShim(directory);
  const environment = (more: Record<string, string> = {}) => ({
    AGENT_DATA_DIR: join(disk, 'data'),
    AGENT_HTTP_PORT: String(port),
    BLE_HCI: 'off',
    ...more,
  });
  const configOf = (more?: Record<string, string>) => loadAgentConfig({ environment: environment(more) });

  /**
   * Runs a program on the traced disk until it ends, or until `act` has.
   * @param of.asOne files whose changes alone make no other state
   */
  async function traced(
    args: string[],
    of: { env?: Record<string, string>; act?: () => Promise<unknown>; asOne?: RegExp },
  ): Promise<Generator<CutOff>> {
    const before = filesOf(disk);
    const trace = join(directory, 'trace');
    const program = startProgram('agent/main.js', args, {
      ...environment(of.env),
      LD_PRELOAD: shim,
      SHIM_DIR: disk,
      SHIM_TRACE: trace,
    });
    if (of.act === undefined) expect(await program.ended, program.output()).toMatchObject({ code: 0 });
    else await of.act().finally(() => program.end('SIGKILL'));
    return cutOffs(before, readTrace(trace), of.asOne ?? /agent\.db/);
  }

  /** What every start does, in its order. */
  async function startAnew(more?: Record<string, string>) {
    const config = configOf(more);
    findIdentity(config.identityFile);
    const device = await connectDevice(config, { logger: silentLogger });
    const identity = await openDevice(config, { logger: silentLogger });
    const store = await openSqliteAgentStore({ path: config.databaseFile, logger: silentLogger });
    const { quarantined } = store.health;
    const pending = recordsIn(await store.outboxState());
    await store.close();
    const halves = [...filesOf(disk).keys()].filter((path) => path.endsWith('.new'));
    expect({ quarantined, halves }).toEqual({ quarantined: null, halves: [] });
    return { device, identity, pending };
  }

  return {
    disk,
    configOf,
    identityFile: join(disk, 'data', 'identity.json'),
    traced,
    startEach: (states: Iterable<CutOff>, look: (files: Files) => Promise<string>) => startEach(disk, states, look),
    startAnew,
  };
}

/**
 * Starts each state of a disk anew, and prints how often which came of it.
 * @param look starts it, judges it, and names it
 */
export async function startEach(
  disk: string,
  states: Iterable<CutOff>,
  look: (files: Files) => Promise<string>,
): Promise<Record<string, number>> {
  const seen: Record<string, number> = {};
  for (const { at, files } of states) {
    putBack(disk, files);
    const state = await look(files).catch((error: unknown) => {
      throw new Error(`cut off ${at}`, { cause: error });
    });
    seen[state] = (seen[state] ?? 0) + 1;
  }
  process.stdout.write(`${expect.getState().currentTestName}: ${JSON.stringify(seen)}\n`);
  return seen;
}

export const hasText = (files: Files, text: string): boolean =>
  [...files.values()].some((content) => content.includes(text));
