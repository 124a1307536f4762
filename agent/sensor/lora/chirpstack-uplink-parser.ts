/** Uplinks of ChirpStack 4, as its MQTT integration publishes them in JSON. */
import { z } from 'zod';
import { decodeBase64, devEuiSchema, millisecondsOf } from './uplink-fields-codec.js';
import type { LoraNetwork } from './lora-network.js';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A payload may be absent: the device only acknowledged something. */
const uplinkSchema = z.object({
  deviceInfo: z.object({
    devEui: devEuiSchema,
    applicationId: z.string().default(''),
    applicationName: z.string().default(''),
  }),
  time: z.string().nullish(),
  fPort: z.number().int().min(0).max(255).default(0),
  data: z.string().nullish(),
});

export const CHIRPSTACK: LoraNetwork = {
  // Topics hold the application's id; its name, by which people may know it, stands in the message.
  topicOf: (application) =>
    `application/${application !== null && UUID.test(application) ? application : '+'}/device/+/event/up`,
  parse(message) {
    const parsed = uplinkSchema.safeParse(message);
    if (!parsed.success) return null;
    const { deviceInfo, time, fPort, data } = parsed.data;
    const bytes = decodeBase64(data ?? '');
    if (bytes === null) return null;
    const { devEui, applicationId, applicationName } = deviceInfo;
    return {
      devEui,
      applications: [applicationId, applicationName],
      port: fPort,
      bytes,
      measured_ms: millisecondsOf(time),
    };
  },
};
