/** Listens to the alert stream of a Hikvision camera that does not push: `GET /ISAPI/Event/notification/alertStream`. */
import type { OpenCameraSource } from '../camera.js';
import { type CameraStreamDeps, createStreamSource } from '../network/camera-stream.js';
import { createMissedReads } from '../network/missed-reads.js';
import { askMissedPlates, parseMissedPlates } from './hikvision-catch-up.js';
import { hikvisionChannel } from './hikvision-channel.js';
import { hikvisionPush, pictureCount, withPictures } from './hikvision-push.js';

const ALERT_STREAM = '/ISAPI/Event/notification/alertStream';

export function createHikvisionStream(deps: CameraStreamDeps): OpenCameraSource {
  return createStreamSource(deps, (camera, listener) => {
    const channel = hikvisionChannel(camera);
    const missed = createMissedReads({
      clock: deps.clock,
      listener,
      async ask(since_ms, signal) {
        const xml = await askMissedPlates(deps.client, camera, { since_ms, signal });
        return xml === null ? [] : parseMissedPlates(xml, { zone: camera.timezone, since_ms });
      },
    });
    return {
      paths: [ALERT_STREAM],
      onOpen: missed.catchUp,
      onHeard: missed.onHeard,
      picturesOf: ({ content }) => pictureCount(content),
      async onEvent({ document, pictures }) {
        const { contentType, content: body } = document;
        const parsed = hikvisionPush.parse({ contentType: 'application/xml', body, camera });
        if (parsed.kind === 'malformed') listener.onMalformed({ reason: parsed.reason, contentType, body });
        if (parsed.kind !== 'read') return;
        // A recorder tells of all its channels to each who listens.
        if (channel !== null && parsed.read.channels?.includes(channel) === false) return;
        missed.note(parsed.read);
        await listener.onRead(withPictures(parsed.read, pictures));
      },
    };
  });
}
