/** A picture process that does as the picture says: `pid` is answered with its process id, `hang` not at all, `die` by its end, and a path by what the file holds. */
import { readFile } from 'node:fs/promises';
import { type FromPictureProcess, receivePictures } from '../../../agent/lpr/pictures/picture-messages.js';

receivePictures((_, jpeg) => {
  const wish = Buffer.from(jpeg).toString();
  if (wish === 'die') process.exit(3);
  if (wish === 'pid') process.send?.({ jpeg: Buffer.from(String(process.pid)) } satisfies FromPictureProcess);
  // In a thread of the pool, as sharp decodes.
  if (wish.startsWith('/'))
    readFile(wish).then(
      (bytes) => process.send?.({ jpeg: bytes } satisfies FromPictureProcess),
      (error: NodeJS.ErrnoException) => process.send?.({ failed: error.code ?? '' } satisfies FromPictureProcess),
    );
});
process.once('disconnect', () => process.exit(0));
