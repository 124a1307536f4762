/** Finds the products that a request for keys names by device_id or id, if the caller may give keys for them. */
import { productDeviceIdSchema } from '../../../shared/ids.js';
import { type Caller, seesLot } from '../../kernel/auth/entry.js';
import type { Db } from '../../kernel/store/entry.js';
import { type NamedProduct, productsNamed } from './issue-queries.js';

/** The largest id that a database assigns. */
const ID_MAX = 2 ** 31 - 1;

/**
 * @param caller null: a request without a bearer token, which finds only products of accounts with public key requests
 * @returns the product of each text, in the same order; null: not found for this caller
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
