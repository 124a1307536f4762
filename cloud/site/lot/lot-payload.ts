/** Lots as guests read of them. */

/**
 * Writes the place of a product for guests: `North, Quay 1`.
 * @param name of its lot; null: it is in no lot
 * @param address of the lot, which may be empty
 */
export const placeOfLot = (name: string | null, address: string | null): string =>
  [name ?? '', address ?? ''].filter((part) => part !== '').join(', ');
