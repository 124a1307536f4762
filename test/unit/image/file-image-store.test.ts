import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFileImageStore } from '../../../cloud/image/file-image-store.js';
import type { Uid } from '../../../shared/ids.js';

const UID = '0199a7c0-0000-7000-8000-0000000000ab' as Uid;

describe('pictures as files', () => {
  let directory: string;
  const filesOf = async () => (await readdir(directory, { recursive: true })).sort();

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'images-'));
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  it('gives back what was put, also to another process, and keeps one file per picture', async () => {
    const images = createFileImageStore({ directory: join(directory, 'images') });
    expect(await images.read(UID)).toBeNull();
    await images.put(UID, Buffer.from('first'));
    await Promise.all(Array.from({ length: 10 }, () => images.put(UID, Buffer.from('again'))));
    const another = createFileImageStore({ directory: join(directory, 'images') });
    expect(Buffer.from((await another.read(UID)) ?? []).toString()).toBe('again');
    expect(await filesOf()).toEqual(['images', 'images/ab', `images/ab/${UID}.jpg`]);
  });

  it('removes a picture, and is content when there is none', async () => {
    const images = createFileImageStore({ directory });
    await images.put(UID, Buffer.from('x'));
    await images.remove(UID);
    await images.remove(UID);
    expect([await images.read(UID), await filesOf()]).toEqual([null, ['ab']]);
    await rm(join(directory, 'ab'), { recursive: true });
    await writeFile(join(directory, 'ab'), 'a file where the folder should be');
    await expect(images.remove(UID)).rejects.toThrow(`Picture ${UID} could not be removed from`);
  });

  it('leaves nothing behind when it cannot write, and says what and where', async () => {
    await writeFile(join(directory, 'ab'), 'a file where the folder should be');
    const images = createFileImageStore({ directory });
    await expect(images.put(UID, Buffer.from('x'))).rejects.toThrow(`Picture ${UID} could not be written to`);
    await expect(images.read(UID)).rejects.toThrow(`Picture ${UID} could not be read from`);
    expect(await filesOf()).toEqual(['ab']);
  });
});
