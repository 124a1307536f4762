/** A product with its state, what can be asked of it, and how the last command goes. */
import {
  errorsOf,
  formerStateOf,
  isUnpaired,
  type Operation,
  operationsOf,
  passStateOf,
  rowOperationOf,
  stayOf,
} from '../wording/product-view.js';
import { StateSign } from '../../../shared/page/parts.js';
import { words } from './browser.js';
import { CommandLine } from './command-line.js';
import { press } from './command-question.js';
import { formerly } from './formerly.js';
import { commands, type GivenCommand, isPending } from './commands.js';
import { Button, joined } from './parts.js';
import { minute, type Product } from './store.js';

export function StateWord({ product }: { product: Product }) {
  const state = passStateOf(product);
  const was = formerStateOf(product);
  return (
    <>
      <StateSign state={state} word={words.states[state]} />
      {was !== null && <span class="facts">{formerly(was)}</span>}
    </>
  );
}

/** A success is shown for so long: later it says nothing about the present state of the product. */
const DONE_SHOWN_MS = 60_000;
const isOver = ({ record, endedMs }: GivenCommand): boolean =>
  record?.status === 'succeeded' && endedMs !== null && minute.value - endedMs > DONE_SHOWN_MS;

/** One line with the button that a guard needs. */
export function ProductRow({ product }: { product: Product }) {
  const given = commands.value.get(product.id);
  const operation = rowOperationOf(product);
  return (
    <li class="product-row">
      <div class="what">
        <strong>{product.name}</strong>
        <StateWord product={product} />
        {errorsOf(product).length > 0 && <span class="tag bad">{words.states.error}</span>}
        {isUnpaired(product) && <span class="tag warn">{words.product.unpaired}</span>}
      </div>
      <OperationButton product={product} operation={operation} isMain={operation === 'open'} withName />
      {given !== undefined && !isOver(given) && <CommandLine given={given} />}
    </li>
  );
}

/** A product with everything. */
export function ProductCard({ product }: { product: Product }) {
  const given = commands.value.get(product.id);
  const [open, close, ...others] = operationsOf(product);
  const stay = stayOf(product);
  const facts = [
    words.kinds[product.product_type_id],
    isUnpaired(product) && words.product.unpaired,
    product.status === 'online' ? words.product.online(product.rssi) : words.product.offline,
    product.battery_status !== null && words.product.battery(product.battery_status),
    product.barrier?.is_car_on_top === 1 && words.product.carOnTop,
    stay !== null && words.product.stays[stay],
  ];
  return (
    <article class="card product" id={`product-${product.id}`} aria-labelledby={`product-${product.id}-name`}>
      <header>
        <h3 id={`product-${product.id}-name`}>{product.name}</h3>
        <StateWord product={product} />
      </header>
      <p class="facts">{joined(facts)}</p>
      {errorsOf(product).map((error) => (
        <p key={error} class="notice bad">
          {product.name}: {words.productErrors[error]}
        </p>
      ))}
      <div class="buttons">
        {[open, close].map(
          (operation) =>
            operation && (
              <OperationButton key={operation} product={product} operation={operation} isMain={operation === 'open'} />
            ),
        )}
      </div>
      <details class="others">
        <summary>{words.product.moreOperations}</summary>
        <div class="buttons">
          {others.map((operation) => (
            <OperationButton key={operation} product={product} operation={operation} />
          ))}
        </div>
      </details>
      {given !== undefined && <CommandLine given={given} withDetails />}
    </article>
  );
}

function OperationButton(props: { product: Product; operation: Operation; isMain?: boolean; withName?: boolean }) {
  const { product, operation, isMain = false, withName = false } = props;
  const word = words.operations[operation];
  // Not `disabled`, which would take the focus from who works with the keyboard.
  const isBusy = isPending(commands.value.get(product.id));
  return (
    <Button
      look={isMain ? 'main' : undefined}
      word={word}
      isBusy={isBusy}
      label={withName ? `${word}: ${product.name}` : undefined}
      onClick={() => press(product, operation)}
    />
  );
}
