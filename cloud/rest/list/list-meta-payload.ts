/** `meta` of a paged list (specification, "meta"; REST contract, "Common rules"). */

export interface ListMeta {
  total: number;
  per_page: number;
  current_page: number;
  last_page: number;
  first_page: number;
  first_page_url: string;
  last_page_url: string;
  next_page_url: string | null;
  previous_page_url: string | null;
}

/**
 * URLs are relative and keep the request's other parameters as they were written.
 * @param list.search the request's query without its question mark
 */
export function listMeta(list: { path: string; search: string; page: number; size: number; total: number }): ListMeta {
  const { page, size, total } = list;
  const lastPage = Math.max(1, Math.ceil(total / size));
  const kept = list.search.split('&').filter((part) => part !== '' && !/^page(=|$)/.test(part));
  const urlOf = (number: number) => `${list.path}?${[...kept, `page=${number}`].join('&')}`;
  return {
    total,
    per_page: size,
    current_page: page,
    last_page: lastPage,
    first_page: 1,
    first_page_url: urlOf(1),
    last_page_url: urlOf(lastPage),
    next_page_url: page < lastPage ? urlOf(page + 1) : null,
    previous_page_url: page > 1 ? urlOf(Math.min(page - 1, lastPage)) : null,
  };
}
