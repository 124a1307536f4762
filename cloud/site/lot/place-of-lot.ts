/**
 * Says to guests where something is: `North, Quay 1`.
 * @param name of its lot; null: it is in none. @param address of the lot, which may be empty
 */
export const placeOfLot = (name: string | null, address: string | null): string =>
  [name ?? '', address ?? ''].filter((part) => part !== '').join(', ');
