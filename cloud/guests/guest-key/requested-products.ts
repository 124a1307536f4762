/** Finds the products that a request for keys names, by their device_ids or ids, as far as its caller may give keys of them. */
import { productDeviceIdSchema } from '../../../shared/ids.js';
import { type Caller, type Db, seesLot } from '../../kernel/entry.js';
import { type NamedProduct, productsNamed } from './issue-queries.js';

/** Ids beyond this are none that a database gives. */
const ID_MAX = 2 ** 31 - 1;

/**
 * @param caller null: somebody without a bearer, to whom only products of accounts exist that have switched public key requests on
 * @returns the product of each text, in their order; null: there is none for this caller
 */
export async function requestedProducts(
  db: Db,
  texts: readonly string[],
  caller: Caller | null,
): Promise<(NamedProduct | null)[]> {
  const named = texts.map((text) => ({
    device_id: productDeviceIdSchema.safeParse(text.toLowerCase()).data,
    id: /^\d{1,10}$/.test(text) && Number(text) <= ID_MAX ? Number(text) : undefined,
  }));
  const found = await productsNamed(db, {
    device_ids: [...new Set(named.flatMap(({ device_id }) => device_id ?? []))],
    ids: [...new Set(named.flatMap(({ id }) => id ?? []))],
  });
  const allowed = found.filter((product) =>
    caller === null
      ? product.public_key_requests === 1
      : product.account_id === caller.account_id && seesLot(caller, product.lot_id),
  );
  return named.map(
    ({ device_id, id }) =>
      allowed.find((product) => product.device_id === device_id) ??
      allowed.find((product) => product.id === id) ??
      null,
  );
}
