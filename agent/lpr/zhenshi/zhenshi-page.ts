/**
 * Asks the web page of a Zhenshi camera. Where the camera has an account, it logs in for a cookie, which the camera takes back after some
 * minutes. An account that was refused is not tried again for an hour, because the camera locks it.
 */
import type { Clock } from '../../../shared/clock.js';
import type { CameraItem } from '../../../shared/gateway-config.js';
import { decodeText } from '../formats/charset-parser.js';
import { parseJson } from '../formats/document-parser.js';
import { textAt } from '../formats/path-parser.js';
import type { CameraAnswer, CameraClient, CameraRequest } from '../network/camera-client.js';
import { accountKey, CameraRefusal, createRefusedAccounts } from '../network/refused-accounts.js';
import { disguised, LOGIN_KEYS } from './zhenshi-disguise.js';

const NO_ACCOUNT = 'its page asks for a log-in: give it user name and password';
const NOT_FOUND = 404;
const COOKIE = /^\s*([\w.-]{1,64}=[^;\s]{1,256})/;

export interface ZhenshiPage {
  /** @throws CameraRefusal when the camera refuses the account or asks for one; Error as the client */
  ask(camera: CameraItem, request: CameraRequest): Promise<CameraAnswer>;
}

export function createZhenshiPage({ client, clock }: { client: CameraClient; clock: Clock }): ZhenshiPage {
  const refused = createRefusedAccounts(clock);
  /** By camera and account: the cookie of the log-in. */
  const cookies = new Map<string, string>();
  const keyOf = (camera: CameraItem): string => `${camera.id} ${accountKey(camera)}`;

  /** Returns the cookie; null: this page has no log-in. */
  async function logIn(camera: CameraItem, signal: AbortSignal): Promise<string | null> {
    if (refused.isResting(camera)) throw new CameraRefusal();
    for (const path of ['/login.php', '/request.php'] as const) {
      const hidden = disguised(camera, LOGIN_KEYS[path], clock.now());
      const body =
        path === '/login.php'
          ? hidden
          : JSON.stringify({ type: 'login', module: 'BUS_WEB_REQUEST', user_info: hidden });
      const answer = await client.ask(camera, { method: 'POST', path, body, signal });
      if (answer.status === NOT_FOUND) continue;
      const [, cookie] = answer.cookies.map((each) => COOKIE.exec(each)).find((match) => match !== null) ?? [];
      if (cookie === undefined || isLogInAsked(answer)) refuse(camera);
      refused.forget(camera);
      cookies.set(keyOf(camera), cookie);
      return cookie;
    }
    return null;
  }

  function refuse(camera: CameraItem): never {
    cookies.delete(keyOf(camera));
    refused.note(camera);
    throw new CameraRefusal();
  }

  return {
    async ask(camera, request) {
      if (camera.username === '') {
        const answer = await client.ask(camera, request);
        if (isLogInAsked(answer)) throw new CameraRefusal(NO_ACCOUNT);
        return answer;
      }
      const askAs = (cookie: string | null) =>
        client.ask(camera, cookie === null ? request : { ...request, headers: { ...request.headers, cookie } });
      const known = cookies.get(keyOf(camera));
      if (known !== undefined) {
        // A page that has forgotten the cookie may answer 401, which the client takes for a refused account.
        const answer = await askAs(known).catch((error: unknown) => {
          if (error instanceof CameraRefusal) return null;
          throw error;
        });
        if (answer !== null && !isLogInAsked(answer)) return answer;
      }
      const answer = await askAs(await logIn(camera, request.signal));
      return isLogInAsked(answer) ? refuse(camera) : answer;
    },
  };
}

/** The answer redirects to the log-in page, or asks for a log-in in JSON. */
function isLogInAsked({ status, body }: CameraAnswer): boolean {
  if ([301, 302, 303, 307, 403].includes(status)) return true;
  return textAt(parseJson(decodeText(body.subarray(0, 1_024))), ['state']) === '401';
}
