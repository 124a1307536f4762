/** Probes a camera by a request with digest access. */
import { type CameraProbe, type ProbeAnswer, refusedProbe } from '../camera.js';
import { type CameraClient, reasonOf } from './camera-client.js';
import { CameraRefusal } from './refused-accounts.js';

const FORBIDDEN = 403;

/**
 * A camera that asks for a password is there. The probe tries the password too, so that a wrong password becomes known. A refused password
 * is not tried again for an hour, or until it is changed.
 * @param path the request of the probe: it needs the account, and changes nothing
 */
export function createHttpProbe(client: CameraClient, path: string): CameraProbe {
  return probeBy(async (camera, signal) => {
    const response = await client.open(camera, { path, signal });
    // Only the status counts, so the body is not read.
    response.destroy();
    return answerOf(response.statusCode ?? 0, path);
  });
}

/** Makes a probe of a question that may throw. */
export function probeBy(ask: CameraProbe): CameraProbe {
  return async (camera, signal) => {
    try {
      return await ask(camera, signal);
    } catch (error) {
      const problem = reasonOf(error);
      return error instanceof CameraRefusal ? refusedProbe(problem) : { isThere: false, problem };
    }
  };
}

function answerOf(status: number, path: string): ProbeAnswer {
  if (status >= 500) return { isThere: false, problem: `it answers ${status}` };
  // The account may log in, but lacks the right to this request.
  if (status === FORBIDDEN) return refusedProbe(`it answers ${status} to ${path}: give the account its rights`);
  return { isThere: true, problem: status >= 200 && status < 300 ? null : `it answers ${status} to ${path}` };
}
