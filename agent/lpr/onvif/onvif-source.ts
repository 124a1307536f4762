/**
 * Pulls the events of ONVIF cameras. A subscription is renewed each minute and made again when it fails, and a camera that answers at once
 * is asked again only after a pause.
 */
import { type Clock, sleep } from '../../../shared/clock.js';
import type { CameraItem } from '../../../shared/gateway-config.js';
import type { CameraRead, OpenCameraSource, SourceListener } from '../camera.js';
import { keepOpen } from '../network/keep-open.js';
import { ownPath } from '../network/picture-fetcher.js';
import type { OnvifClient, OnvifSession } from './onvif-client.js';
import { parsePulledMessages } from './onvif-parser.js';

const RENEW_MS = 60_000;
/** The pause after an answer that came at once without messages. */
const IDLE_PAUSE_MS = 1_000;
/** The pause after an answer that came at once with messages. */
const BUSY_PAUSE_MS = 50;
const AT_ONCE_MS = 500;
const LEAVE_WITHIN_MS = 2_000;

export function createOnvifSource(deps: { client: OnvifClient; clock: Clock; random: () => number }): OpenCameraSource {
  const { client, clock } = deps;
  return (camera, listener) => {
    if (camera.address === '') return null;
    return keepOpen({
      ...deps,
      listener,
      async attempt(signal, onUp) {
        const session = await client.open(camera);
        try {
          await session.connect(signal);
          const snapshot = await snapshotPath(camera, session, signal);
          await session.subscribe(signal);
          onUp();
          await pullAll({ session, listener, clock, signal, snapshot });
        } finally {
          // A camera has only a few subscriptions. One that cannot be cancelled ends by itself.
          await session.unsubscribe(AbortSignal.timeout(LEAVE_WITHIN_MS)).catch(() => undefined);
          session.close();
        }
      },
    });
  };
}

async function snapshotPath(camera: CameraItem, session: OnvifSession, signal: AbortSignal): Promise<string | null> {
  const address = await session.snapshotAddress(signal);
  return address === null ? null : ownPath(address, camera);
}

interface Pulling {
  session: OnvifSession;
  listener: SourceListener;
  clock: Clock;
  signal: AbortSignal;
  snapshot: string | null;
}

async function pullAll({ session, listener, clock, signal, snapshot }: Pulling): Promise<never> {
  let renewedMonoMs = clock.monotonic();
  for (;;) {
    const askedMonoMs = clock.monotonic();
    const xml = await session.pull(signal);
    listener.onAlive();
    const { count, reads, malformed } = parsePulledMessages(xml);
    for (const reason of malformed)
      listener.onMalformed({ reason, contentType: 'application/soap+xml', body: Buffer.from(xml) });
    for (const read of reads) await listener.onRead(withSnapshot(read, snapshot));
    const isAtOnce = clock.monotonic() - askedMonoMs < AT_ONCE_MS;
    if (isAtOnce) await sleep(clock, count === 0 ? IDLE_PAUSE_MS : BUSY_PAUSE_MS, signal);
    if (clock.monotonic() - renewedMonoMs >= RENEW_MS) {
      await session.renew(signal);
      renewedMonoMs = clock.monotonic();
    }
  }
}

const withSnapshot = (read: CameraRead, snapshot: string | null): CameraRead =>
  snapshot === null ? read : { ...read, pictures: { ...read.pictures, full_address: snapshot } };
