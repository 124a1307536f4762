/**
 * The picture process: sharp and nothing else. What a camera sends is decoded by native code that has seen every bug a decoder can
 * have; here that costs a picture, not the gate. It holds its memory only while pictures come: child-picture-maker starts it with the
 * first one and ends it when none came for a while.
 */
import { createSharpPictureMaker } from './sharp-picture-maker.js';
import type { FromPictureProcess, ToPictureProcess } from './picture-messages.js';

const maker = createSharpPictureMaker();

process.on('message', ({ jpeg, box }: ToPictureProcess) => {
  const send = (message: FromPictureProcess) => {
    // Without a channel there is nobody to tell; 'disconnect' ends this process.
    if (process.connected) process.send?.(message, undefined, undefined, () => {});
  };
  maker.make(jpeg, box).then(
    (made) => send({ jpeg: made }),
    (error: unknown) => send({ failed: error instanceof Error ? error.message : String(error) }),
  );
});
process.once('disconnect', () => process.exit(0));
// Ctrl-C and systemd reach this process too, but the gateway decides when it ends: a picture may be under way.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});
