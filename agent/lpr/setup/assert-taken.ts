import type { SetupRequest } from '../camera.js';
import type { CameraAnswer } from '../network/camera-client.js';

const OK_BELOW = 300;

/** @throws Error that says what a camera did not take. Neither the query nor the answer is told: both may hold the push key. */
export function assertTaken(
  { path, expects }: SetupRequest,
  { status, body }: Pick<CameraAnswer, 'status' | 'body'>,
): void {
  const [where] = path.split('?');
  if (status >= OK_BELOW) throw new Error(`it answers ${status} to ${where}`);
  if (expects !== undefined && !new RegExp(expects).test(body.toString('utf8')))
    throw new Error(`it does not take what ${where} is told`);
}
