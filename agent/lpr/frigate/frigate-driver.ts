import { percentDecoded } from '../../../shared/percent-decoded.js';
import type { CameraDriver, CameraDriverDeps, OpenCameraSource } from '../camera.js';
import { decodeText } from '../formats/charset-parser.js';
import { parseJson } from '../formats/document-parser.js';
import { isBroker, openBrokerSource } from '../network/broker-source.js';
import { createFrigateReader } from './frigate-parser.js';

const TOPICS = ['tracked_object_update', 'events', 'available', 'stats'];

/** Driver: Frigate, which reads plates in the video of any RTSP camera. */
export const createFrigateDriver = (deps: CameraDriverDeps): CameraDriver => ({
  push: null,
  probe: null,
  source: createFrigateSource(deps),
});

/**
 * The address is `mqtt://broker:1883/PREFIX?camera=NAME`: the prefix of Frigate's topics (`frigate` when left out), and Frigate's name of
 * the camera (the device_id when left out).
 */
function createFrigateSource({ clock, random, gatewayUuid }: CameraDriverDeps): OpenCameraSource {
  return (camera, listener) => {
    if (!isBroker(camera)) return null;
    const url = new URL(camera.address);
    const prefix = percentDecoded(url.pathname.replace(/^\/+|\/+$/g, '')) || 'frigate';
    const name = url.searchParams.get('camera') ?? camera.device_id;
    const readPlate = createFrigateReader();
    let isSaidOffline = false;
    // A will, which brokers keep, is weaker than anything that Frigate sends while this connection lives, before it or after it.
    let hasSpoken = false;
    const sayOffline = (isOffline: boolean) => {
      if (isOffline || isSaidOffline) listener.onFault(isOffline ? 'Frigate is offline' : null);
      isSaidOffline = isOffline;
    };
    return openBrokerSource({
      clock,
      random,
      gatewayUuid,
      camera,
      listener,
      onDown: () => (hasSpoken = false),
      topics: TOPICS.map((topic) => `${prefix}/${topic}`),
      onMessage(body, { topic, isRetained }) {
        const last = topic.slice(prefix.length + 1);
        const text = decodeText(body);
        const isWill = last === 'available' && text === 'offline';
        if (!isRetained) hasSpoken = !isWill;
        if (isWill && isRetained && hasSpoken) return;
        if (last === 'available' || !isRetained) sayOffline(isWill);
        if (!isWill) listener.onAlive();
        if (last === 'available' || last === 'stats') return;
        const message = parseJson(text);
        if (message === undefined) {
          listener.onMalformed({ reason: `no JSON on ${last}`, contentType: 'application/json', body });
          return;
        }
        const plate = readPlate(last, message);
        // Frigate reports the plates of all its cameras on the same topics.
        if (plate === null || plate.camera !== name) return;
        void listener.onRead(isRetained ? { ...plate.read, retransmission: true, history: true } : plate.read);
      },
    });
  };
}
