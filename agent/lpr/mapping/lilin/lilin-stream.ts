/**
 * Listens to a LILIN camera that does not push: `GET /getalarmmotion`. The parts of this stream repeat the latest plates again and again.
 * The plates that the camera read while the gateway did not hear it are in its log.
 */
import type { CameraRead, OpenCameraSource } from '../../camera.js';
import { decodeText } from '../../formats/charset-parser.js';
import { type CameraStreamDeps, createStreamSource } from '../../network/camera-stream.js';
import { createMissedReads } from '../../network/missed-reads.js';
import { parseAlarmPart, parseKeptPlates } from './lilin-parser.js';

const ALARMS = '/getalarmmotion';
const LOG = '/get_search_info?list=log';
const LOG_BYTES_MAX = 2 * 1024 * 1024;
const TEXT_BYTES_MAX = 64 * 1024;

const nameOf = ({ vendor_event_id, raw_plate }: CameraRead): string => vendor_event_id ?? raw_plate;

export function createLilinStream(deps: CameraStreamDeps): OpenCameraSource {
  return createStreamSource(deps, (camera, listener) => {
    /** The plates of the part before. */
    let said = new Set<string>();
    /** The plates of the first part were read before the stream was open. */
    let isFirst = true;
    const missed = createMissedReads({
      clock: deps.clock,
      listener,
      async ask(since_ms, signal) {
        const { status, body } = await deps.client.ask(camera, { path: LOG, bytesMax: LOG_BYTES_MAX, signal });
        return status === 200 ? parseKeptPlates(decodeText(body), since_ms) : [];
      },
    });
    return {
      paths: [ALARMS],
      onOpen(signal) {
        isFirst = true;
        return missed.catchUp(signal);
      },
      onHeard: missed.onHeard,
      picturesOf: () => 0,
      async onEvent({ document }) {
        const reads = parseAlarmPart(decodeText(document.content.subarray(0, TEXT_BYTES_MAX)));
        const news = reads.filter((read) => !said.has(nameOf(read)));
        const past = isFirst ? { retransmission: true, history: true } : {};
        isFirst = false;
        said = new Set(reads.map(nameOf));
        for (const read of news) {
          missed.note(read);
          await listener.onRead({ ...read, ...past });
        }
      },
    };
  });
}
