/** What a product does with each command in each state: operation x kind x state of movement x outcome, as the protocol has it. */
import { afterAll, describe, expect, it } from 'vitest';
import { PRODUCT_TYPES, type ProductType } from '../../../shared/ids.js';
import { type Movement, MOVEMENTS as TARGETS, type MovementName } from '../../../shared/product-protocol/commands.js';
import type { PermanentPosition } from '../../../shared/product-protocol/status-block.js';
import { renderTable } from '../../../shared/node/text-table.js';
import { arrive, begin, COMMANDS, MOVEMENTS, RESTS, outcomeText } from './product-situations.js';

type Tried = keyof typeof COMMANDS;
const SITUATIONS = { ...RESTS, ...MOVEMENTS };
type State = keyof typeof SITUATIONS;

interface Outcome {
  /** What the command is answered before anything arrives; `waits`: it moves the product, or shares a movement. */
  atOnce: string;
  atEnd: string;
  /** What became of the command that moved the product before. */
  earlier: string;
  motor: string;
  position: string;
  held: PermanentPosition;
}

function seen(tried: Tried, state: State, type: ProductType): Outcome {
  const { world, first } = SITUATIONS[state](type);
  const second = begin(world, COMMANDS[tried], '0000000b', [first]);
  const atOnce = outcomeText(second);
  if (world.product.movement !== null) arrive(world, [first, second]);
  const { position, permanentPosition } = world.product.memory;
  const motor = world.motor.join();
  return { atOnce, atEnd: outcomeText(second), earlier: outcomeText(first), motor, position, held: permanentPosition };
}

const isRest = (state: State): state is keyof typeof RESTS => state in RESTS;
const isMovement = (tried: Tried): tried is MovementName => tried in TARGETS;

const POSITIONS: Record<keyof typeof RESTS, string> = {
  closed: 'closed',
  opened: 'opened',
  'opened, a car under it': 'opened',
  'opened, its sensor dirty': 'opened',
  'jammed half-way': 'error',
  'half-way after a power cut': 'unknown',
  'held open': 'opened',
  'held closed': 'closed',
};

/** What the rules say of a command that moves nothing; only the autoclose of a barrier depends on the kind. */
const stillAnswer = (tried: Tried, type: ProductType) =>
  tried === 'autoclose' && type !== 'barrier' ? 'error 1' : 'ok';

/** What the rules of the protocol say of a product at rest. */
function expectedAtRest(tried: Tried, state: keyof typeof RESTS, type: ProductType): Outcome {
  const held: PermanentPosition =
    state === 'held open' ? 'stay_open' : state === 'held closed' ? 'stay_close' : 'disabled';
  const unmoved = { earlier: 'none', motor: '', position: POSITIONS[state], held } as const;
  const answered = (answer: string) => ({ atOnce: answer, atEnd: answer, ...unmoved });
  if (!isMovement(tried)) {
    const cleared = tried === `clear_${held}` ? { held: 'disabled' as const } : {};
    return { ...answered(stillAnswer(tried, type)), ...cleared };
  }
  const { target, ignoresDirtySensor, setsPosition }: Movement = TARGETS[tried];
  if (target === 'closed' && state === 'opened, a car under it') return answered('error 6');
  if (target === 'closed' && state === 'opened, its sensor dirty' && !ignoresDirtySensor) return answered('error 7');
  const set: Pick<Outcome, 'held'> = { held: setsPosition ?? held };
  if (POSITIONS[state] === target) return { ...answered('ok'), ...set };
  return { atOnce: 'waits', atEnd: 'ok', earlier: 'none', motor: target, position: target, ...set };
}

/** The same of a product that moves. */
function expectedMoving(tried: Tried, state: keyof typeof MOVEMENTS, type: ProductType): Outcome {
  const isOpening = state === 'opening' || state === 'going back from a car';
  const isByItself = state === 'closing by itself';
  const motor = state === 'opening' ? 'opened' : state === 'going back from a car' ? 'closed,reverse' : 'closed';
  const undisturbed = {
    earlier: isByItself ? 'none' : state === 'going back from a car' ? 'error 6' : 'ok',
    motor,
    position: isOpening ? 'opened' : 'closed',
    held: 'disabled',
  } as const;
  if (!isMovement(tried)) {
    const answer = stillAnswer(tried, type);
    return { atOnce: answer, atEnd: answer, ...undisturbed };
  }
  const { target, setsPosition } = TARGETS[tried];
  if (target === 'closed') return { atOnce: 'error 10', atEnd: 'error 10', ...undisturbed };
  const joined = { atOnce: 'waits', atEnd: 'ok', ...undisturbed, held: setsPosition ?? 'disabled' } as const;
  if (isOpening) return joined;
  return { ...joined, earlier: isByItself ? 'none' : 'error 10', motor: 'closed,reverse', position: 'opened' };
}

const expected = (tried: Tried, state: State, type: ProductType) =>
  isRest(state) ? expectedAtRest(tried, state, type) : expectedMoving(tried, state, type);

describe('a command', () => {
  const rows: string[][] = [];

  /** One row for all kinds, or one for each group of kinds that differ. */
  function note(tried: Tried, state: State, outcomes: ReadonlyMap<ProductType, Outcome>): void {
    const kindsOf = new Map<string, ProductType[]>();
    for (const [type, { atEnd, earlier, motor, position, held }] of outcomes) {
      const cells = [atEnd, earlier, motor.replace(',', ', ') || 'none', position, held === 'disabled' ? '' : held];
      const key = JSON.stringify(cells);
      kindsOf.set(key, [...(kindsOf.get(key) ?? []), type]);
    }
    for (const [key, kinds] of kindsOf) {
      const kind = kinds.length === PRODUCT_TYPES.length ? 'all five' : kinds.join(', ');
      rows.push([tried, kind, state, ...(JSON.parse(key) as string[])]);
    }
  }

  it.each(Object.keys(SITUATIONS) as State[])('to a product that is %s', (state) => {
    for (const tried of Object.keys(COMMANDS) as Tried[]) {
      const outcomes = new Map(PRODUCT_TYPES.map((type) => [type, seen(tried, state, type)] as const));
      for (const [type, outcome] of outcomes)
        expect({ tried, type, outcome }).toEqual({ tried, type, outcome: expected(tried, state, type) });
      note(tried, state, outcomes);
    }
  });

  afterAll(() => {
    const head = ['operation', 'kind', 'state of movement', 'outcome', 'earlier', 'motor', 'ends', 'held'];
    process.stdout.write(`\nWhat products do with commands\n${renderTable(head, rows).join('\n')}\n`);
  });
});
