/** The claim and the erasure of this device: for programs on it (`POST /claim`, `POST /reset`), and for its page (the same under `/api`). */
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { errorText } from '../../shared/error-text.js';
import { ClaimError, selfIn } from '../commissioning/claim.js';
import { DeviceCodeError } from '../commissioning/device-code.js';
import { parseClaimText } from '../commissioning/claim-text-parser.js';
import type { GatewayLife } from '../commissioning/gateway-life.js';
import { readBody, refuse } from './api-answers.js';
import { createPostRoute } from './local-routes.js';
import { askingPerson } from './page-actions.js';
import type { PageDoor } from './page-door.js';

const TRY_AGAIN_S = 3;

const claimSchema = z.strictObject({
  cloud_url: z.string().min(1).max(2_048),
  code: z.string().min(1).max(2_048),
  again: z.boolean().default(false),
  proof: z.string().max(128).nullish(),
});
const pageClaimSchema = z.strictObject({
  cloud_url: z.string().max(2_048).nullish(),
  code: z.string().min(1).max(2_048),
  device_code: z.string().max(128).nullish(),
});
const resetSchema = z.strictObject({ confirm: z.string() });

export interface LifeOfThis {
  life: GatewayLife;
  /** The text that a person types to erase it: the gateway's name, or its uuid as long as it has none. */
  name(): string;
  /** The key of its cloud; undefined: the cloud has not sent it yet. */
  cloudKey(): string | undefined;
  /** Tells the cloud, if it is there. */
  leave(): Promise<void>;
}

export interface Claimed {
  uuid: string;
  cloud_url: string;
  /** null: its cloud has not given it one. */
  name: string | null;
  lot: string | null;
}

/** @throws ClaimError */
export async function claimThis(
  { life, cloudKey }: LifeOfThis,
  { cloudUrl, code: typed, again }: { cloudUrl: string | null; code: string; again: boolean },
): Promise<Claimed> {
  const { code, cloudUrl: linked } = parseClaimText(typed);
  const url = linked ?? cloudUrl?.trim();
  if (url === undefined || url === '')
    throw new ClaimError('refused', 'which cloud? Give its address, or the link of the QR code', {
      field: 'cloud_url',
    });
  const key = again ? cloudKey() : undefined;
  if (again && key === undefined)
    throw new ClaimError(
      'refused',
      'this gateway does not know the key of its cloud yet, and so cannot tell whether what it keeps may go there: erase it with parking-agent reset, then claim it',
    );
  const wanted = { cloudUrl: url, code, ...(key === undefined ? {} : { again: { cloudKey: key } }) };
  const { identity, config } = await life.claim(wanted);
  const self = selfIn(config);
  return { uuid: identity.uuid, cloud_url: url, name: self?.name ?? null, lot: self?.lot_name ?? null };
}

/** The name that was typed is not the gateway's. */
class WrongNameError extends Error {}

/** @throws WrongNameError */
export async function resetThis(of: LifeOfThis, confirm: string): Promise<void> {
  if (confirm.trim() !== of.name()) throw new WrongNameError(`nothing was erased: this gateway is "${of.name()}"`);
  await of.leave();
  of.life.end('reset');
}

export function createLifeRoutes(door: Pick<PageDoor, 'ownPage' | 'signedIn'>, of: LifeOfThis): Hono {
  const app = new Hono();
  app.post('/api/claim', door.ownPage, async (context) => {
    const body = await readBody(context, pageClaimSchema);
    if (body instanceof Response) return body;
    try {
      of.life.checkDeviceCode({ typed: body.device_code ?? undefined, address: askingPerson(context).address });
      return context.json(await claimThis(of, { cloudUrl: body.cloud_url ?? null, code: body.code, again: false }));
    } catch (error) {
      if (error instanceof DeviceCodeError) return refuseGuess(context, error);
      if (error instanceof ClaimError) return refuseClaim(context, error);
      throw error;
    }
  });
  app.post('/api/reset', door.signedIn, async (context) => {
    const body = await readBody(context, resetSchema);
    if (body instanceof Response) return body;
    try {
      await resetThis(of, body.confirm);
      return context.json({});
    } catch (error) {
      if (error instanceof WrongNameError)
        return refuse(context, 422, [{ message: errorText(error), field: 'confirm' }]);
      throw error;
    }
  });
  app.route(
    '/',
    createPostRoute({
      path: '/claim',
      schema: claimSchema,
      faultOf: () => 'the body must be {"cloud_url", "code", "proof"}',
      async run({ cloud_url: cloudUrl, code, again, proof }) {
        of.life.checkOnDevice({ cloudUrl, code, proof: proof ?? undefined });
        return claimThis(of, { cloudUrl, code, again });
      },
    }),
  );
  app.route(
    '/',
    createPostRoute({
      path: '/reset',
      schema: resetSchema,
      faultOf: () => 'the body must be {"confirm"}: the name of the gateway',
      async run({ confirm }) {
        await resetThis(of, confirm);
        return {};
      },
    }),
  );
  return app;
}

function refuseGuess(context: Context, error: DeviceCodeError): Response {
  const { retryAfterS } = error;
  const problems = [{ message: errorText(error), field: 'device_code' }];
  return retryAfterS === null ? refuse(context, 403, problems) : refuse(context, 429, problems, { retryAfterS });
}

function refuseClaim(context: Context, error: ClaimError): Response {
  const message = errorText(error);
  switch (error.reason) {
    case 'claimed':
      // Whoever asks is a stranger: which gateway it is, and of which cloud, is not for them.
      return refuse(context, 409, 'This gateway is claimed already');
    case 'busy':
      return refuse(context, 429, message, { retryAfterS: TRY_AGAIN_S });
    case 'refused':
    case 'unreachable':
      return refuse(context, 422, [{ message, field: error.field ?? 'code' }]);
  }
}
