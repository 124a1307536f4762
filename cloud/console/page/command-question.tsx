/** Asks before a product moves, where the press alone could be an accident, and stays until the end is known. */
import { signal, useSignal } from '@preact/signals';
import { endsHold, type Operation } from '../wording/product-view.js';
import { isClosing } from '../../../shared/product-protocol/commands.js';
import { words } from './browser.js';
import { callOf, commands, give, isPending } from './commands.js';
import { Button, CallShown, Dialog } from './parts.js';
import { CommandLine } from './command-line.js';
import { productOf, type Product, releasedLotOf } from './store.js';

/** The command that is asked about. */
const asked = signal<{ productId: number; operation: Operation } | null>(null);

export const askBefore = (productId: number, operation: Operation): void =>
  void (asked.value = { productId, operation });

/** Gives a command by one press, except one after which something may close, wherever it is pressed. */
export function press(product: Product, operation: Operation): void {
  if (endsHold(operation)) askBefore(product.id, operation);
  else void give(product.id, operation);
}

export function CommandQuestion() {
  if (asked.value === null) return null;
  const { productId, operation } = asked.value;
  return <Asked key={`${productId} ${operation}`} productId={productId} operation={operation} />;
}

function Asked({ productId, operation }: { productId: number; operation: Operation }) {
  /** Of the product there may be a command of before. */
  const isSent = useSignal(false);
  const product = productOf(productId);
  if (product === undefined) return null;
  const lot = releasedLotOf(product);
  const present = commands.value.get(productId);
  const given = isSent.value ? present : undefined;
  const beside = lot !== undefined && isClosing(operation) ? { during_release: true as const } : {};
  const word = words.operations[operation];
  const close = () => {
    asked.value = null;
  };
  const yes = () => {
    if (isPending(present)) return;
    isSent.value = true;
    void give(productId, operation, beside);
  };
  const isOver = given !== undefined && given.record?.status === 'succeeded';
  return (
    <Dialog title={words.command.ask(word, product.name)} onClose={close}>
      {lot !== undefined && endsHold(operation) && <p class="notice bad">{words.emergency.endsHere(lot.name)}</p>}
      {given === undefined && endsHold(operation) && <p>{words.product.closeWhat}</p>}
      {given !== undefined && <CommandLine given={given} />}
      <div class="buttons">
        {!isOver && (
          <Button
            look={endsHold(operation) ? 'danger' : 'main'}
            word={word}
            about={product.name}
            isBusy={isPending(present)}
            onClick={yes}
          />
        )}
        {/* It has the focus, so that the Enter that led here moves nothing. */}
        <Button word={given === undefined ? words.cancel : words.done} onClick={close} isFirst />
      </div>
      <CallShown call={given?.call ?? callOf(productId, operation, beside)} />
    </Dialog>
  );
}
