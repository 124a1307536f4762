/** What the faults of the radio are made with: gateways, a product, somebody in the middle, and the words for what came of it. */
import { expect } from 'vitest';
import {
  type CommandInput,
  type CommandState,
  NEW_COMMAND,
  nextCommand,
} from '../../../../cloud/equipment/command/command-machine.js';
import { isGatewayErrorType } from '../../../../shared/errors.js';
import { GATEWAY_ERROR } from '../../../../shared/gateway-error-types.js';
import type { GatewayUuid } from '../../../../shared/ids.js';
import type { Ending } from '../../../unit/product/commander-world.js';
import { BARRIER } from '../../../unit/product/product-item.js';
import { GATEWAY_WAIT_MS } from '../../gateway/link-world.js';
import { waitUntil } from '../../../../scripts/sim/wait-until.js';
import { MOVEMENT_MS, type RadioGateway, type RadioWorld, SOUTH, startRadioWorld } from '../radio-world.js';
import { type TamperedLink, type Tampering, tamperedLink } from '../tampered-link.js';

export const EVENT = 'deadbeef';
/** HELLO, and a REQUEST of 64 bytes in fragments of 19. */
export const FRAGMENTS_TO_PRODUCT = 5;
/** CHALLENGE in two, the word that it moves, and the end. */
export const FRAGMENTS_TO_GATEWAY = 4;

export interface Kit extends RadioWorld {
  south: RadioGateway;
  /** Lets somebody into the middle of the next link, and of those after it; the latest such link. */
  tamper(how?: Tampering): { link: TamperedLink | null };
}

export interface Fault {
  fault: string;
  /** How the command ends. */
  expected: string;
  /** What the cloud says of it, where it does not wait as long as the gateway does. */
  cloud?: 'Timeout';
  /** How many movements it has caused by then. */
  moves: number;
  /** Gives the command EVENT and makes the fault. */
  happens(kit: Kit): Promise<Ending>;
  /** What the other gateway gives afterwards. */
  again?: { expected: string; moves: number };
  /** Mends what must be mended before. */
  heals?(kit: Kit): Promise<unknown> | void;
}

/** A barrier, and two gateways that hear it. Fragments are the smallest: the ATT MTU is 23. */
export async function startKit(): Promise<Kit> {
  const world = await startRadioWorld({ mtuMax: 23 });
  const south = await world.startGateway(SOUTH);
  await world.heard(south, BARRIER);
  return {
    ...world,
    south,
    tamper(how = {}) {
      const middle: { link: TamperedLink | null } = { link: null };
      world.north.onLink = (link) => (middle.link = tamperedLink(link, how));
      return middle;
    },
  };
}

export const wordOf = (ending: Ending): string =>
  ending.outcome === 'succeeded' ? 'done' : `type ${ending.type}${ending.authenticated ? ' (its own)' : ''}`;

/** What the cloud makes of it, which asked this gateway alone, and waited as long as it does. */
export function cloudWordOf(ending: Ending, tookMs: number): string {
  const gateway = { gateway_id: 1, rssi: -50 };
  const { gateway_id } = gateway;
  const answer =
    ending.outcome === 'succeeded'
      ? { outcome: ending.outcome }
      : { ...ending, type: isGatewayErrorType(ending.type) ? ending.type : GATEWAY_ERROR.UNKNOWN };
  const inputs: CommandInput[] = [
    { type: 'begin' },
    ...(tookMs >= GATEWAY_WAIT_MS ? [{ type: 'timeout' as const, gateway_id }] : []),
    { type: 'answer', gateway_id, answer },
  ];
  let state: CommandState = NEW_COMMAND;
  for (const input of inputs) ({ state } = nextCommand(state, input, [gateway]));
  if (state.kind !== 'ended') throw new Error('the command goes on');
  return state.end.status === 'succeeded' ? 'done' : `${state.end.error}`;
}

export const open = (kit: Kit) => kit.command('open', { eventId: EVENT });
export const inRange = ({ barrier }: Kit) => barrier.change({ in_range: true });
export const outOfRange = ({ barrier }: Kit) => barrier.change({ in_range: false });

/** The nth gateway beside the two, with a name of its own. */
export async function anotherGateway(
  kit: Kit,
  nth: 3 | 4 | 5,
  options: Parameters<RadioWorld['startGateway']>[1] = {},
): Promise<RadioGateway> {
  const gateway = await kit.startGateway(gatewayName(nth), options);
  await kit.heard(gateway, BARRIER);
  return gateway;
}
export const gatewayName = (nth: 3 | 4 | 5) => `0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c0${nth}` as GatewayUuid;

/** The gateway has heard that the product moves. */
export const hasHeardOfMovement = ({ north }: Kit) =>
  expect.poll(() => north.watch.reports()[0]).toMatchObject({ device_id: BARRIER, autoclose_time: 10 });

/** Something happens while the product moves for the command. */
export async function whileMoving(kit: Kit, work: () => Promise<unknown> | unknown): Promise<Ending> {
  const outcome = open(kit);
  await kit.until('moving');
  await kit.clock.advance(500);
  await work();
  return outcome;
}

/** The same, with a whole movement, of which the gateway has heard. */
export async function throughMovement(kit: Kit, { outcome = open(kit), work = () => {} } = {}): Promise<Ending> {
  await kit.until('moving');
  await hasHeardOfMovement(kit);
  work();
  await kit.clock.advance(MOVEMENT_MS);
  return outcome;
}

/** Somebody in the middle who says when a fragment passes to the gateway: `passed` settles then. */
export function tamperUntil(
  kit: Kit,
  { at, instead }: { at: number; instead: (fragment: Uint8Array, index: number) => Uint8Array[] },
): { passed: Promise<void> } {
  return {
    passed: new Promise((resolve) => {
      kit.tamper({
        toGateway(fragment, index) {
          if (index === at) resolve();
          return instead(fragment, index);
        },
      });
    }),
  };
}

/** What moves arrives, what idles is dropped, and a link that is kept ends, until the command does. */
export async function whileTimePasses({ clock }: Kit, outcome: Promise<Ending>): Promise<Ending> {
  const isOver = () =>
    Promise.race([outcome.then(() => true), new Promise<boolean>((resolve) => setImmediate(resolve, false))]);
  await waitUntil('the end of the command', async () => {
    await clock.advance(500);
    return isOver();
  });
  return outcome;
}
