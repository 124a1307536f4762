/** Listens to the alert stream of a Hikvision camera that does not push: `GET /ISAPI/Event/notification/alertStream`. */
import type { CameraItem } from '../../../shared/gateway-config.js';
import type { OpenCameraSource } from '../camera.js';
import { type CameraStreamDeps, createStreamSource } from '../network/camera-stream.js';
import { createMissedReads } from '../network/missed-reads.js';
import { askMissedPlates, parseMissedPlates } from './hikvision-catch-up.js';
import { hikvisionPush, pictureCount, withPictures } from './hikvision-push.js';

const ALERT_STREAM = '/ISAPI/Event/notification/alertStream';

/**
 * The channel of a recorder that a camera is; null: the camera stands for itself. The address of such a camera is the recorder's, with
 * `?channel=` in it. The recorder posts the reads of all its channels to one of its cameras.
 */
export function hikvisionChannel({ address }: Pick<CameraItem, 'address'>): string | null {
  const channel = URL.canParse(address) ? new URL(address).searchParams.get('channel') : null;
  return channel !== null && /^\d{1,5}$/.test(channel) ? channel : null;
}

export function createHikvisionStream(deps: CameraStreamDeps): OpenCameraSource {
  return createStreamSource(deps, (camera, listener) => {
    const channel = hikvisionChannel(camera);
    const missed = createMissedReads({
      clock: deps.clock,
      listener,
      async ask(since_ms, signal) {
        const xml = await askMissedPlates(deps.client, camera, { channel: channel ?? '1', since_ms, signal });
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
        // A recorder streams the events of all its channels to every listener.
        if (channel !== null && parsed.read.channels?.includes(channel) === false) return;
        missed.note(parsed.read);
        await listener.onRead(withPictures(parsed.read, pictures));
      },
    };
  });
}
