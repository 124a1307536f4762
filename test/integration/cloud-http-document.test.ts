import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ERROR_TABLE } from '../../shared/errors.js';
import { API_TOKEN, GUARD_TOKEN, OWNER_TOKEN, seedSite } from './cloud-http-site.js';
import { type CloudWorld, startCloudWorld } from './cloud-http-world.js';
import { createChecker, type OpenApiDocument } from './openapi-checker.js';

describe('the OpenAPI document', () => {
  let cloud: CloudWorld;
  let document: OpenApiDocument;

  beforeAll(async () => {
    cloud = await startCloudWorld();
    await seedSite(cloud.store);
    document = (await (await fetch(`${cloud.base}/openapi.json`)).json()) as OpenApiDocument;
  });
  afterAll(() => cloud.close());

  const operations = () =>
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
    );

  it('is of version 3.1 and describes itself', () => {
    expect(document.openapi).toBe('3.1.0');
    expect(Object.keys(document.paths)).toEqual(expect.arrayContaining(['/openapi.json', '/docs', '/metrics']));
  });

  it('names the errors every protected endpoint has, each with its code and its status', () => {
    for (const { name, operation } of operations()) {
      const codes = Object.entries(operation.responses).flatMap(([status, { description }]) =>
        [...description.matchAll(/code (\d+)/g)].map(([, code]) => ({ code: Number(code), status: Number(status) })),
      );
      const told = new Set(codes.map(({ code }) => code));
      const expected = operation.security === undefined ? [500] : [1, 4, 6, 23, 429, 500];
      expect([name, expected.filter((code) => !told.has(code))]).toEqual([name, []]);
      for (const { code } of codes) expect([name, code in ERROR_TABLE]).toEqual([name, true]);
    }
  });

  it('gives every parameter of a path, and every body and answer a schema', () => {
    for (const { name, operation } of operations()) {
      const inPath = [...name.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter);
      const described = (operation.parameters ?? []).filter((each) => each.in === 'path').map((each) => each.name);
      expect([name, described]).toEqual([name, inPath]);
      for (const { content } of Object.values(operation.responses)) {
        expect([name, Object.values(content ?? {}).every(({ schema }) => Object.keys(schema).length > 0)]).toEqual([
          name,
          true,
        ]);
      }
    }
  });

  it('refers to nothing that is not in it', () => {
    const refs = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)];
    const missing = refs.map(([, name = '']) => name).filter((name) => document.components.schemas[name] === undefined);
    expect(missing).toEqual([]);
  });

  it('would notice an answer that it does not describe', () => {
    const check = createChecker(document);
    const body = { success: true, data: { status: 'ok' } };
    expect(check({ method: 'GET', path: '/healthz', status: 200, body })).toBeNull();
    expect(check({ method: 'GET', path: '/healthz', status: 200, body: { ...body, data: {} } })).toContain('status');
    expect(check({ method: 'GET', path: '/healthz', status: 418, body })).toContain('does not say so');
    expect(check({ method: 'GET', path: '/v2/secret', status: 200, body })).toContain('no such endpoint');
    expect(check({ method: 'GET', path: '/v2/sessions?page=x', status: 401, body })).toContain('another body');
  });

  it('is readable in a browser, with nothing from elsewhere', async () => {
    const response = await fetch(`${cloud.base}/docs`);
    const page = await response.text();
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(page).not.toMatch(/\b(src|href)="?(https?:)?\/\//);
    expect(page).toContain("fetch('/openapi.json')");
  });

  it('tells who may call what as the endpoints do', async () => {
    const tokens = { owner: OWNER_TOKEN, guard: GUARD_TOKEN, api: API_TOKEN };
    for (const { name, operation } of operations()) {
      const [method = '', path = ''] = name.split(' ');
      if (operation.security === undefined) continue;
      const asked = path.replaceAll(/\{\w+\}/g, '999999');
      expect([name, (await cloud.ask(method, asked)).status]).toEqual([name, 401]);
      for (const token of Object.values(tokens))
        expect((await cloud.ask(method, asked, { token })).status).not.toBe(401);
    }
  });
});
