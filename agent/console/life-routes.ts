/** `POST /claim` and `POST /reset` for programs on the device itself. */
import { Hono } from 'hono';
import { z } from 'zod';
import { ClaimError } from '../commissioning/claim.js';
import { parseClaimText } from '../commissioning/claim-text-parser.js';
import type { GatewayLife } from '../commissioning/gateway-life.js';
import { createPostRoute } from './local-routes.js';

const claimSchema = z.strictObject({
  cloud_url: z.string().min(1).max(2_048),
  code: z.string().min(1).max(2_048),
  again: z.boolean().default(false),
});
const resetSchema = z.strictObject({ confirm: z.string() });

export interface LifeOfThis {
  life: GatewayLife;
  /** What a person types to have it erased: the gateway's name, or its uuid as long as it has none. */
  name(): string;
  /** Of its cloud; undefined: that has not told it yet. */
  cloudKey(): string | undefined;
  /** Tells the cloud, if it is there. */
  leave(): Promise<void>;
}

/** @throws ClaimError */
export async function claimThis(
  { life, cloudKey }: LifeOfThis,
  { cloudUrl, code: typed, again }: { cloudUrl: string | null; code: string; again: boolean },
): Promise<{ uuid: string; cloud_url: string }> {
  const { code, cloudUrl: linked } = parseClaimText(typed);
  const url = linked ?? cloudUrl;
  if (url === null) throw new ClaimError('refused', 'which cloud? Give its address, or the link of the QR code');
  const key = again ? cloudKey() : undefined;
  if (again && key === undefined)
    throw new ClaimError(
      'refused',
      'this gateway does not know the key of its cloud yet, and so cannot tell whether what it keeps may go there: erase it with parking-agent reset, then claim it',
    );
  const wanted = { cloudUrl: url, code, ...(key === undefined ? {} : { again: { cloudKey: key } }) };
  const { uuid } = await life.claim(wanted);
  return { uuid, cloud_url: url };
}

/** @throws Error when the name is another one */
export async function resetThis(of: LifeOfThis, confirm: string): Promise<void> {
  if (confirm.trim() !== of.name()) throw new Error(`nothing was erased: this gateway is "${of.name()}"`);
  await of.leave();
  of.life.end('reset');
}

export function createLifeRoutes(of: LifeOfThis): Hono {
  const app = new Hono();
  app.route(
    '/',
    createPostRoute({
      path: '/claim',
      schema: claimSchema,
      faultOf: () => 'the body must be {"cloud_url", "code"}',
      run: ({ cloud_url: cloudUrl, code, again }) => claimThis(of, { cloudUrl, code, again }),
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
