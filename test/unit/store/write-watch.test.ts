import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { readOnlyMount } from '../../../shared/mount-table-parser.js';
import { createWriteWatch } from '../../../shared/node/write-watch.js';
import { FakeClock } from '../../world/fake-clock.js';
import { keepingLogger } from '../radio/bench.js';

describe('the watch over what is written', () => {
  const directories: string[] = [];
  afterEach(() => {
    for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true });
  });

  function createWorld(isReal = false) {
    const directory = mkdtempSync(join(tmpdir(), 'write-watch-'));
    directories.push(directory);
    const path = join(directory, 'agent.db');
    writeFileSync(path, '');
    const clock = new FakeClock();
    const { logger, messages } = keepingLogger();
    /** What the next probe comes to, and what is seen without one. */
    const disk = { refuses: false, probes: 0, seen: null as string | null };
    const probe = async () => {
      disk.probes += 1;
      if (disk.refuses) watch.noteRefused('disk I/O error');
      else watch.noteWritten();
    };
    const watch = createWriteWatch({ path, clock, logger, probe }, isReal ? undefined : () => disk.seen);
    watch.start();
    return { path, clock, watch, disk, messages };
  }

  it('tells a refusal at once, and the end of it within two seconds, without a vehicle', async () => {
    const { clock, watch, disk, messages } = createWorld();
    watch.noteWritten();
    expect(watch.refusal()).toBeNull();
    disk.refuses = true;
    watch.noteRefused('disk I/O error');
    expect(watch.refusal()).toBe('the disk refuses to write (disk I/O error): look at the card');
    await clock.advance(60_000);
    expect(watch.refusal()).not.toBeNull();
    disk.refuses = false;
    await clock.advance(2_000);
    expect(watch.refusal()).toBeNull();
    const { probes } = disk;
    await clock.advance(60_000);
    // A disk that takes everything is not written to for this.
    expect(disk.probes).toBe(probes);
    expect(messages).toEqual(['the disk refuses to write', 'the disk accepts writes again']);
    watch.close();
  });

  it('sees a disk that is full or read-only before anything is written, and believes no small write against it', async () => {
    const { clock, watch, disk, messages } = createWorld();
    disk.seen = 'the disk is full';
    await clock.advance(2_000);
    watch.noteWritten();
    expect(watch.refusal()).toBe('the disk refuses to write (the disk is full): look at the card');
    await clock.advance(60_000);
    expect(disk.probes).toBe(0);
    disk.seen = null;
    await clock.advance(2_000);
    expect(watch.refusal()).toBeNull();
    expect(messages).toEqual(['the disk refuses to write', 'the disk accepts writes again']);
    watch.close();
    expect(clock.pending).toBe(0);
  });

  it('looks at the file by itself', async () => {
    const { path, clock, watch, messages } = createWorld(true);
    await clock.advance(2_000);
    expect(watch.refusal()).toBeNull();
    rmSync(path);
    await clock.advance(2_000);
    expect(watch.refusal()).toMatch(/no such file/);
    expect(messages).toEqual(['the disk refuses to write']);
    watch.close();
    expect(clock.pending).toBe(0);
  });
});

describe('a table of mounts', () => {
  const CARD = (options: string, more: string, mount = '/var/lib/parking') =>
    `42 27 7:0 / ${mount} ${options} shared:1 - ext4 /dev/mmcblk0p3 ${more}`;
  const ROOT = '27 1 179:2 / / rw,noatime - ext4 /dev/mmcblk0p2 rw';
  it.each([
    { what: 'all is well', table: [ROOT, CARD('rw,relatime', 'rw,errors=remount-ro')], says: null },
    // As Linux 6.18 wrote it after `trigger_fs_error`.
    {
      what: 'ext4 after an error',
      table: [ROOT, CARD('rw,relatime', 'rw,errors=remount-ro,emergency_ro')],
      says: '/var/lib/parking is mounted read-only (emergency_ro)',
    },
    { what: 'the mount', table: [CARD('ro', 'rw'), ROOT], says: '/var/lib/parking is mounted read-only (ro)' },
    { what: 'the file system', table: [CARD('rw', 'ro')], says: '/var/lib/parking is mounted read-only (ro)' },
    { what: 'another one', table: [ROOT, CARD('ro', 'ro', '/var/lib/park')], says: null },
    { what: 'one above it', table: [CARD('ro', 'ro', '/'), CARD('rw', 'rw')], says: null },
    { what: 'one that was laid over', table: [CARD('ro', 'ro'), CARD('rw', 'rw')], says: null },
    { what: 'no table', table: ['', 'broken', '- - -'], says: null },
  ])('$what', ({ table, says }) => {
    expect(readOnlyMount(table.join('\n'), '/var/lib/parking/agent.db')).toBe(says);
  });

  it('writes a space as it is escaped there', () => {
    const table = CARD('ro', 'ro', String.raw`/media/my\040card`);
    expect(readOnlyMount(table, '/media/my card/agent.db')).toBe('/media/my card is mounted read-only (ro)');
  });
});
