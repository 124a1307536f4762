/** The simulator's control interface: people and tests operate the car park over HTTP. */
import type { Context, Hono } from 'hono';
import { ApiError } from '../../../shared/errors.js';
import type { GatewayUuid } from '../../../shared/ids.js';
import type { Logger } from '../../../shared/logger.js';
import type { SimCamera } from '../cameras/camera.js';
import type { SimDisplay } from '../displays/sim-display.js';
import type { SimProduct } from '../products/sim-product.js';
import type { SimPlace } from '../sensors/sim-place.js';
import type { Traffic } from '../traffic/traffic.js';
import { bodyOf, createControlBase, gatewayUuidOf } from './control-answers.js';
import {
  cameraChangeSchema,
  cameraReadSchema,
  linkChangeSchema,
  placeChangeSchema,
  productChangeSchema,
  trafficChangeSchema,
} from './control-schemas.js';

export interface ControlDeps {
  products: ReadonlyMap<string, SimProduct>;
  cameras: ReadonlyMap<string, SimCamera>;
  places: readonly SimPlace[];
  displays: ReadonlyMap<string, SimDisplay>;
  gateways: ReadonlySet<GatewayUuid>;
  /** null: there is no traffic. */
  traffic: Traffic | null;
  logger: Logger;
}

export function createControlApp(deps: ControlDeps): Hono {
  const { products, cameras, places, displays, gateways, logger } = deps;
  const app = createControlBase(logger);

  app.get('/', (context) =>
    context.json({
      products: [...products.values()].map((product) => product.view()),
      cameras: [...cameras.values()].map((camera) => camera.view()),
      places: places.map((place) => place.view()),
      displays: [...displays.values()].map((display) => display.view()),
    }),
  );

  app.get('/products/:device_id', (context) =>
    context.json(named(products, 'product', context).view(gatewayOf(context, gateways))),
  );

  app.patch('/products/:device_id', async (context) => {
    const product = named(products, 'product', context);
    const gateway = gatewayOf(context, gateways);
    if (gateway === undefined) product.change(await bodyOf(context, productChangeSchema));
    else product.changeLink(await bodyOf(context, linkChangeSchema), gateway);
    return context.json(product.view(gateway));
  });

  app.post('/cameras/:device_id/read', async (context) => {
    const camera = named(cameras, 'camera', context);
    const { repeat, refines, ...read } = await bodyOf(context, cameraReadSchema);
    const outcome = await camera.read(read, { repeat, refines });
    if (outcome.outcome === 'answered') return context.json({ status: outcome.status });
    const message = `Camera ${context.req.param('device_id')}: ${outcome.reason}`;
    if (outcome.outcome === 'not_sent') throw new ApiError(23, { message, field: 'device_id' });
    throw new ApiError(500, { status: 502, message });
  });

  app.patch('/cameras/:device_id', async (context) => {
    const camera = named(cameras, 'camera', context);
    const { online, clock_off_s } = await bodyOf(context, cameraChangeSchema);
    if (online !== undefined) await camera.setOnline(online);
    if (clock_off_s !== undefined) camera.setClock(clock_off_s);
    return context.json(camera.view());
  });

  app.get('/displays/:name', (context) => {
    const name = context.req.param('name');
    const display = displays.get(name);
    if (display !== undefined) return context.json(display.view());
    const known = [...displays.keys()].join(', ') || 'none';
    throw new ApiError(6, { message: `There is no display ${name}; there are: ${known}` });
  });

  app.get('/traffic', (context) => context.json(trafficOf(deps).view()));

  app.patch('/traffic', async (context) => {
    const traffic = trafficOf(deps);
    const { speed, inside } = await bodyOf(context, trafficChangeSchema);
    if (inside !== undefined) traffic.putInside(inside);
    if (speed !== undefined) traffic.setSpeed(speed);
    return context.json(traffic.view());
  });

  app.patch('/places/:name', async (context) => {
    const place = placeOf(context, places);
    place.change(await bodyOf(context, placeChangeSchema));
    return context.json(place.view());
  });
  return app;
}

function trafficOf({ traffic }: Pick<ControlDeps, 'traffic'>): Traffic {
  if (traffic === null) throw new ApiError(6, { message: 'There is no traffic: start parking-sim with --traffic' });
  return traffic;
}

function named<Thing>(things: ReadonlyMap<string, Thing>, kind: string, context: Context): Thing {
  const name = context.req.param('device_id') ?? '';
  const thing = things.get(name);
  if (thing === undefined) {
    const known = [...things.keys()].join(', ') || 'none';
    throw new ApiError(6, { message: `There is no ${kind} ${name}; there are: ${known}` });
  }
  return thing;
}

/** Several lots may have a place of the same name: `?lot=` names the lot. */
function placeOf(context: Context, places: readonly SimPlace[]): SimPlace {
  const name = context.req.param('name') ?? '';
  const lot = context.req.query('lot');
  const found = places.filter((place) => {
    const view = place.view();
    return view.name === name && (lot === undefined || view.lot === lot);
  });
  const [place] = found;
  if (place === undefined) {
    const known = places.map((each) => each.view().name).join(', ') || 'none';
    throw new ApiError(6, {
      message: `There is no place ${name}${lot === undefined ? '' : ` in lot ${lot}`}; there are: ${known}`,
    });
  }
  if (found.length > 1) {
    const lots = found.map((each) => each.view().lot).join(', ');
    throw new ApiError(23, { field: 'lot', message: `Several lots have a place ${name}: add ?lot= (${lots})` });
  }
  return place;
}

function gatewayOf(context: Context, gateways: ReadonlySet<GatewayUuid>): GatewayUuid | undefined {
  const raw = context.req.query('gateway');
  if (raw === undefined) return undefined;
  const uuid = gatewayUuidOf(raw, 'gateway');
  if (!gateways.has(uuid)) throw new ApiError(6, { message: `There is no gateway ${raw}` });
  return uuid;
}
