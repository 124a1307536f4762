/** The rows that a search has found, of which more come as the person scrolls. */
import type { ComponentChildren } from 'preact';
import { ListState } from './admin-parts.js';
import { words } from './browser.js';
import type { LongList } from './long-list.js';
import { Button } from './parts.js';
import { queryOf, setQuery } from './place.js';
import { MoreRows, RowTable, type RowTableOf } from './row-table.js';

/** Empties the fields of a search. @param props.of what stands in the address of them */
export function EmptySearch({ of: names }: { of: readonly string[] }) {
  if (names.every((name) => queryOf(name) === '')) return null;
  const empty = () => setQuery(Object.fromEntries(names.map((name) => [name, ''])));
  return <Button look="small" word={words.found.empty} onClick={empty} />;
}

export function FoundRows<Item extends { id: number }>(props: {
  of: RowTableOf<Item>;
  list: LongList<Item>;
  none: string;
  /** Makes the first one, where none was made yet. */
  first?: ComponentChildren;
}) {
  const { of, list, none, first } = props;
  const { found, refusal, more } = list;
  return (
    <>
      <ListState list={list} none={none} first={first} />
      {found !== null && found.length > 0 && <RowTable of={of} items={found} />}
      {more !== null && refusal === null && <MoreRows onMore={more} label={words.forms.more} />}
    </>
  );
}
