/**
 * Asks a camera over HTTP, with digest access. Only the camera's own address is asked, and no redirect is followed. Where the address is a
 * name, the account is shown only to the host that asked for it, even when the name leads elsewhere a moment later. The client is Node's
 * own, because fetch would add a fifth to the gateway's memory.
 */
import { lookup as lookupBySystem } from 'node:dns';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { Clock } from '../../../shared/clock.js';
import type { CameraItem } from '../../../shared/gateway-config.js';
import { answerChallenge, CameraRefusal, createRefusedAccounts } from './refused-accounts.js';
import { errorText } from '../../../shared/error-text.js';

const UNAUTHORIZED = 401;
const BODY_BYTES_MAX = 1024 * 1024;

export type AskedCamera = Pick<CameraItem, 'id' | 'address' | 'username' | 'password'>;

export interface CameraRequest {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Path and query, below the camera's address. */
  path: string;
  headers?: Readonly<Record<string, string>>;
  body?: string;
  signal: AbortSignal;
  /** The largest body of an answer; 1 MiB when left out. */
  bytesMax?: number;
}

export interface CameraAnswer {
  status: number;
  contentType: string;
  body: Buffer;
  /** The `Set-Cookie` headers, as written. */
  cookies: readonly string[];
  /** This gateway's own address on the way to the camera. */
  localAddress: string;
  remoteAddress: string;
}

export interface CameraClient {
  /** @throws CameraRefusal; Error for a camera that cannot be reached, or whose answer is too large */
  ask(camera: AskedCamera, request: CameraRequest): Promise<CameraAnswer>;
  /** Resolves with an answer whose body has not been read; the caller destroys it. @throws as `ask` */
  open(camera: AskedCamera, request: CameraRequest): Promise<IncomingMessage>;
}

/**
 * @param deps.randomHex returns so many random bytes as hex
 * @param deps.seenSha256 the cameras that offered SHA-256, as `answerChallenge` keeps them
 * @param lookup resolves the names of cameras
 */
export function createCameraClient(
  deps: { clock: Clock; randomHex: (bytes: number) => string; seenSha256: Set<string> },
  lookup: LookupFunction = lookupBySystem,
): CameraClient {
  const { seenSha256: seen } = deps;
  const refused = createRefusedAccounts(deps.clock);

  async function open(camera: AskedCamera, request: CameraRequest): Promise<IncomingMessage> {
    if (!/^https?:/i.test(camera.address) || !URL.canParse(request.path, camera.address))
      throw new Error('its address is no http address');
    const url = new URL(request.path, camera.address);
    if (url.origin !== new URL(camera.address).origin) throw new Error('that is not an address of this camera');
    const first = await send(url, request, { lookup });
    if (first.statusCode !== UNAUTHORIZED) return first;
    const challenge = first.headers['www-authenticate'] ?? '';
    const { remoteAddress } = first.socket;
    first.destroy();
    if (refused.isResting(camera)) throw new CameraRefusal();
    const authorization = answerChallenge(camera, {
      challenge,
      seen,
      method: request.method ?? 'GET',
      uri: url.pathname + url.search,
      cnonce: deps.randomHex(8),
    });
    if (camera.username === '' || authorization === null) throw new CameraRefusal(NO_ACCOUNT);
    const asking = remoteAddress === undefined ? lookup : alwaysAt(remoteAddress);
    const second = await send(url, request, { lookup: asking, authorization });
    if (second.statusCode !== UNAUTHORIZED) {
      refused.forget(camera);
      return second;
    }
    second.destroy();
    refused.note(camera);
    throw new CameraRefusal();
  }

  return {
    open,
    async ask(camera, request) {
      const response = await open(camera, request);
      const { localAddress = '', remoteAddress = '' } = response.socket;
      const { bytesMax = BODY_BYTES_MAX } = request;
      const chunks: Buffer[] = [];
      let bytes = 0;
      for await (const chunk of response as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        if (bytes > bytesMax) {
          response.destroy();
          throw new Error(`it answers more than ${bytesMax} bytes`);
        }
        chunks.push(chunk);
      }
      const { statusCode: status = 0, headers } = response;
      const contentType = headers['content-type'] ?? '';
      const cookies = headers['set-cookie'] ?? [];
      return { status, contentType, body: Buffer.concat(chunks), cookies, localAddress, remoteAddress };
    },
  };
}

const NO_ACCOUNT = 'it asks for a user name and password by digest: give them';

/** Resolves every name to this address. */
const alwaysAt =
  (address: string): LookupFunction =>
  (_name, { all = false }, callback) =>
    all ? callback(null, [{ address, family: isIP(address) }]) : callback(null, address, isIP(address));

function send(
  url: URL,
  request: CameraRequest,
  { lookup, authorization }: { lookup: LookupFunction; authorization?: string },
): Promise<IncomingMessage> {
  const start = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const { method = 'GET', body, signal } = request;
  const headers = {
    ...request.headers,
    ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
    ...(authorization === undefined ? {} : { authorization }),
  };
  return new Promise((resolve, reject) => {
    const asked = start(url, { method, agent: false, headers, signal, lookup }, resolve);
    asked.on('error', reject);
    asked.end(body);
  });
}

/** Why a camera could not be asked, for people. For an aborted request, the cause says why it was aborted. */
export const reasonOf = (error: unknown): string => errorText(error instanceof Error ? (error.cause ?? error) : error);
