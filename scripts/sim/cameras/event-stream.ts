/** A multipart stream that a camera holds open for each listener. */
import type { CameraEvent, SeenEvents } from './camera-vendor.js';

const HEARTBEAT_MS = 5_000;

export interface StreamForm {
  contentType: string;
  boundary: string;
  /** The part that is sent at once and every few seconds. */
  heartbeat: { type: string; bytes: Uint8Array };
  parts(event: CameraEvent): { type: string; bytes: Uint8Array }[];
}

export function streamOf(seen: SeenEvents | undefined, form: StreamForm): Response {
  let stop = () => {};
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const write = ({ type, bytes }: { type: string; bytes: Uint8Array }) => {
        const head = `--${form.boundary}\r\nContent-Type: ${type}\r\nContent-Length: ${bytes.length}\r\n\r\n`;
        controller.enqueue(Buffer.concat([Buffer.from(head), bytes, Buffer.from('\r\n')]));
      };
      write(form.heartbeat);
      const beating = setInterval(() => write(form.heartbeat), HEARTBEAT_MS);
      const unsubscribe = seen?.subscribe((event) => form.parts(event).forEach(write));
      stop = () => {
        clearInterval(beating);
        unsubscribe?.();
      };
    },
    cancel: () => stop(),
  });
  return new Response(body, { headers: { 'content-type': form.contentType } });
}
