import { fork } from 'node:child_process';
import { once } from 'node:events';
import { link, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { array, assert, asyncProperty, constantFrom, integer, record } from '../../property.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFileImageStore } from '../../../cloud/traffic/image/file-image-store.js';
import type { ImageStore } from '../../../cloud/traffic/image/image-store.js';
import type { Uid } from '../../../shared/ids.js';
import { runs, runsTimeoutMs } from '../../depth.js';

const uidAt = (index: number) => `0199a7c0-0000-7000-8000-0000000000${(0xa0 + index).toString(16)}` as Uid;
const UID = uidAt(11);
const picture = (jpeg: string, thumbnail: string | null = null) => ({
  jpeg: Buffer.from(jpeg),
  thumbnail: thumbnail === null ? null : Buffer.from(thumbnail),
});

describe('pictures as files', () => {
  let directory: string;
  const filesOf = async () => (await readdir(directory, { recursive: true })).sort();
  /** The files in which bytes are kept, whatever they are called. */
  async function bytesKept(): Promise<number> {
    const inodes = new Set<number>();
    for (const name of await filesOf()) {
      const found = await stat(join(directory, name));
      if (found.isFile()) inodes.add(found.ino);
    }
    return inodes.size;
  }
  const textOf = async (images: ImageStore, uid: Uid) => {
    const bytes = await images.read(uid);
    return bytes === null ? null : Buffer.from(bytes).toString();
  };
  /** Lists what is old, as the sweep does. */
  async function listed(images: ImageStore, before: number): Promise<Uid[]> {
    const all: Uid[] = [];
    for await (const uids of images.writtenBefore(before)) all.push(...uids);
    return all;
  }

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'images-'));
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  it('gives back what was put, also to another process, and keeps one file per picture', async () => {
    const images = createFileImageStore({ directory: join(directory, 'images') });
    expect(await images.read(UID)).toBeNull();
    await images.put(UID, picture('first'));
    await Promise.all(Array.from({ length: 10 }, () => images.put(UID, picture('again'))));
    const another = createFileImageStore({ directory: join(directory, 'images') });
    expect(await textOf(another, UID)).toBe('again');
    expect((await filesOf()).filter((name) => !name.startsWith('images/bytes'))).toEqual([
      'images',
      'images/ab',
      `images/ab/${UID}.jpg`,
    ]);
  });

  it('keeps the small one beside the picture, and removes both', async () => {
    const images = createFileImageStore({ directory });
    await images.put(UID, picture('large', 'small'));
    await images.put(uidAt(1), picture('large'));
    expect(Buffer.from((await images.readThumbnail(UID)) ?? []).toString()).toBe('small');
    expect(await images.readThumbnail(uidAt(1))).toBeNull();
    expect(new Set(await listed(images, Date.now() + 60_000))).toEqual(new Set([UID, uidAt(1)]));
    await images.remove(UID);
    expect([await images.read(UID), await images.readThumbnail(UID), await bytesKept()]).toEqual([null, null, 1]);
  });

  it('removes a picture, and is content when there is none', async () => {
    const images = createFileImageStore({ directory });
    await images.put(UID, picture('x'));
    await images.remove(UID);
    await images.remove(UID);
    expect([await images.read(UID), await bytesKept()]).toEqual([null, 0]);
    await rm(join(directory, 'ab'), { recursive: true });
    await writeFile(join(directory, 'ab'), 'a file where the folder should be');
    await expect(images.remove(UID)).rejects.toThrow(`Picture ${UID} could not be removed from`);
  });

  it('leaves nothing behind when it cannot write, and says what and where', async () => {
    await writeFile(join(directory, 'ab'), 'a file where the folder should be');
    const images = createFileImageStore({ directory });
    await expect(images.put(UID, picture('x'))).rejects.toThrow(`Picture ${UID} could not be written to`);
    await expect(images.read(UID)).rejects.toThrow(`Picture ${UID} could not be read from`);
    expect(await filesOf()).toEqual(['ab']);
  });

  it('keeps equal bytes once, until the last of their pictures is removed', async () => {
    const images = createFileImageStore({ directory });
    for (let index = 0; index < 5; index++) await images.put(uidAt(index), picture('the same'));
    await images.put(uidAt(5), picture('another'));
    expect(await bytesKept()).toBe(2);
    for (let index = 0; index < 4; index++) {
      await images.remove(uidAt(index));
      expect([await textOf(images, uidAt(index)), await textOf(images, uidAt(4))]).toEqual([null, 'the same']);
    }
    await images.remove(uidAt(4));
    expect([await textOf(images, uidAt(4)), await bytesKept()]).toEqual([null, 1]);
  });

  it('counts a picture as new whose bytes have been there for long', async () => {
    const images = createFileImageStore({ directory });
    await images.put(UID, picture('the same'));
    await utimes(join(directory, 'ab', `${UID}.jpg`), new Date(1_000), new Date(1_000));
    expect(await listed(images, 2_000)).toEqual([UID]);
    await images.put(uidAt(1), picture('the same'));
    expect(await listed(images, 2_000)).toEqual([]);
  });

  it.each(['EPERM', 'EMLINK'])('keeps a copy where the file system answers %s to a link', async (code) => {
    const refused = Object.assign(new Error(code), { code });
    const images = createFileImageStore({ directory, makeLink: () => Promise.reject(refused) });
    for (const index of [1, 2]) await images.put(uidAt(index), picture('the same'));
    expect(await bytesKept()).toBe(2);
    await images.remove(uidAt(1));
    expect([await textOf(images, uidAt(1)), await textOf(images, uidAt(2))]).toEqual([null, 'the same']);
  });

  it('begins anew with bytes that have as many names as a file can have', async () => {
    let names = 0;
    const makeLink: typeof link = async (from, to) => {
      if (String(to).endsWith('.tmp') && (names += 1) === 3) throw Object.assign(new Error('full'), { code: 'EMLINK' });
      await link(from, to);
    };
    const images = createFileImageStore({ directory, makeLink });
    for (let index = 0; index < 6; index++) await images.put(uidAt(index), picture('the same'));
    expect(await bytesKept()).toBe(2);
    for (let index = 0; index < 6; index++) await images.remove(uidAt(index));
    expect(await bytesKept()).toBe(0);
  });

  it('never lose a picture that is there, whoever removes another one at the same moment', async () => {
    const step = record({
      store: integer({ min: 0, max: 2 }),
      uid: integer({ min: 0, max: 5 }),
      text: constantFrom('', 'one', 'two'),
    });
    await assert(
      asyncProperty(array(step, { minLength: 5, maxLength: 60 }), async (steps) => {
        const folder = await mkdtemp(join(directory, 'run-'));
        const stores = [0, 1, 2].map(() => createFileImageStore({ directory: folder }));
        const wanted = new Map<number, string>();
        const done = new Map<number, Promise<void>>();
        for (const { store, uid, text } of steps) {
          const images = stores[store] as ImageStore;
          const act = () => (text === '' ? images.remove(uidAt(uid)) : images.put(uidAt(uid), picture(text)));
          // What is done to one picture is done in turn, as its row says; all else happens at once.
          done.set(uid, (done.get(uid) ?? Promise.resolve()).then(act));
          wanted.set(uid, text);
        }
        await Promise.all(done.values());
        const images = stores[0] as ImageStore;
        for (const [uid, text] of wanted) expect(await textOf(images, uidAt(uid))).toBe(text === '' ? null : text);
        await listed(images, Date.now() + 60_000);
        for (const [uid, text] of wanted) {
          expect(await textOf(images, uidAt(uid))).toBe(text === '' ? null : text);
          await images.remove(uidAt(uid));
        }
        await listed(images, Date.now() + 60_000);
        const left = await readdir(folder, { recursive: true, withFileTypes: true });
        expect(left.filter((entry) => entry.isFile()).map(({ name }) => name)).toEqual([]);
      }),
      { numRuns: runs(15, 10) },
    );
  });

  it(
    'are whole, and leave nothing that a sweep does not find, when two processes are killed while they write and remove',
    async () => {
      const images = createFileImageStore({ directory });
      for (let kill = 0; kill < runs(2, 5); kill++) {
        const children = [1, 2].map(() => fork(new URL('./image-writer.js', import.meta.url), [directory]));
        const ended = children.map((child) => once(child, 'exit'));
        await Promise.all(children.map((child) => once(child, 'message')));
        // The moment is the machine's: the writers are in the middle of something.
        for (const child of children) child.kill('SIGKILL');
        await Promise.all(ended);
        const uids = new Set(await listed(images, Date.now() + 60_000));
        for (const uid of uids) {
          const text = await textOf(images, uid);
          expect(text === null || /^(a{300000}|b{300000}|c{300000})$/.test(text), `${uid} is whole`).toBe(true);
        }
        expect((await filesOf()).filter((name) => name.endsWith('.tmp'))).toEqual([]);
        // A first look may take temporary names away whose bytes have no other.
        await listed(images, Date.now() + 60_000);
        expect(await bytesKept()).toBeLessThanOrEqual(new Set(uids).size);
      }
      for (const uid of await listed(images, Date.now() + 60_000)) await images.remove(uid);
      await listed(images, Date.now() + 60_000);
      expect(await bytesKept()).toBe(0);
    },
    runsTimeoutMs(20_000, 5),
  );
});
