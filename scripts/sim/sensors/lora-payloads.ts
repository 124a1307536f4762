/**
 * The uplinks of LoRa sensors about their place, in the bytes of their makers, and the messages of network servers
 * around them.
 */
import type { SensorCodecName } from '../../../shared/drivers/sensor-codecs.js';

export interface SentPayload {
  port: number;
  bytes: Uint8Array;
}

/** A free place measures this much more than its threshold. */
const FREE_MARGIN_MM = 500;

export function payloadOf(
  codec: SensorCodecName,
  {
    isOccupied,
    occupied_below_mm,
    hysteresis_mm,
  }: {
    isOccupied: boolean;
    occupied_below_mm: number | null;
    hysteresis_mm: number | null;
  },
): SentPayload {
  if (codec === 'bosch-tps110') return { port: 1, bytes: Uint8Array.of(isOccupied ? 1 : 0) };
  // A minute in the state before.
  if (codec === 'nwave-g4') return { port: 1, bytes: Uint8Array.of((1 << 1) | (isOccupied ? 1 : 0)) };
  const below = occupied_below_mm ?? 0;
  const distance = isOccupied ? Math.floor(below / 2) : below + (hysteresis_mm ?? 0) + FREE_MARGIN_MM;
  return {
    port: 85,
    bytes: Uint8Array.of(0x01, 0x75, 92, 0x03, 0x82, distance & 0xff, distance >> 8, 0x04, 0x00, 0x00),
  };
}

interface SentUplink extends SentPayload {
  devEui: string;
  application: string;
  /** Wall milliseconds. */
  sent_ms: number;
  count: number;
}

/** How a network server publishes an uplink. */
export const NETWORK_MESSAGES = {
  chirpstack: ({ devEui, application, sent_ms, count, port, bytes }: SentUplink) => ({
    topic: `application/7f3c0e52-94d1-4b61-8a1e-0d9b6c2e4a10/device/${devEui}/event/up`,
    message: {
      deduplicationId: `${devEui}-${count}`,
      time: new Date(sent_ms).toISOString(),
      deviceInfo: {
        applicationId: '7f3c0e52-94d1-4b61-8a1e-0d9b6c2e4a10',
        applicationName: application,
        deviceName: devEui,
        devEui,
      },
      fCnt: count,
      fPort: port,
      data: Buffer.from(bytes).toString('base64'),
    },
  }),
  chirpstack3: ({ devEui, application, sent_ms, count, port, bytes }: SentUplink) => ({
    topic: `application/12/device/${devEui}/event/up`,
    message: {
      applicationID: '12',
      applicationName: application,
      deviceName: devEui,
      devEUI: Buffer.from(devEui, 'hex').toString('base64'),
      rxInfo: [
        { gatewayID: 'AgUe//4Apxk=', time: null, rssi: -36 },
        { gatewayID: 'AgUe//4Apxo=', time: new Date(sent_ms).toISOString(), rssi: -80 },
      ],
      adr: true,
      fCnt: count,
      fPort: port,
      data: Buffer.from(bytes).toString('base64'),
      objectJSON: JSON.stringify({ occupied: bytes[0] === 1 }),
    },
  }),
  ttn: ({ devEui, application, sent_ms, count, port, bytes }: SentUplink) => ({
    topic: `v3/${application}@ttn/devices/eui-${devEui}/up`,
    message: {
      end_device_ids: {
        device_id: `eui-${devEui}`,
        dev_eui: devEui.toUpperCase(),
        application_ids: { application_id: application },
      },
      received_at: new Date(sent_ms).toISOString(),
      uplink_message: {
        f_port: port,
        f_cnt: count,
        frm_payload: Buffer.from(bytes).toString('base64'),
        received_at: new Date(sent_ms).toISOString(),
      },
    },
  }),
} as const;
