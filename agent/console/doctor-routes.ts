/** `doctor` over the local listener. */
import { z } from 'zod';
import type { Hono } from 'hono';
import type { GatewayDoctor } from '../doctor/gateway-doctor.js';
import { createPostRoute } from './local-routes.js';

const NAME_LENGTH_MAX = 200;
const name = z.string().min(1).max(NAME_LENGTH_MAX);

export const doctorQuestionSchema = z.strictObject({
  cycle: name.optional(),
  plate: name.optional(),
  camera: name.optional(),
});

/** `POST /doctor` `{cycle?, plate?, camera?}` answers the report. */
export function createDoctorRoute(doctor: Pick<GatewayDoctor, 'run'>): Hono {
  return createPostRoute({
    path: '/doctor',
    schema: doctorQuestionSchema,
    faultOf: () => 'the body must be {"cycle"?, "plate"?, "camera"?}',
    run: (question) => doctor.run(question),
  });
}
