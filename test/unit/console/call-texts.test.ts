import { describe, expect, it } from 'vitest';
import { routeOf, typeScriptOf } from '../../../cloud/console/wording/call-texts.js';
import { CONTRACT_ROUTES, SPECIFICATION_ROUTES } from '../../contract/rest-routes.js';

describe('a call as TypeScript', () => {
  it('finds the route of every path again', () => {
    const paths = [
      ...new Set([...CONTRACT_ROUTES, ...SPECIFICATION_ROUTES].map((route) => route.split(' ')[1] ?? '')),
    ].filter((path) => path.startsWith('/v2'));
    expect(paths.length).toBeGreaterThan(80);
    for (const path of paths) {
      const valueOf = (name: string) =>
        name === 'event_id' ? 'a1b2c3d4' : path.startsWith('/v2/weblinks') ? 'abcdefgh_-0123' : '17';
      const filled = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => valueOf(name));
      expect(routeOf(filled).route).toBe(path);
    }
  });

  it('reads like a program that uses our client', () => {
    const call = { method: 'POST', path: '/v2/products/3/state', body: { operation: 'open' } };
    expect(typeScriptOf(call, 'https://park.example')).toBe(
      [
        `import { createClient } from '@parking-gateway/client';`,
        '',
        `const client = createClient({ baseUrl: 'https://park.example', token });`,
        `const data = await client.post('/v2/products/{id}/state', {`,
        '  path: { id: 3 },',
        `  body: { operation: 'open' },`,
        '});',
      ].join('\n'),
    );
    expect(typeScriptOf({ method: 'GET', path: '/v2/sessions?filter=a%3Aeq%3A1&filter=b&size=5' }, 'x')).toContain(
      `client.get('/v2/sessions', {\n  query: { filter: ['a:eq:1', 'b'], size: '5' },\n});`,
    );
  });

  it('keeps what people typed within its quotes', () => {
    const body = { name: `it's \\ "x"\n`, 'a key': [null, true] };
    expect(typeScriptOf({ method: 'PATCH', path: '/v2/lots/1', body }, 'x')).toContain(
      String.raw`body: { name: 'it\'s \\ "x"\n', 'a key': [null, true] },`,
    );
  });
});
