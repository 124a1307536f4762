/** `doctor` over the local listener: for programs on the device, and for the page of the gateway. */
import { Hono } from 'hono';
import { z } from 'zod';
import { errorText } from '../../shared/error-text.js';
import type { GatewayDoctor } from '../doctor/gateway-doctor.js';
import { DoctorBusyError, DoctorQuestionError } from '../doctor/question-checks.js';
import { readBody, refuse } from './api-answers.js';
import { createPostRoute } from './local-routes.js';
import { askingPerson } from './page-actions.js';
import type { PageDoor } from './page-door.js';

const NAME_LENGTH_MAX = 200;
const name = z.string().min(1).max(NAME_LENGTH_MAX);

const questionSchema = z.strictObject({
  /** A product that is opened and closed. */
  cycle: name.optional(),
  plate: name.optional(),
  camera: name.optional(),
});

/**
 * `POST /doctor` `{cycle?, plate?, camera?}` for programs on the device answers the report. For a person who is signed
 * in, `POST /api/doctor` does the same, and `GET /api/doctor` answers `{report}`, the last one; null: there is none.
 */
export function createDoctorRoutes(
  door: Pick<PageDoor, 'signedIn'>,
  doctor: Pick<GatewayDoctor, 'run' | 'last'>,
): Hono {
  const app = createPostRoute({
    path: '/doctor',
    schema: questionSchema,
    faultOf: () => 'the body must be {"cycle"?, "plate"?, "camera"?}',
    run: (question, _signal, asking) => doctor.run(question, asking),
  });
  const page = new Hono();
  page.use(door.signedIn);
  page.get('/', (context) => context.json({ report: doctor.last() }));
  page.post('/', async (context) => {
    const question = await readBody(context, questionSchema);
    if (question instanceof Response) return question;
    try {
      return context.json({ report: await doctor.run(question, askingPerson(context)) });
    } catch (error) {
      if (error instanceof DoctorBusyError) return refuse(context, 409, errorText(error));
      if (error instanceof DoctorQuestionError) return refuse(context, 422, errorText(error));
      throw error;
    }
  });
  return app.route('/api/doctor', page);
}
