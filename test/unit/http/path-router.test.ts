import { describe, expect, it } from 'vitest';
import { PathRouter } from '../../../cloud/rest/server/path-router.js';

describe('the router', () => {
  const router = new PathRouter<string>();
  for (const [method, path] of [
    ['GET', '/v2/sessions/:id'],
    ['GET', '/v2/sessions/export'],
    ['GET', '/v2/sessions/:id/payments'],
    ['POST', '/v2/gateways/claim'],
    ['GET', '/v2/gateways/:id'],
  ] as const)
    router.add(method, path, `${method} ${path}`);

  const found = (method: string, path: string) => router.match(method, path)[0].map(([handler]) => handler);

  it.each([
    ['GET', '/v2/sessions/export', ['GET /v2/sessions/export']],
    ['GET', '/v2/sessions/5', ['GET /v2/sessions/:id']],
    ['GET', '/v2/sessions/5/payments', ['GET /v2/sessions/:id/payments']],
    ['POST', '/v2/gateways/claim', ['POST /v2/gateways/claim']],
    // The word is a path of another method only.
    ['GET', '/v2/gateways/claim', ['GET /v2/gateways/:id']],
    ['GET', '/v2/sessions/', []],
    ['GET', '/v2/sessions/export/', []],
    ['DELETE', '/v2/sessions/export', []],
    ['BREW', '/v2/sessions/5', []],
  ])('finds for %s %s: %j', (method, path, expected) => {
    expect(found(method, path)).toEqual(expected);
  });
});
