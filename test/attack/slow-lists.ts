/** An attack: lists that no index serves, many at once. */
import { fetchChecked } from '../contract/checked-fetch.js';

/** As many as a request may have. */
const FILTERS = 50;

/** Each of the filters is a search for text in every row. */
export const slowListPath = (seed: number): string => {
  const filters = Array.from({ length: FILTERS }, (_, index) => `filter=plate:nlike:Q${seed}X${index}`);
  return `/v2/sessions?size=1&sort=amount_paid:desc&${filters.join('&')}`;
};

/** Asks `count` such lists at once. @returns a promise of each answer's status */
export function askSlowLists(options: { base: string; token: string; count: number }): Promise<number>[] {
  const { base, token, count } = options;
  return Array.from({ length: count }, async (_, index) => {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetchChecked(`${base}${slowListPath(index)}`, { headers });
    await answer.arrayBuffer();
    return answer.status;
  });
}
