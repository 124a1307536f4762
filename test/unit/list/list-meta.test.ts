import * as fc from '../../property.js';
import { describe, expect, it } from 'vitest';
import { listMeta } from '../../../cloud/rest/list/list-meta-payload.js';

const meta = (changed: Partial<Parameters<typeof listMeta>[0]>) =>
  listMeta({ path: '/v2/zones', search: '', page: 1, size: 10, total: 25, ...changed });

describe('meta', () => {
  it('has no previous page on the first one', () => {
    expect(meta({ search: 'size=10&page=1' })).toEqual({
      total: 25,
      per_page: 10,
      current_page: 1,
      last_page: 3,
      first_page: 1,
      first_page_url: '/v2/zones?size=10&page=1',
      last_page_url: '/v2/zones?size=10&page=3',
      next_page_url: '/v2/zones?size=10&page=2',
      previous_page_url: null,
    });
  });

  it('has no next page on the last one', () => {
    expect(meta({ page: 3 })).toMatchObject({ next_page_url: null, previous_page_url: '/v2/zones?page=2' });
  });

  it('keeps the other parameters as they were written', () => {
    const search = 'filter=name:like:a%20b&page=2&filter=plate%3Aeq%3AZG&pages=1&sort=id:asc&';
    expect(meta({ search, page: 2 }).next_page_url).toBe(
      '/v2/zones?filter=name:like:a%20b&filter=plate%3Aeq%3AZG&pages=1&sort=id:asc&page=3',
    );
  });

  it('has a last page when there is nothing, and leads back from beyond the end', () => {
    expect(meta({ total: 0 })).toMatchObject({ last_page: 1, next_page_url: null, previous_page_url: null });
    expect(meta({ page: 9 })).toMatchObject({
      current_page: 9,
      next_page_url: null,
      previous_page_url: '/v2/zones?page=3',
    });
  });

  it('leads through every page once', () => {
    fc.assert(
      fc.property(fc.nat(2_000), fc.integer({ min: 1, max: 300 }), (total, size) => {
        const visited: number[] = [];
        for (let url: string | null = '/v2/zones?page=1'; url !== null; ) {
          const page: number = Number(new URLSearchParams(url.split('?')[1]).get('page'));
          visited.push(page);
          url = meta({ total, size, page, search: url.split('?')[1] ?? '' }).next_page_url;
        }
        expect(visited).toEqual(Array.from({ length: Math.max(1, Math.ceil(total / size)) }, (_, index) => index + 1));
      }),
    );
  });
});
