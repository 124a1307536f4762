/** Events of The Things Stack 3. Its JSON leaves out values that are zero, false or empty. Its own decoded payload is not used. */
import { z } from 'zod';
import { frameOf } from '../frame-count-machine.js';
import type { LoraNetwork } from './lora-network.js';
import { decodeBase64, devEuiSchema, millisecondsOf, payloadOf } from './uplink-fields-codec.js';

const deviceSchema = z.object({
  end_device_ids: z.object({
    dev_eui: devEuiSchema,
    application_ids: z.object({ application_id: z.string() }).optional(),
  }),
  /** Somebody at the console sent it; the device did not. */
  simulated: z.boolean().default(false),
});

const uplinkSchema = z.object({
  received_at: z.string().optional(),
  uplink_message: z.object({
    f_port: z.number().int().min(0).max(255).default(0),
    frm_payload: z.string().default(''),
    received_at: z.string().optional(),
  }),
});

export const TTN: LoraNetwork = {
  topicsOf(application, username) {
    // An account is that of one application, and is called application@tenant, as topics are.
    const isWhole = application?.includes('@') === true;
    const isOwn = username.includes('@') && (application === null || username.startsWith(`${application}@`));
    const level = isWhole ? application : isOwn ? username : '+';
    const topicOf = (event: string) => `v3/${level}/devices/+/${event}`;
    return { uplinks: topicOf('up'), signs: [topicOf('join')] };
  },
  parse(message, event) {
    const { data: device } = deviceSchema.safeParse(message);
    if (device === undefined || device.simulated) return null;
    const { dev_eui: devEui, application_ids } = device.end_device_ids;
    const from = { devEui, applications: [application_ids?.application_id ?? ''] };
    if (event === 'join') return { ...from, frame: null, measured_ms: null, payload: null };
    const { data: uplink } = uplinkSchema.safeParse(message);
    if (event !== 'up' || uplink === undefined) return null;
    const { received_at, uplink_message } = uplink;
    const bytes = decodeBase64(uplink_message.frm_payload);
    if (bytes === null) return null;
    return {
      ...from,
      // The first frame has no count, because it is zero.
      frame: frameOf(message) ?? null,
      measured_ms: millisecondsOf(uplink_message.received_at ?? received_at),
      payload: payloadOf(uplink_message.f_port, bytes),
    };
  },
};
