import type { CameraItem } from '../../../shared/gateway-config.js';
import type { SetupRequest } from '../camera.js';
import { decodeText } from '../formats/charset-parser.js';
import type { CameraAnswer, CameraRequest } from '../network/camera-client.js';

const OK = 200;
const OK_BELOW = 300;

type SetupClient = { ask(camera: CameraItem, request: CameraRequest): Promise<CameraAnswer> };

/** Reads a setting of a camera; empty: the camera does not offer it. */
export async function readSetting(client: SetupClient, camera: CameraItem, request: CameraRequest): Promise<string> {
  const { status, body } = await client.ask(camera, request);
  return status === OK ? decodeText(body) : '';
}

/**
 * Sends one request of a setup.
 * @throws Error that says what the camera did not take, without the query and the answer: both may hold the push key
 */
export async function sendSetup(
  client: SetupClient,
  camera: CameraItem,
  { method, path, body, contentType, expects }: SetupRequest,
  signal: AbortSignal,
): Promise<void> {
  const content = method === 'GET' ? {} : { body, headers: { 'content-type': contentType } };
  const answer = await client.ask(camera, { method, path, signal, ...content });
  const [where] = path.split('?');
  if (answer.status >= OK_BELOW) throw new Error(`it answers ${answer.status} to ${where}`);
  if (expects !== undefined && !new RegExp(expects).test(answer.body.toString('utf8')))
    throw new Error(`it does not take what ${where} is told`);
}
