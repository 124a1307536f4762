/**
 * Reads the events of a stream that a camera holds open. An event is a document, followed by its pictures. A document waits for its
 * pictures only a moment, because they follow at once or not at all.
 */
import { type Clock, type Timer } from '../../../shared/clock.js';
import type { CameraItem } from '../../../shared/gateway-config.js';
import type { CameraSource, OpenCameraSource, SourceListener } from '../camera.js';
import { isJpeg } from '../formats/picture-parser.js';
import { createStreamSplitter, type StreamPart } from '../formats/stream-splitter.js';
import type { CameraClient } from './camera-client.js';
import { keepOpen } from './keep-open.js';

const PICTURES_WITHIN_MS = 250;
const PICTURES_MAX = 8;
/** Cameras send a heartbeat each 5 to 30 s. */
const SILENT_MS = 90_000;
const OK = 200;

export interface StreamedEvent {
  document: StreamPart;
  pictures: Uint8Array[];
}

export interface CameraStreamDeps {
  client: CameraClient;
  clock: Clock;
  random: () => number;
}

/** The parts of a camera's stream that differ by vendor. */
export interface CameraStream {
  /** Path and query of the stream. A camera that lacks the first stream is asked for the next one. */
  paths: readonly [string, ...string[]];
  /** Called when the stream is open, while it is read. A rejection is no fault of the stream. Left out: nothing is called. */
  onOpen?: (signal: AbortSignal) => Promise<void>;
  /** Called when a chunk arrives. */
  onHeard?: () => void;
  /** How many pictures follow the document; 0: it does not wait. */
  picturesOf(document: StreamPart): number;
  /** Resolves when the stream may be read on. */
  onEvent(event: StreamedEvent): Promise<void>;
}

/** Listens to the cameras without a push key, which cannot push. */
export function createStreamSource(
  deps: CameraStreamDeps,
  streamOf: (camera: CameraItem, listener: SourceListener) => CameraStream,
): OpenCameraSource {
  return (camera, listener) => {
    if (camera.push_key !== '' || camera.address === '') return null;
    return openCameraStream(deps, { camera, listener, stream: streamOf(camera, listener) });
  };
}

function openCameraStream(
  { client, clock, random }: CameraStreamDeps,
  { camera, listener, stream }: { camera: CameraItem; listener: SourceListener; stream: CameraStream },
): CameraSource {
  return keepOpen({
    clock,
    random,
    listener,
    async attempt(signal, onUp) {
      const silence = createSilenceGuard(clock, signal);
      try {
        const response = await openFirst(client, { camera, paths: stream.paths }, silence.signal);
        onUp();
        listener.onAlive();
        const splitter = createStreamSplitter(response.headers['content-type'] ?? '');
        const group = createGroup(stream, { clock, listener });
        void stream.onOpen?.(silence.signal).catch(() => undefined);
        try {
          for await (const chunk of response as AsyncIterable<Buffer>) {
            silence.heard();
            stream.onHeard?.();
            for (const part of splitter.push(chunk)) await group.add(part);
          }
          await group.end();
        } finally {
          group.close();
          response.destroy();
        }
      } finally {
        silence.close();
      }
    },
  });
}

/** Opens the first of the streams that the camera answers. */
async function openFirst(
  client: CameraClient,
  { camera, paths }: { camera: CameraItem; paths: CameraStream['paths'] },
  signal: AbortSignal,
) {
  let refusal = '';
  for (const path of paths) {
    const response = await client.open(camera, { path, signal });
    if (response.statusCode === OK) return response;
    response.destroy();
    refusal ||= `it answers ${response.statusCode} to ${path.split('?')[0]}`;
  }
  throw new Error(refusal);
}

/** Aborts its signal when nothing arrives for too long, because a camera may disappear without closing the stream. */
function createSilenceGuard(clock: Clock, outer: AbortSignal) {
  const limit = new AbortController();
  const stop = () => limit.abort(outer.reason);
  outer.addEventListener('abort', stop, { once: true });
  if (outer.aborted) stop();
  let timer: Timer | null = null;
  const heard = () => {
    timer?.cancel();
    timer = clock.setTimer(SILENT_MS, () => limit.abort(new Error(`nothing came for ${SILENT_MS / 1000} s`)));
  };
  heard();
  return {
    signal: limit.signal,
    heard,
    close() {
      timer?.cancel();
      outer.removeEventListener('abort', stop);
    },
  };
}

/** Collects a document with its pictures. */
function createGroup(
  { picturesOf, onEvent }: CameraStream,
  { clock, listener }: { clock: Clock; listener: SourceListener },
) {
  let waiting: { event: StreamedEvent; missing: number; timer: Timer } | null = null;

  function release(): Promise<void> {
    const ready = waiting;
    waiting = null;
    ready?.timer.cancel();
    return ready === null ? Promise.resolve() : onEvent(ready.event);
  }

  return {
    async add(part: StreamPart): Promise<void> {
      listener.onAlive();
      if (isJpeg(part.content)) {
        if (waiting === null) return;
        waiting.event.pictures.push(part.content);
        if (--waiting.missing <= 0) await release();
        return;
      }
      await release();
      const missing = Math.min(PICTURES_MAX, picturesOf(part));
      const event = { document: part, pictures: [] };
      if (missing <= 0) return onEvent(event);
      waiting = { event, missing, timer: clock.setTimer(PICTURES_WITHIN_MS, () => void release()) };
    },
    end: release,
    close() {
      waiting?.timer.cancel();
      waiting = null;
    },
  };
}
