/** The view for a guard at night: troubles, the gates with their buttons, vehicles that wait, the emergency. */
import { useSignal } from '@preact/signals';
import { Button, Empty, joined, Question, StateSign } from '../../../shared/page/parts.js';
import { formerText } from '../../../shared/troubles/age.js';
import { needsPerson } from '../../../shared/troubles/trouble.js';
import type { LocalView, ProductView } from '../view/local-view.js';
import { act, failureOf, isBusy, type OperationAnswer } from './acts.js';
import { timeOf, words } from './browser.js';
import { ActNotice } from './local-parts.js';
import { HeldNotice, ReleasePart } from './release-part.js';
import { TroublesPart } from './troubles-part.js';
import { gatewayNow } from './view-store.js';
import { CamerasPart, countWaiting, RefusedPart, SightingsPart } from './vehicles-part.js';

export function GatesView({ view }: { view: LocalView }) {
  const { troubles: say, gates } = words();
  const count = view.troubles.filter(needsPerson).length + countWaiting(view);
  return (
    <>
      <div class="head">
        <h1 tabIndex={-1}>{view.lot ?? view.name ?? words().title}</h1>
        <p class={`lead ${count === 0 ? 'good' : 'bad'}`}>{count === 0 ? say.calm : say.needs(count)}</p>
      </div>
      <TroublesPart view={view} />
      <HeldNotice view={view} />
      {view.products.length === 0 ? (
        <Empty>{gates.none}</Empty>
      ) : (
        <div class="cards">
          {view.products.map((product) => (
            <ProductCard key={product.device_id} product={product} />
          ))}
        </div>
      )}
      <SightingsPart view={view} />
      <RefusedPart view={view} />
      {view.products.length > 0 && <ReleasePart view={view} />}
      <CamerasPart view={view} />
    </>
  );
}

type Operation = keyof ReturnType<typeof words>['operations'];

/** Lists the operations that a person may ask for beyond opening and closing. */
function othersOf({ held }: ProductView): Operation[] {
  const stays = (['stay_open', 'stay_close'] as const).filter((each) => each !== held);
  return [...(held === null ? [] : [`clear_${held}` as const]), ...stays];
}

function operate({ device_id, name }: ProductView, operation: Operation): Promise<boolean> {
  const { gates, operations } = words();
  const word = operations[operation];
  return act<OperationAnswer>(
    `product ${device_id}`,
    `/api/products/${device_id}/operations`,
    { operation },
    {
      busy: gates.busy(word, name),
      done: (answer) =>
        answer.is_done ? gates.done(word, name) : { failed: gates.failed(word, name, failureOf(answer)) },
      failed: (why) => gates.failed(word, name, why),
    },
  );
}

/** After these something may close: at once, or because nothing holds it open any more. */
const MAY_CLOSE: ReadonlySet<Operation> = new Set(['close', 'force_close', 'stay_close', 'clear_stay_open'] as const);

/** Says whether the operation is confirmed first: it moves something towards somebody, or stays for everybody. */
const isAsked = (operation: Operation): boolean => MAY_CLOSE.has(operation) || operation === 'stay_open';

function ProductCard({ product }: { product: ProductView }) {
  const { gates, states, operations } = words();
  const asked = useSignal<Operation | null>(null);
  const { device_id, name, state } = product;
  const busy = isBusy(`product ${device_id}`);
  const id = `product-${device_id}`;
  const press = (operation: Operation) => {
    if (isAsked(operation)) asked.value = operation;
    else void operate(product, operation);
  };
  const button = (operation: Operation, look?: 'main' | 'small') => (
    <Button
      key={operation}
      look={look}
      word={operations[operation]}
      label={`${operations[operation]}: ${name}`}
      isBusy={busy}
      onClick={() => !busy && press(operation)}
    />
  );
  return (
    <article class="card product" aria-labelledby={id}>
      <header>
        <h2 id={id}>{name}</h2>
        <StateSign state={state} word={state === 'moving' ? gates.moving : states[state]} />
      </header>
      <p class="facts">{joined(factsOf(product))}</p>
      {product.paired && (
        <>
          <div class="buttons big">
            {button('open', 'main')}
            {button('close')}
          </div>
          <details>
            <summary>{words().product.moreOperations}</summary>
            <div class="buttons">{othersOf(product).map((operation) => button(operation))}</div>
          </details>
        </>
      )}
      <ActNotice name={`product ${device_id}`} />
      {asked.value !== null && (
        <OperationQuestion product={product} operation={asked.value} onEnd={() => (asked.value = null)} />
      )}
    </article>
  );
}

function OperationQuestion(props: { product: ProductView; operation: Operation; onEnd: () => void }) {
  const { product, operation, onEnd } = props;
  const { gates, operations, cancel } = words();
  const isHold = operation === 'stay_open' || operation === 'stay_close';
  const word = operations[operation];
  return (
    <Question
      title={gates.askTitle(word, product.name)}
      yes={word}
      no={cancel}
      isNoFirst
      onNo={onEnd}
      onYes={() => {
        onEnd();
        void operate(product, operation);
      }}
    >
      {MAY_CLOSE.has(operation) && <p>{words().product.closeWhat}</p>}
      {isHold && <p>{gates.holdWhat}</p>}
    </Question>
  );
}

/** `was closed 12 min ago`; null: it is in reach, or nobody knows. */
function formerly({ was, lost_at }: ProductView): string | null {
  if (was === null || lost_at === null) return null;
  const { formerly: states, ages } = words();
  return formerText(states[was], { ageMs: gatewayNow.value - Date.parse(lost_at), words: ages });
}

function factsOf(product: ProductView): (string | null)[] {
  const { gates, product: say, kinds } = words();
  const { rssi, battery, held, credential_days_left: days, clock_off_s: off } = product;
  const kind = Object.values(kinds)[KINDS.indexOf(product.type)] ?? null;
  if (!product.paired) return [kind, gates.notPaired];
  const unheard = product.lost_at === null ? gates.neverHeard : gates.lostAt(timeOf(product.lost_at));
  return [
    kind,
    product.status === 'online' ? say.online(rssi) : unheard,
    formerly(product),
    battery === null ? null : say.battery(battery),
    product.is_car_on_top ? say.carOnTop : null,
    held === null ? null : say.stays[held],
    days === null ? null : gates.alone(words().days(days)),
    off === null ? null : gates.clockOff(Math.abs(off)),
  ];
}

/** In the order of `kinds`. */
const KINDS = ['barrier', 'gate', 'chain', 'bollard', 'brain'];
