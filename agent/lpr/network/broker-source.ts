/** Hears a camera at a broker, `mqtt://` or `mqtts://`, with name and password from the camera's settings or its address. */
import type { Clock } from '../../../shared/clock.js';
import type { CameraItem } from '../../../shared/gateway-config.js';
import { hearTopics } from '../../mqtt/hear-topics.js';
import type { CameraSource, SourceListener } from '../camera.js';

/** A message may hold two pictures as base64. */
const MESSAGE_BYTES_MAX = 8 * 1024 * 1024;

export interface BrokerSourceOptions {
  clock: Clock;
  random: () => number;
  gatewayUuid: string;
  camera: CameraItem;
  listener: SourceListener;
  topics: readonly string[];
  /** Called when the connection is lost. */
  onDown(): void;
  onMessage(payload: Uint8Array, from: { topic: string; isRetained: boolean }): void;
}

export const isBroker = ({ address }: Pick<CameraItem, 'address'>): boolean =>
  /^mqtts?:\/\//i.test(address) && URL.canParse(address);

/** The broker keeps no messages while the link is down: they would be of vehicles that have gone. */
export function openBrokerSource(options: BrokerSourceOptions): CameraSource {
  const { camera, listener } = options;
  const closing = new AbortController();
  const url = new URL(camera.address);
  if (url.username === '' && camera.username !== '') {
    url.username = encodeURIComponent(camera.username);
    url.password = encodeURIComponent(camera.password);
  }
  const ended = Promise.resolve().then(() =>
    hearTopics({
      url,
      ca: undefined,
      clientId: `parking-${options.gatewayUuid}-camera-${camera.id}`,
      topics: options.topics,
      keepsSession: false,
      clock: options.clock,
      random: options.random,
      signal: closing.signal,
      onUp: () => listener.onFault(null),
      onDown(reason) {
        options.onDown();
        listener.onFault(reason);
      },
      onMessage(payload, from) {
        if (payload.length > MESSAGE_BYTES_MAX) return;
        options.onMessage(payload, from);
      },
    }),
  );
  return {
    close() {
      closing.abort(new Error('the camera is not listened to any more'));
      return ended;
    },
  };
}
