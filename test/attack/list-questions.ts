/**
 * The attack: somebody who sees one lot asks every list about things of another, by every filter and every sort, to see one of them, count
 * them, or learn that they exist.
 */
import { isPublic, type OpenApiDocument, type OpenApiOperation, operationsOf } from '../contract/openapi-document.js';

/** A list, an export or a sum that may be asked for, as the document describes it. */
export interface AskedList {
  path: string;
  operation: OpenApiOperation;
  /** The rules of each field. */
  filters: Map<string, string[]>;
  sorts: string[];
  /** Its answer has pages and a total. */
  isPaged: boolean;
}

/** A filter about a thing out of sight, and the same about one that does not exist; null: there is no such pair. */
export interface Question {
  query: string;
  aboutNothing: string | null;
}

/** Values that nothing has. */
const NO_ID = 2_000_000_000;
const NO_TEXT = 'nothing-has-this-value';
/** With these, what nobody in sight has matches as little as what nothing has. */
const COMPARED = new Set(['eq', 'neq', 'in', 'nin', 'like', 'nlike', 'match', 'look_alike']);

export function askedLists(document: OpenApiDocument): AskedList[] {
  return operationsOf(document).flatMap(({ method, path, operation }) => {
    const named = (name: string) => (operation.parameters ?? []).find((parameter) => parameter.name === name);
    const filter = named('filter');
    if (method !== 'GET' || isPublic(operation) || filter === undefined) return [];
    const lines = (filter.description ?? '').matchAll(/^- `(\w+)`: (.+)$/gm);
    const filters = new Map([...lines].map(([, field = '', rules = '']) => [field, rules.split(' ')]));
    const sorts = (named('sort')?.schema.enum ?? []) as string[];
    return [{ path, operation, filters, sorts, isPaged: named('page') !== undefined }];
  });
}

/**
 * @param hidden a thing out of sight, as its owner sees it, with the ids that fields may name
 * @param isSeen whether something in sight has the value in this field, too
 */
export function questionsOf(
  list: AskedList,
  hidden: Readonly<Record<string, unknown>>,
  isSeen: (field: string, value: string | number) => boolean,
): Question[] {
  const filters = [...list.filters].flatMap(([field, rules]): Question[] => {
    const value = hidden[field];
    if (typeof value !== 'string' && typeof value !== 'number') return [];
    const isCompared = !isSeen(field, value) && (typeof value === 'string' || /(^|_)id$/.test(field));
    return rules.map((rule) => ({
      query: filterOf(field, rule, value),
      aboutNothing:
        isCompared && COMPARED.has(rule) ? filterOf(field, rule, typeof value === 'number' ? NO_ID : NO_TEXT) : null,
    }));
  });
  const sorts = list.sorts.map((sort) => ({ query: `sort=${sort}`, aboutNothing: null }));
  return [...filters, ...sorts];
}

const filterOf = (field: string, rule: string, value: string | number): string =>
  `filter=${encodeURIComponent(rule.startsWith('is') ? `${field}:${rule}` : `${field}:${rule}:${value}`)}`;
