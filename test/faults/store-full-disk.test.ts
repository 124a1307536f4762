/** The agent's store on a disk of its own that is full, or read-only: what decides goes on, and nothing that was recorded is lost. As root: it mounts. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AgentStore } from '../../agent/store/agent-store.js';
import { openSqliteAgentStore } from '../../agent/store/sqlite-agent-store.js';
import { silentLogger } from '../../shared/logger.js';
import { eventTimes } from '../conformance/agent-store-conformance.js';
import { imageEntry, readCommit, sessionChange, sightingEntry } from '../world/agent-records.js';

/** What `eventTimes` says of a read. */
const READ = -1;

/** @returns whether a disk can be mounted here. @throws under CI when it cannot */
function canMount(): boolean {
  const place = mkdtempSync(join(tmpdir(), 'mount-'));
  try {
    mount('-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', place);
    execFileSync('umount', [place]);
    return true;
  } catch (error) {
    if (process.env['CI'] !== undefined) throw new Error('no disk can be mounted: run as root', { cause: error });
    return false;
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}
const mount = (...args: string[]): void => void execFileSync('mount', args, { stdio: 'ignore' });
const isRoot = canMount();

describe.runIf(isRoot)(
  `the store on a disk that refuses to write${isRoot ? '' : ' (skipped: only root may mount)'}`,
  () => {
    let disk: string;
    let path: string;
    let store: AgentStore | null;
    const open = async (): Promise<AgentStore> => {
      store = await openSqliteAgentStore({ path, logger: silentLogger });
      return store;
    };
    const close = async () => {
      await store?.close();
      store = null;
    };
    /** Takes all the room there is. */
    const fill = () => {
      try {
        writeFileSync(join(disk, 'filling'), Buffer.alloc(200 * 1024 * 1024));
      } catch {
        // It is full now.
      }
      const { bavail } = statfsSync(disk);
      expect(bavail).toBe(0);
    };
    const empty = () => rmSync(join(disk, 'filling'));
    const readOnly = (is: boolean) => mount('-o', `remount,${is ? 'ro' : 'rw'}`, disk);
    const failure = (of: AgentStore) => expect.poll(() => of.health.failed, { timeout: 10_000 });

    beforeEach(() => {
      disk = mkdtempSync(join(tmpdir(), 'full-disk-'));
      mount('-t', 'tmpfs', '-o', 'size=96m', 'tmpfs', disk);
      path = join(disk, 'agent.db');
      store = null;
    });
    afterEach(async () => {
      await close();
      execFileSync('umount', [disk]);
      rmSync(disk, { recursive: true, force: true });
    });

    /** What a gateway has recorded before the disk refuses. */
    async function begin(): Promise<AgentStore> {
      const opened = await open();
      const items = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`P${index}`, { allowed: index }]));
      await opened.applyConfig({
        section: 'plates',
        base: null,
        revision: 'r1',
        upsert: items,
        remove: [],
        applied: null,
      });
      const session = sessionChange('ZG1234AB');
      await opened.recordRead(readCommit({ reading: { event_ms: 1 }, sessions: [session] }));
      await opened.append(sightingEntry(1, 0));
      await opened.append(sightingEntry(2, 1));
      await opened.appendImage(imageEntry(new Uint8Array(20_000)));
      return opened;
    }
    async function expectWorks(opened: AgentStore, at: number): Promise<void> {
      expect(opened.boot.config.map(({ revision }) => revision)).toEqual(['r1']);
      expect(Object.keys(opened.boot.config[0]?.items ?? {})).toHaveLength(50);
      expect(opened.boot.sessions).toHaveLength(1);
      await opened.recordRead(readCommit({ reading: { event_ms: at }, sessions: [sessionChange('ZG9')] }));
      await opened.append(sightingEntry(at, 0));
      await opened.append(sightingEntry(at + 1, 1));
      expect((await eventTimes(opened, 0)).at(-1)).toBe(at);
      expect((await eventTimes(opened, 1)).at(-1)).toBe(at + 1);
    }
    /** Opens it on a disk that takes writes. */
    async function kept(): Promise<{ lanes: number[][]; images: number; sessions: number }> {
      await close();
      const opened = await open();
      expect(opened.health).toMatchObject({ quarantined: null, failed: null });
      const { lanes } = await opened.outboxState();
      return {
        lanes: [await eventTimes(opened, 0), await eventTimes(opened, 1)],
        images: lanes[2]?.rows ?? 0,
        sessions: opened.boot.sessions.length,
      };
    }

    it('has some room for decisions when it is full, which is there again when the disk is not', async () => {
      await begin();
      expect(existsSync(`${path}-ballast`)).toBe(true);
      await close();
      fill();
      const opened = await open();
      await expectWorks(opened, 10);
      expect(existsSync(`${path}-ballast`)).toBe(false);
      await failure(opened).toMatch(/the disk is full/);
      empty();
      await failure(opened).toBeNull();
      expect(await kept()).toEqual({
        lanes: [
          [READ, 1, READ, 10],
          [2, 11],
        ],
        images: 1,
        sessions: 2,
      });
      expect(existsSync(`${path}-ballast`)).toBe(true);
    });

    it.each(['after a clean end', 'while it runs'])(
      'is full to the last byte, %s: it goes on in memory',
      async (when) => {
        let opened = await begin();
        if (when === 'after a clean end') await close();
        rmSync(`${path}-ballast`);
        fill();
        if (when === 'after a clean end') opened = await open();
        // Until there is no room in the file's own pages either.
        for (let at = 100; opened.health.failed?.includes('memory') !== true; at += 1)
          await opened.append(sightingEntry(at, 1)).catch(() => undefined);
        const before = await opened.outboxState();
        if (when === 'after a clean end') await expectWorks(opened, 10_000_000);
        else await opened.append(sightingEntry(10_000_000, 0));
        await expect(opened.appendImage(imageEntry(new Uint8Array(20_000)))).rejects.toThrow(/pictures are not kept/);
        expect(opened.health).toMatchObject({
          is_broken: false,
          failed: expect.stringMatching(/a power cut would lose/) as string,
        });
        const seq = before.lanes[1]?.last_seq ?? 0;
        await opened.acknowledge({ epoch: before.epoch, lane: 1, seq });
        empty();
        await failure(opened).toBeNull();
        await opened.append(sightingEntry(20_000_000, 1));
        const found = await kept();
        expect(found.lanes[0]?.filter((at) => at !== READ)).toEqual([1, 10_000_000]);
        expect(found.lanes[1]?.at(-1)).toBe(20_000_000);
        expect(found.lanes[1]?.[0]).toBe(when === 'while it runs' ? 20_000_000 : 10_000_001);
        expect(found.images).toBe(1);
      },
    );

    it.each(['a clean end', 'a power cut'])(
      'is read-only at a start after %s: it decides, and says so',
      async (end) => {
        await begin();
        if (end === 'a power cut') {
          const left = join(disk, 'left');
          mkdirSync(left);
          execFileSync('cp', [path, `${path}-wal`, left]);
          await close();
          execFileSync('cp', [join(left, 'agent.db'), join(left, 'agent.db-wal'), disk]);
        } else await close();
        readOnly(true);
        const opened = await open();
        expect(opened.health).toMatchObject({
          is_broken: false,
          failed: expect.stringMatching(/in memory only/) as string,
        });
        await expectWorks(opened, 10);
        readOnly(false);
        await failure(opened).toBeNull();
        expect(await kept()).toEqual({
          lanes: [
            [READ, 1, READ, 10],
            [2, 11],
          ],
          images: 1,
          sessions: 2,
        });
      },
    );

    it('still refuses what it cannot read, and a file that another agent holds', async () => {
      writeFileSync(path, '');
      readOnly(true);
      await expect(open()).rejects.toThrow(/cannot be opened/);
      readOnly(false);
      await begin();
      await expect(openSqliteAgentStore({ path, logger: silentLogger })).rejects.toThrow(/SQLITE_BUSY/);
    });
  },
);
