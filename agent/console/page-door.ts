/**
 * The door of the local console: which requests under `/api` are heard, and how people sign in, by the device's password. It needs no network:
 * the configuration says what recognises the password.
 */
import type { Context, MiddlewareHandler } from 'hono';
import { Hono } from 'hono';
import { getConnInfo } from '@hono/node-server/conninfo';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { z } from 'zod';
import type { Clock } from '../../shared/clock.js';
import type { PasswordVerifier } from '../../shared/gateway-config.js';
import { isPasswordOf } from '../../shared/node/console-password.js';
import { PAGE_POLICY } from '../../shared/node/page-files.js';
import { readBody, refuse } from './api-answers.js';
import { type DeviceNames, foreignBecause } from './own-page.js';
import { createPageSessions, SESSION_LIFE_S } from './page-sessions.js';
import { createPasswordGuesses } from './password-guesses.js';

const COOKIE = 'gateway_session';
const COOKIE_OPTIONS = { path: '/', httpOnly: true, sameSite: 'Strict' } as const;
const PASSWORD_LENGTH_MAX = 128;

const sessionBodySchema = z.strictObject({
  password: z
    .string()
    .min(1, 'The password is missing')
    .max(PASSWORD_LENGTH_MAX, `The password has at most ${PASSWORD_LENGTH_MAX} characters`),
});

/** The device's password in the configuration. */
export type ConsolePassword =
  | { is: 'set'; verifier: PasswordVerifier }
  /** The gateway belongs to no cloud. */
  | { is: 'unclaimed' }
  /** The cloud made none yet, or has not sent it yet. */
  | { is: 'missing' };

export interface PageDoor {
  /** Lets the requests of the own page through, and of programs: 403 to others. */
  ownPage: MiddlewareHandler;
  /** The same, and only for people who are signed in: 401. Where nobody can sign in: 409. */
  signedIn: MiddlewareHandler;
  /** `POST /api/session` `{password}` signs in, `DELETE /api/session` signs out. */
  routes: Hono;
}

/** Hears of everybody who signed in or tried to. */
export interface SignInsHeard {
  onSignIn(address: string): void;
  /** Also of one that was not even checked, because there were too many. */
  onRefused(address: string): void;
}

export interface PageDoorDeps extends Partial<SignInsHeard> {
  password(): ConsolePassword;
  deviceNames(): DeviceNames;
  clock: Clock;
}

/** Sets the headers of every answer of the console: of its page, its files and its endpoints. */
export const consoleHeaders: MiddlewareHandler = async (context, next) => {
  await next();
  const { headers } = context.res;
  headers.set('Content-Security-Policy', PAGE_POLICY);
  headers.set('X-Content-Type-Options', 'nosniff');
  headers.set('Referrer-Policy', 'no-referrer');
  headers.set('Cross-Origin-Resource-Policy', 'same-origin');
  if (context.req.path.startsWith('/api/')) headers.set('Cache-Control', 'no-store');
};

export function createPageDoor(deps: PageDoorDeps): PageDoor {
  const { password, clock, onSignIn = () => {}, onRefused = () => {} } = deps;
  const sessions = createPageSessions({ clock });
  const guesses = createPasswordGuesses({ clock });

  const refuseForeign = (context: Context): Response | null => {
    const { req } = context;
    const request = {
      method: req.method,
      headerNames: Object.keys(req.header()),
      header: (name: string) => req.header(name),
    };
    const because = foreignBecause(request, deps.deviceNames());
    return because === null ? null : refuse(context, 403, because);
  };
  const refuseStranger = (context: Context): Response | null => {
    const present = password();
    if (present.is !== 'set') return refusePasswordless(context, present.is);
    const token = getCookie(context, COOKIE) ?? '';
    if (sessions.isPresent(token, present.verifier)) return null;
    return refuse(context, 401, 'Sign in with the password of the device');
  };

  const routes = new Hono();
  const ownPage: MiddlewareHandler = async (context, next) => refuseForeign(context) ?? (await next());
  // It stands before every endpoint that is added behind these.
  routes.use('/api/*', ownPage);
  routes.post('/api/session', async (context) => {
    const present = password();
    if (present.is !== 'set') return refusePasswordless(context, present.is);
    const body = await readBody(context, sessionBodySchema);
    if (body instanceof Response) return body;
    const { verifier } = present;
    const address = addressOf(context);
    const result = await guesses.attempt(address, () => isPasswordOf(verifier, body.password));
    if (result.is === 'right') onSignIn(address);
    else onRefused(address);
    if (result.is === 'too many') {
      const { retryAfterS } = result;
      const message = `Too many wrong passwords: try again in ${retryAfterS} seconds`;
      return refuse(context, 429, message, { retryAfterS });
    }
    if (result.is === 'wrong') {
      return refuse(context, 401, [{ message: 'This is not the password of the device', field: 'password' }]);
    }
    setCookie(context, COOKIE, sessions.begin(verifier), { ...COOKIE_OPTIONS, maxAge: SESSION_LIFE_S });
    return context.body(null, 204);
  });
  routes.delete('/api/session', (context) => {
    sessions.end(getCookie(context, COOKIE) ?? '');
    deleteCookie(context, COOKIE, COOKIE_OPTIONS);
    return context.body(null, 204);
  });
  return {
    ownPage,
    signedIn: async (context, next) => refuseForeign(context) ?? refuseStranger(context) ?? (await next()),
    routes,
  };
}

function refusePasswordless(context: Context, is: 'unclaimed' | 'missing'): Response {
  const message =
    is === 'unclaimed'
      ? 'This gateway belongs to no cloud yet: claim it with a code from the console of the cloud'
      : "This gateway has no password yet: choose New device password on the gateway's card in the console of the cloud";
  return refuse(context, 409, message);
}

const addressOf = (context: Context): string => getConnInfo(context).remote.address ?? '';
