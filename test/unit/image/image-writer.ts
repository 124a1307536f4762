/** Writes and removes pictures of three kinds under a few uids until it is killed. Argument: the directory. Says when it has begun. */
import { createFileImageStore } from '../../../cloud/traffic/image/file-image-store.js';
import type { Uid } from '../../../shared/ids.js';

const [directory = ''] = process.argv.slice(2);
const images = createFileImageStore({ directory });
process.once('disconnect', () => process.exit(0));
for (let round = 0; ; round++) {
  const uid = `0199a7c0-0000-7000-8000-0000000000${(0x10 + Math.floor(Math.random() * 8)).toString(16)}` as Uid;
  const jpeg = Buffer.alloc(300_000, 'abc'[Math.floor(Math.random() * 3)]);
  if (Math.random() < 0.4) await images.remove(uid);
  else await images.put(uid, { jpeg, thumbnail: null });
  if (round === 20) process.send?.('begun');
}
