/** Events of ChirpStack 4 and 3, as their MQTT integrations publish them in JSON. */
import { z } from 'zod';
import { frameOf } from '../frame-count-machine.js';
import { likeChirpstack4 } from '../codecs/chirpstack3-codec.js';
import { decodeBase64, devEuiSchema, millisecondsOf, payloadOf } from './uplink-fields-codec.js';
import type { LoraNetwork } from './lora-network.js';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Beside uplinks, what a device sent itself. Others tell what the server or its gateways did: `txack`, `log`, `integration`. */
const SIGNS = ['join', 'status'];

const deviceSchema = z.object({
  deviceInfo: z.object({
    devEui: devEuiSchema,
    applicationId: z.string().default(''),
    applicationName: z.string().nullish(),
  }),
});

const uplinkSchema = z.object({
  time: z.string().nullish(),
  fPort: z.number().int().min(0).max(255).nullish(),
  data: z.string().nullish(),
});

export const CHIRPSTACK: LoraNetwork = {
  topicsOf(application) {
    // Topics hold the application's id; its name, by which people may know it, stands in the message.
    const id = application !== null && UUID.test(application) ? application : '+';
    const topicOf = (event: string) => `application/${id}/device/+/event/${event}`;
    return { uplinks: topicOf('up'), signs: SIGNS.map(topicOf) };
  },
  parse(published, event) {
    const message = likeChirpstack4(published);
    const { data: device } = deviceSchema.safeParse(message);
    if (device === undefined) return null;
    const { devEui, applicationId, applicationName } = device.deviceInfo;
    const from = { devEui, applications: [applicationId, applicationName ?? ''] };
    if (event !== 'up') {
      const frame = event === 'join' ? null : undefined;
      return SIGNS.includes(event) ? { ...from, frame, measured_ms: null, payload: null } : null;
    }
    const { data: uplink } = uplinkSchema.safeParse(message);
    const bytes = decodeBase64(uplink?.data ?? '');
    if (uplink === undefined || bytes === null) return null;
    const measured_ms = millisecondsOf(uplink.time);
    return { ...from, frame: frameOf(message) ?? null, measured_ms, payload: payloadOf(uplink.fPort ?? 0, bytes) };
  },
};
