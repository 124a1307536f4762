import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { CallResult, StoreCall } from '../../../agent/store/sqlite-agent-protocol.js';
import { createWriteWatch } from '../../../agent/store/write-watch.js';
import { FakeClock } from '../../sim/world/fake-clock.js';
import { keepingLogger } from '../radio/bench.js';

const APPEND: StoreCall = { op: 'append', lane: 0, record: '{}', jpeg: null };
const PROBE: StoreCall = { op: 'clock', wall_ms: 1 };
const STATE: StoreCall = { op: 'state' };
const OK: CallResult = { ok: true, value: 1 };
const failing = (code: 'io' | 'full' | null, damaged = false): CallResult => ({
  ok: false,
  failure: { code, damaged, message: 'disk I/O error' },
});

describe('the watch over what is written', () => {
  const directories: string[] = [];
  afterEach(() => {
    for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true });
  });

  function createWorld() {
    const directory = mkdtempSync(join(tmpdir(), 'write-watch-'));
    directories.push(directory);
    const path = join(directory, 'agent.db');
    writeFileSync(path, '');
    const clock = new FakeClock();
    const { logger, complaints } = keepingLogger();
    /** What the next probe comes to. */
    const disk = { answer: OK, probes: 0, freeBytes: 0 };
    const watch = createWriteWatch({
      path,
      clock,
      logger,
      async probe() {
        disk.probes += 1;
        watch.sent([PROBE]);
        watch.done([disk.answer]);
      },
      freeBytes: () => disk.freeBytes,
    });
    const write = (call: StoreCall, result: CallResult) => {
      watch.sent([call]);
      watch.done([result]);
    };
    watch.start();
    return { path, clock, watch, write, disk, complaints };
  }

  it('tells a refusal at once, and the end of it within two seconds, without a vehicle', async () => {
    const { clock, watch, write, disk, complaints } = createWorld();
    write(APPEND, OK);
    expect(watch.refusal()).toBeNull();
    disk.answer = failing('io');
    write(APPEND, failing('io'));
    expect(watch.refusal()).toBe('the disk refuses to write (disk I/O error): look at the card');
    await clock.advance(60_000);
    expect(watch.refusal()).not.toBeNull();
    disk.answer = OK;
    await clock.advance(2_000);
    expect(watch.refusal()).toBeNull();
    const { probes } = disk;
    await clock.advance(60_000);
    // A disk that takes everything is not written to for this.
    expect(disk.probes).toBe(probes);
    expect(complaints).toEqual(['the disk refuses to write', 'the disk takes what is written again']);
    watch.close();
  });

  it('believes of a full disk that it is not when it takes a record, or has room and takes something', async () => {
    const { clock, watch, write, disk } = createWorld();
    write(APPEND, failing('full'));
    await clock.advance(4_000);
    expect(watch.refusal()).not.toBeNull();
    write(STATE, OK);
    expect(watch.refusal()).not.toBeNull();
    write(APPEND, OK);
    expect(watch.refusal()).toBeNull();
    disk.answer = failing('full');
    disk.freeBytes = 100_000_000;
    write(APPEND, failing('full'));
    await clock.advance(4_000);
    expect(watch.refusal()).not.toBeNull();
    // Somebody made room, and no vehicle comes.
    disk.answer = OK;
    await clock.advance(2_000);
    expect(watch.refusal()).toBeNull();
    watch.close();
  });

  it('looks at the file by itself: nothing has to be written first', async () => {
    const { path, clock, watch, disk, complaints } = createWorld();
    disk.answer = failing('io');
    rmSync(path);
    await clock.advance(2_000);
    expect(watch.refusal()).not.toBeNull();
    expect(complaints).toEqual(['the disk refuses to write']);
    watch.close();
    expect(clock.pending).toBe(0);
  });

  it('takes neither a mistake of the caller nor a damaged file, which is put aside, for a refusal', () => {
    const { watch, write } = createWorld();
    write(APPEND, failing(null));
    write(APPEND, failing('io', true));
    expect(watch.refusal()).toBeNull();
    watch.close();
  });
});
