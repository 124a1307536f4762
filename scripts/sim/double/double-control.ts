/** The double's control interface: its time, its faults, its gateways, and all of the car park's own. */
import type { Hono } from 'hono';
import { z } from 'zod';
import { ApiError } from '../../../shared/errors.js';
import type { GatewayUuid } from '../../../shared/ids.js';
import type { Logger } from '../../../shared/logger.js';
import { bodyOf, createControlBase, gatewayUuidOf } from '../control/control-answers.js';
import { faultRulesSchema, type Faults } from './faults.js';

/** The latest time that a year of four digits can name. */
const ADVANCE_S_MAX = 100 * 366 * 86_400;

const clockChangeSchema = z
  .strictObject({
    /** Seconds from now. */
    advance_s: z.number().positive().max(ADVANCE_S_MAX),
    /** The new time. */
    now: z.iso.datetime({ offset: true }),
  })
  .partial()
  .refine(({ advance_s, now }) => (advance_s === undefined) !== (now === undefined), {
    message: 'Give either advance_s or now',
  });

const gatewayChangeSchema = z.strictObject({ online: z.boolean() });

export interface GatewayView {
  uuid: string;
  name: string;
  /** Whether its network works. */
  online: boolean;
  /** Records that the cloud does not have yet; null: the gateway's store does not answer. */
  waiting: number | null;
}

export interface DoubleControlDeps {
  logger: Logger;
  faults: Faults;
  /** Called when rules were set. */
  faultsChanged(): void;
  /** The control interface of the car park. */
  carPark(request: Request): Response | Promise<Response>;
  /** Milliseconds since 1970. */
  now(): number;
  advance(byMs: number): Promise<void>;
  gateways(): Promise<GatewayView[]>;
  /** null: there is no such gateway. */
  setOnline(uuid: GatewayUuid, online: boolean): Promise<GatewayView | null>;
  reset(): Promise<void>;
}

export function createDoubleControl(deps: DoubleControlDeps): Hono {
  const { faults } = deps;
  const app = createControlBase(deps.logger);
  const clock = () => ({ now: new Date(deps.now()).toISOString() });
  const rules = () => ({ rules: faults.view() });

  app.get('/clock', (context) => context.json(clock()));
  app.post('/clock', async (context) => {
    const { advance_s, now } = await bodyOf(context, clockChangeSchema);
    const byMs = now === undefined ? (advance_s ?? 0) * 1_000 : Date.parse(now) - deps.now();
    if (byMs < 0) throw new ApiError(23, { field: 'now', message: `Must not be before ${clock().now}` });
    if (byMs > ADVANCE_S_MAX * 1_000) throw new ApiError(23, { field: 'now', message: 'Is too far away' });
    await deps.advance(byMs);
    return context.json(clock());
  });

  app.get('/faults', (context) => context.json(rules()));
  app.put('/faults', async (context) => {
    faults.set(await bodyOf(context, faultRulesSchema));
    deps.faultsChanged();
    return context.json(rules());
  });
  app.delete('/faults', (context) => {
    faults.set({ rules: [] });
    return context.json(rules());
  });

  app.get('/gateways', async (context) => context.json({ gateways: await deps.gateways() }));
  app.patch('/gateways/:uuid', async (context) => {
    const uuid = gatewayUuidOf(context.req.param('uuid'), 'uuid');
    const { online } = await bodyOf(context, gatewayChangeSchema);
    const view = await deps.setOnline(uuid, online);
    if (view === null) throw new ApiError(6, { message: `There is no gateway ${uuid}; GET /gateways lists them` });
    return context.json(view);
  });

  app.post('/reset', async (context) => {
    await deps.reset();
    return context.json(clock());
  });

  app.all('*', (context) => deps.carPark(context.req.raw));
  return app;
}
