/** What is done and what comes next when a car park is set up, by what REST says of it. Pure. */
import { isUnpaired, type ProductFacts } from './product-view.js';

interface Thing {
  id: number;
  name: string;
}

interface Heard extends Thing {
  /** null: never yet. */
  last_seen: string | null;
}

export interface GuideGateway extends Heard {
  claimed_at: string | null;
  /** Until when a device can use its code; null: it has none. */
  claim_code_expires_at: string | null;
}

export type GuideProduct = ProductFacts & { last_moved: string | null };

export interface GuideDisplay extends Thing {
  driver: string;
  gateway_id: number | null;
  /** When it first took a text is not kept: when it took its last one; null: it never took one. */
  shown_at: string | null;
}

export interface GuideFacts {
  zones: readonly Thing[];
  gateways: readonly GuideGateway[];
  products: readonly GuideProduct[];
  /** The products that a gateway hears without knowing their keys. */
  heard: ReadonlySet<number>;
  cameras: readonly Heard[];
  /** The cameras that have read a vehicle. */
  haveRead: ReadonlySet<number>;
  sensors: readonly Heard[];
  displays: readonly GuideDisplay[];
}

/** In their order. */
export const GUIDE_STEPS = [
  'zone',
  'gateway',
  'product',
  'pairing',
  'movement',
  'camera',
  'read',
  'sensors',
  'display',
] as const;
export type GuideStepName = (typeof GUIDE_STEPS)[number];

/** For what a step waits that nobody can press a button for here. */
export type GuideWait = 'device' | 'connection' | 'hearing' | 'camera' | 'read' | 'sensors' | 'display';

export interface GuideStep {
  step: GuideStepName;
  /** `later`: something before it has to be done first. `optional`: a car park works without it. */
  state: 'done' | 'next' | 'waits' | 'later' | 'optional';
  /** The first thing of which it is not done; null: nothing is made yet, or all is done. */
  about: Thing | null;
  /** Set with `waits`. */
  wait: GuideWait | null;
}

type Outcome = Omit<GuideStep, 'step'>;

const DONE: Outcome = { state: 'done', about: null, wait: null };
const NEXT: Outcome = { state: 'next', about: null, wait: null };
const LATER: Outcome = { state: 'later', about: null, wait: null };
const OPTIONAL: Outcome = { state: 'optional', about: null, wait: null };

const nextFor = ({ id, name }: Thing): Outcome => ({ state: 'next', about: { id, name }, wait: null });
const waitsFor = ({ id, name }: Thing, wait: GuideWait): Outcome => ({ state: 'waits', about: { id, name }, wait });

const isHeard = ({ id, last_seen }: Pick<GuideProduct, 'id' | 'last_seen'>, heard: ReadonlySet<number>): boolean =>
  last_seen !== null || heard.has(id);

/** @param now milliseconds since 1970 */
function gatewayStep({ gateways }: GuideFacts, now: number): Outcome {
  if (gateways.length === 0) return NEXT;
  const open = gateways.find(({ last_seen }) => last_seen === null);
  if (open === undefined) return DONE;
  if (open.claimed_at !== null) return waitsFor(open, 'connection');
  const end = open.claim_code_expires_at;
  return end !== null && Date.parse(end) > now ? waitsFor(open, 'device') : nextFor(open);
}

function productStep({ products, heard }: GuideFacts): Outcome {
  if (products.length === 0) return NEXT;
  const open = products.find((product) => !isHeard(product, heard));
  return open === undefined ? DONE : waitsFor(open, 'hearing');
}

function pairingStep({ products, heard }: GuideFacts): Outcome {
  const open = products.filter(isUnpaired);
  const first = open.find((product) => isHeard(product, heard));
  if (first !== undefined) return nextFor(first);
  return products.length === 0 || open.length > 0 ? LATER : DONE;
}

function movementStep({ products }: GuideFacts): Outcome {
  const open = products.filter(({ last_moved }) => last_moved === null);
  const first = open.find((product) => !isUnpaired(product) && product.status === 'online');
  if (first !== undefined) return nextFor(first);
  return products.length === 0 || open.length > 0 ? LATER : DONE;
}

function cameraStep({ zones, cameras }: GuideFacts): Outcome {
  // It stands in a zone.
  if (cameras.length === 0) return zones.length === 0 ? LATER : NEXT;
  const open = cameras.find(({ last_seen }) => last_seen === null);
  return open === undefined ? DONE : waitsFor(open, 'camera');
}

function readStep({ cameras, haveRead }: GuideFacts): Outcome {
  const open = cameras.filter(({ id }) => !haveRead.has(id));
  if (cameras.length > 0 && open.length === 0) return DONE;
  const there = open.find(({ last_seen }) => last_seen !== null);
  return there === undefined ? LATER : waitsFor(there, 'read');
}

function sensorStep({ sensors }: GuideFacts): Outcome {
  if (sensors.length === 0) return OPTIONAL;
  const open = sensors.find(({ last_seen }) => last_seen === null);
  return open === undefined ? DONE : waitsFor(open, 'sensors');
}

function displayStep({ displays }: GuideFacts): Outcome {
  if (displays.length === 0) return OPTIONAL;
  const bare = displays.find(({ driver, gateway_id }) => driver === '' || gateway_id === null);
  if (bare !== undefined) return nextFor(bare);
  const open = displays.find(({ shown_at }) => shown_at === null);
  return open === undefined ? DONE : waitsFor(open, 'display');
}

const OUTCOMES: Readonly<Record<GuideStepName, (facts: GuideFacts, now: number) => Outcome>> = {
  zone: ({ zones }) => (zones.length === 0 ? NEXT : DONE),
  gateway: gatewayStep,
  product: productStep,
  pairing: pairingStep,
  movement: movementStep,
  camera: cameraStep,
  read: readStep,
  sensors: sensorStep,
  display: displayStep,
};

/** Lists the steps of a lot's set-up. @param now milliseconds since 1970 */
export const guideOf = (facts: GuideFacts, now: number): GuideStep[] =>
  GUIDE_STEPS.map((step) => ({ step, ...OUTCOMES[step](facts, now) }));

/** Whether nothing is left to do, so that nobody needs the guide any more. */
export const isSetUp = (steps: readonly GuideStep[]): boolean =>
  steps.every(({ state }) => state === 'done' || state === 'optional');
