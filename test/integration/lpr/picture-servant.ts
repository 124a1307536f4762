/** A picture process that does as the picture says: `pid` is answered with its process id, `hang` not at all, `die` by its end. */
import { type FromPictureProcess, receivePictures } from '../../../agent/lpr/pictures/picture-messages.js';

receivePictures((_, jpeg) => {
  const wish = Buffer.from(jpeg).toString();
  if (wish === 'die') process.exit(3);
  if (wish === 'pid') process.send?.({ jpeg: Buffer.from(String(process.pid)) } satisfies FromPictureProcess);
});
process.once('disconnect', () => process.exit(0));
