/** Probes a Hikvision camera by a request for ISAPI deviceInfo with digest authentication. */
import { get as httpGet } from 'node:http';
import { get as httpsGet } from 'node:https';
import type { Clock } from '../../../shared/clock.js';
import type { CameraItem } from '../../../shared/gateway-config.js';
import type { CameraProbe, ProbeAnswer } from '../camera.js';
import { answerDigest } from '../formats/digest-access.js';

const DEVICE_INFO = '/ISAPI/System/deviceInfo';
const UNAUTHORIZED = 401;
/** Cameras lock an account after a few wrong passwords, so an account that was refused is not tried again for this long. */
const REFUSED_REST_MS = 3_600_000;

/**
 * A camera that asks for a password is there. The probe tries the password too, so that a wrong one becomes known; after a refusal it
 * does not try it again for an hour, or until it is changed.
 * @param deps.randomHex returns so many random bytes as hex
 */
export function createHikvisionProbe(deps: { clock: Clock; randomHex: (bytes: number) => string }): CameraProbe {
  const { clock } = deps;
  /** By camera: the account that was refused, and when. */
  const refused = new Map<number, { account: string; mono_ms: number }>();

  async function ask(camera: CameraItem, url: URL, signal: AbortSignal): Promise<ProbeAnswer> {
    const first = await get(url, signal);
    if (first.status !== UNAUTHORIZED) return answerOf(first.status);
    const { username, password } = camera;
    const account = JSON.stringify([camera.address, username, password]);
    const rest = refused.get(camera.id);
    if (rest?.account === account && clock.monotonic() - rest.mono_ms < REFUSED_REST_MS) return REFUSED;
    const authorization = answerDigest(first.challenge, {
      method: 'GET',
      uri: url.pathname,
      username,
      password,
      cnonce: deps.randomHex(8),
    });
    if (username === '' || authorization === null) return NO_ACCOUNT;
    const second = await get(url, signal, authorization);
    if (second.status !== UNAUTHORIZED) {
      refused.delete(camera.id);
      return answerOf(second.status);
    }
    refused.set(camera.id, { account, mono_ms: clock.monotonic() });
    return REFUSED;
  }

  return async (camera, signal) => {
    if (!URL.canParse(DEVICE_INFO, camera.address))
      return { isThere: false, problem: 'its address is no http address' };
    try {
      return await ask(camera, new URL(DEVICE_INFO, camera.address), signal);
    } catch (error) {
      return { isThere: false, problem: reasonOf(error) };
    }
  };
}

const REFUSED: ProbeAnswer = {
  isThere: true,
  problem: 'it refuses the user name and password: correct them (tried again in an hour)',
};
const NO_ACCOUNT: ProbeAnswer = { isThere: true, problem: 'it asks for a user name and password by digest: give them' };

/** This uses Node's own client, because fetch would add a fifth to the gateway's memory. */
function get(url: URL, signal: AbortSignal, authorization?: string): Promise<{ status: number; challenge: string }> {
  const ask = url.protocol === 'https:' ? httpsGet : httpGet;
  const headers = authorization === undefined ? {} : { authorization };
  return new Promise((resolve, reject) => {
    const request = ask(url, { agent: false, headers, signal }, (response) => {
      const { statusCode = 0, headers: answered } = response;
      resolve({ status: statusCode, challenge: answered['www-authenticate'] ?? '' });
      // Only the status is of interest, so the body is not read.
      request.destroy();
    });
    request.on('error', reject);
  });
}

function answerOf(status: number): ProbeAnswer {
  if (status >= 500) return { isThere: false, problem: `it answers ${status}` };
  return { isThere: true, problem: status >= 200 && status < 300 ? null : `it answers ${status} to ${DEVICE_INFO}` };
}

/** The cause of an aborted request says why it was aborted. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error && error.cause.message !== '' ? error.cause.message : error.message;
}
