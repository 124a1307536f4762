/**
 * Hears a Zhenshi camera at a broker: `mqtt://broker:1883/SERIAL`, with the serial number of the camera. Firmwares order the words of their
 * topics in two ways, and some have one topic for everything.
 */
import type { Clock } from '../../../shared/clock.js';
import { percentDecoded } from '../../../shared/percent-decoded.js';
import type { OpenCameraSource } from '../camera.js';
import { decodeText } from '../formats/charset-parser.js';
import { parseJson } from '../formats/document-parser.js';
import { textAt, valueAt } from '../formats/path-parser.js';
import { isBroker, openBrokerSource } from '../network/broker-source.js';
import { parseZhenshiPlate } from './zhenshi-parser.js';

const PLATES = new Set(['ivs_result', 'offline_record']);

export function createZhenshiMessages({
  clock,
  random,
  gatewayUuid,
}: {
  clock: Clock;
  random: () => number;
  gatewayUuid: string;
}): OpenCameraSource {
  return (camera, listener) => {
    if (!isBroker(camera)) return null;
    const serial = percentDecoded(new URL(camera.address).pathname.slice(1)) || camera.device_id;
    return openBrokerSource({
      onDown() {},
      clock,
      random,
      gatewayUuid,
      camera,
      listener,
      topics: [`device/${serial}/message/up/+`, `${serial}/device/message/up/+`, `device/${serial}/sys/message/up`],
      onMessage(body, { topic, isRetained }) {
        listener.onAlive();
        const message = parseJson(decodeText(body));
        const name = textAt(message, ['name', 'cmd', 'payload.type']) || (topic.split('/').at(-1) ?? '');
        if (!PLATES.has(name)) return;
        const alarm =
          valueAt(message, 'payload.AlarmInfoPlate') ??
          valueAt(message, 'payload.body.AlarmInfoPlate') ??
          valueAt(message, 'AlarmInfoPlate');
        const plate = parseZhenshiPlate(alarm, { isBase64: true });
        if (plate === null) {
          listener.onMalformed({ reason: `a ${name} without its plate`, contentType: 'application/json', body });
          return;
        }
        const { read } = plate;
        // A message that the broker or the camera stored is of a vehicle that may have left.
        const isPast = isRetained || name === 'offline_record' || read.history === true;
        void listener.onRead(isPast ? { ...read, retransmission: true, history: true } : read);
      },
    });
  };
}
