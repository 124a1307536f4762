/** Uplinks of The Things Stack 3. Its JSON leaves out what is zero, false or empty; what it decoded itself is not looked at. */
import { z } from 'zod';
import type { LoraNetwork } from './lora-network.js';
import { decodeBase64, devEuiSchema, millisecondsOf } from './uplink-fields-codec.js';

const uplinkSchema = z.object({
  end_device_ids: z.object({
    dev_eui: devEuiSchema,
    application_ids: z.object({ application_id: z.string() }).optional(),
  }),
  received_at: z.string().optional(),
  uplink_message: z.object({
    f_port: z.number().int().min(0).max(255).default(0),
    frm_payload: z.string().default(''),
    received_at: z.string().optional(),
  }),
});

export const TTN: LoraNetwork = {
  topicOf(application, username) {
    // An account is that of one application, and is called application@tenant, as topics are.
    const isWhole = application?.includes('@') === true;
    const isOwn = username.includes('@') && (application === null || username.startsWith(`${application}@`));
    const level = isWhole ? application : isOwn ? username : '+';
    return `v3/${level}/devices/+/up`;
  },
  parse(message) {
    const parsed = uplinkSchema.safeParse(message);
    if (!parsed.success) return null;
    const { end_device_ids, received_at, uplink_message } = parsed.data;
    const bytes = decodeBase64(uplink_message.frm_payload);
    if (bytes === null) return null;
    return {
      devEui: end_device_ids.dev_eui,
      applications: [end_device_ids.application_ids?.application_id ?? ''],
      port: uplink_message.f_port,
      bytes,
      measured_ms: millisecondsOf(uplink_message.received_at ?? received_at),
    };
  },
};
