/** Whether a barrier or gate is in reach and moves: which gateways hear it, also before it is paired, and a movement to look at. */
import { isUnpaired, rowOperationOf } from '../wording/product-view.js';
import { timeOf } from './browser.js';
import { askBefore } from './command-question.js';
import { Button, Refused } from './parts.js';
import { client } from './session.js';
import { setupWords } from './setup-words.js';
import { gatewayOf, type Product, productOf, timezoneOfLot } from './store.js';
import { useAgain } from './use-again.js';
import { useRead } from './use-read.js';

const AGAIN_MS = 3_000;

/** Who hears a product, and how well, as long as somebody looks. */
export function Hearing({ product }: { product: Product }) {
  const say = setupWords.hearing;
  const { id, lot_id, last_seen } = product;
  const heard = useRead(`receptions ${id} ${product.device_id}`, (signal) =>
    client().get('/v2/products/{id}/receptions', { path: { id }, signal }),
  );
  useAgain(heard, AGAIN_MS);
  const found = heard.found ?? [];
  const isProven = found.some(({ is_proven }) => is_proven === 1);
  return (
    <section aria-label={say.title}>
      <h3>{say.title}</h3>
      <Refused refusal={heard.refusal} onAgain={heard.again} />
      {heard.found?.length === 0 && <p class="notice">{say.none}</p>}
      {found.length > 0 && (
        <ul class="lines">
          {found.map(({ gateway_id, rssi }) => (
            <li key={gateway_id}>{say.gateway(nameOf(gateway_id), rssi)}</li>
          ))}
        </ul>
      )}
      {found.length > 0 && !isProven && <p class="facts">{product.is_paired === 1 ? say.otherKey : say.unproven}</p>}
      {found.length === 0 && last_seen !== null && (
        <p class="facts">{say.last(timeOf(last_seen, timezoneOfLot(lot_id)))}</p>
      )}
    </section>
  );
}

const nameOf = (id: number): string => gatewayOf(id)?.name ?? `#${id}`;

/** Moves a product that has a key, once the person has said yes; the question shows what came of it. */
export function TestMovement({ id }: { id: number }) {
  const product = productOf(id);
  if (product === undefined || isUnpaired(product)) return null;
  return (
    <section aria-label={setupWords.guide.test}>
      <h3>{setupWords.guide.test}</h3>
      <p class="facts">{setupWords.hearing.testWhat}</p>
      <TestButton product={product} />
    </section>
  );
}

/** @param props.isNext it is what comes next */
export function TestButton({ product, isNext = false }: { product: Product; isNext?: boolean }) {
  return (
    <div class="buttons">
      <Button
        look={isNext ? 'main' : 'small'}
        word={setupWords.guide.test}
        about={product.name}
        onClick={() => askBefore(product.id, rowOperationOf(product))}
      />
    </div>
  );
}
