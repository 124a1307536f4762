/**
 * The picture process runs sharp and nothing else. Native code that decodes the pictures of cameras may have bugs: in this process a crash
 * costs a picture, and not the gateway. child-picture-maker starts the process with the first picture, and ends it when no picture came for
 * a while.
 */
import { createSharpPictureMaker } from './sharp-picture-maker.js';
import { type FromPictureProcess, receivePictures } from './picture-messages.js';
import { errorText } from '../../../shared/error-text.js';

const maker = createSharpPictureMaker();

receivePictures(({ box, sidePixelsMax }, jpeg) => {
  const send = (message: FromPictureProcess) => {
    // Without a channel nobody waits for the answer; `disconnect` ends this process.
    if (process.connected) process.send?.(message, undefined, undefined, () => {});
  };
  maker.scale(jpeg, box, sidePixelsMax).then(
    (made) => send({ jpeg: made }),
    (error: unknown) => send({ failed: errorText(error) }),
  );
});
process.once('disconnect', () => process.exit(0));
// Ctrl-C and systemd reach this process too, but the gateway decides when it ends: a picture may be under way.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});
