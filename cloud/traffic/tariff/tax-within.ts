/**
 * The tax that is in an amount, in minor units, rounded half up like every price; of a refund as of the payment that it undoes.
 * @param vat in percent, as tariffs have it
 * @returns null: none is said
 */
export function taxWithin(amount_minor: number, vat: string): number | null {
  if (vat === '') return null;
  const percent = Number(vat);
  const tax = Math.round((Math.abs(amount_minor) * percent) / (100 + percent));
  return amount_minor < 0 ? -tax : tax;
}
