/** Probes a camera by a request with digest access. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { type CameraProbe, type ProbeAnswer, type ProbeFault, refusedProbe } from '../camera.js';
import { cleanText } from '../formats/camera-text-parser.js';
import { type CameraClient, reasonOf } from './camera-client.js';
import { CameraRefusal } from './refused-accounts.js';

const FORBIDDEN = 403;
/** The beginning of an answer shows whose it is. */
const READ_BYTES_MAX = 64 * 1024;
const ANSWER_LENGTH_MAX = 80;

interface VendorRequest {
  /** The request of the probe: it needs the account, and changes nothing. */
  path: string;
  /** Whose cameras answer it, for people. */
  vendor: string;
  /** Only they answer so. */
  proof: RegExp;
}

/**
 * A camera that asks for a password is there. The probe tries the password too, so that a wrong password becomes known. A refused password
 * is not tried again for an hour, or until it is changed. An answer counts as the camera's only if it is its vendor's: routers and recorders
 * answer any request with a page.
 */
export function createHttpProbe(client: CameraClient, request: VendorRequest): CameraProbe {
  return probeBy(async (camera, signal) => {
    const response = await client.open(camera, { path: request.path, signal });
    try {
      return await answerOf(response, request, camera.address);
    } finally {
      response.destroy();
    }
  });
}

/** Asks whether anything listens at the address of a camera that only pushes: such cameras have no request of their own. */
export const reachProbe: CameraProbe = probeBy(async ({ address }, signal) => {
  if (!/^https?:/i.test(address) || !URL.canParse(address)) throw new Error('its address is no http address');
  const { protocol, hostname, port } = new URL(address);
  const host = hostname.replace(/^\[|\]$/g, '');
  const socket = connect({ host, port: Number(port || (protocol === 'https:' ? 443 : 80)), signal });
  try {
    await once(socket, 'connect');
  } finally {
    socket.destroy();
  }
  return { isThere: true, problem: null, isUnproven: true };
});

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

async function answerOf(
  response: IncomingMessage,
  { path, vendor, proof }: VendorRequest,
  address: string,
): Promise<ProbeAnswer> {
  const { statusCode: status = 0, headers } = response;
  if (status >= 500) return { isThere: false, problem: `it answers ${status}` };
  // The account may log in, but lacks the right to this request.
  if (status === FORBIDDEN) return refusedProbe(`it answers ${status} to ${path}: give the account its rights`);
  if (status >= 300 && status < 400)
    return faulty(vendor, redirectOf(headers.location ?? '', { status, path, address }));
  if (status < 200 || status >= 300)
    return faulty(vendor, { kind: 'no_interface', answer: `it answers ${status} to ${path}` });
  const body = await beginningOf(response);
  if (proof.test(body)) return { isThere: true, problem: null };
  return faulty(vendor, { kind: 'stranger', answer: describeAnswer(body, headers['content-type'] ?? '') });
}

/** Tells people of an answer that is none of the camera. */
export function faulty(vendor: string, fault: ProbeFault): ProbeAnswer {
  const problem =
    fault.kind === 'redirects'
      ? `it redirects to ${fault.to}: set that as its address if it is the camera`
      : fault.kind === 'stranger'
        ? `what answers at its address is no ${vendor} camera, but ${fault.answer}: correct its address or driver`
        : `${fault.answer}, not as ${vendor} cameras do: wrong driver or wrong port`;
  return { isThere: true, problem, fault };
}

function redirectOf(
  location: string,
  { status, path, address }: { status: number; path: string; address: string },
): ProbeFault {
  const to = URL.canParse(location, address) ? new URL(location, address).origin : null;
  // To another page of the same device, such as that of its login.
  if (to === null || to === new URL(address).origin)
    return { kind: 'no_interface', answer: `it answers ${status} to ${path}` };
  return { kind: 'redirects', to };
}

async function beginningOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= READ_BYTES_MAX) break;
  }
  return Buffer.concat(chunks).subarray(0, READ_BYTES_MAX).toString('latin1');
}

/** A page by its title, anything else by its kind. */
export function describeAnswer(body: string, contentType: string): string {
  const [, title = ''] = /<title[^<>]{0,200}>([^<]{1,200})</i.exec(body) ?? [];
  const shown = cleanText(title, ANSWER_LENGTH_MAX);
  if (shown !== '') return `a page “${shown}”`;
  const kind = cleanText(contentType.split(';')[0] ?? '', ANSWER_LENGTH_MAX);
  return kind === '' ? 'something else' : `something else (${kind})`;
}
