import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ERROR_TABLE } from '../../../shared/errors.js';
import { seedSite } from './http-site.js';
import { type CloudWorld, startCloudWorld } from './http-world.js';
import { createAnswerChecker } from '../../contract/answer-checker.js';
import { fetchDocument, isPublic, type OpenApiDocument, operationsOf } from '../../contract/openapi-document.js';

describe('the OpenAPI document', () => {
  let cloud: CloudWorld;
  let document: OpenApiDocument;

  beforeAll(async () => {
    cloud = await startCloudWorld();
    await seedSite(cloud.store);
    document = await fetchDocument(cloud.base);
  });
  afterAll(() => cloud.close());

  const operations = () =>
    operationsOf(document).map(({ method, path, operation }) => ({ name: `${method} ${path}`, operation }));

  it('is of version 3.1 and describes itself', () => {
    expect(document.openapi).toBe('3.1.0');
    expect(Object.keys(document.paths)).toEqual(expect.arrayContaining(['/openapi.json', '/docs', '/metrics']));
  });

  it('names the errors every protected endpoint has, each with its code and its status', () => {
    for (const { name, operation } of operations()) {
      const codes = Object.entries(operation.responses).flatMap(([status, { description }]) =>
        [...description.matchAll(/code (\d+)/g)].map(([, code]) => ({ code: Number(code), status: Number(status) })),
      );
      const notified = new Set(codes.map(({ code }) => code));
      const expected = isPublic(operation) ? [500] : [1, 4, 6, 23, 429, 500];
      expect([name, expected.filter((code) => !notified.has(code))]).toEqual([name, []]);
      for (const { code } of codes) expect([name, code in ERROR_TABLE]).toEqual([name, true]);
    }
  });

  it('names of every operation that it is refused with 503 while the database does not work', () => {
    const without = operations().filter(
      ({ operation }) => !/database/.test(operation.responses['503']?.description ?? ''),
    );
    expect(without.map(({ name }) => name)).toEqual([]);
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
    const checker = createAnswerChecker(document);
    const check = (answer: Parameters<typeof checker>[0]) => {
      const result = checker(answer);
      return 'problem' in result ? result.problem : null;
    };
    const body = { success: true, data: { status: 'ok' } };
    expect(check({ method: 'GET', path: '/healthz', status: 200, body })).toBeNull();
    expect(check({ method: 'GET', path: '/healthz', status: 200, body: { ...body, data: {} } })).toContain('status');
    expect(check({ method: 'GET', path: '/healthz', status: 418, body })).toContain('does not say so');
    expect(check({ method: 'GET', path: '/v2/secret', status: 200, body })).toContain('no such endpoint');
    expect(check({ method: 'GET', path: '/v2/sessions?page=x', status: 401, body })).toContain('another body');
  });

  it('has names that are made for programs, each once', () => {
    const names = operations().map(({ operation }) => operation.operationId);
    expect(names.filter((name) => !/^[a-z]+([A-Z][a-z]+)+$|^log(In|Out)$/.test(name))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(
      expect.arrayContaining(['listZones', 'createLot', 'operateProduct', 'closeSession', 'logIn']),
    );
  });

  it('closes no schema that is a part of another: no answer could be valid', () => {
    expect(JSON.stringify(document)).not.toContain('"allOf"');
  });

  it('has no regular expression that validators read differently', () => {
    const patterns = [...JSON.stringify(document).matchAll(/"pattern":("(?:[^"\\\\]|\\\\.)*")/g)].map(
      ([, text = '']) => JSON.parse(text) as string,
    );
    expect(patterns.length).toBeGreaterThan(10);
    for (const pattern of patterns) {
      expect(() => new RegExp(pattern)).not.toThrow();
      expect(pattern).not.toMatch(/\\p\{|\/[a-z]+$/i);
    }
  });

  it('is readable in a browser, with nothing from elsewhere', async () => {
    for (const path of ['/docs', '/docs/viewer']) {
      const response = await fetch(`${cloud.base}${path}`);
      const page = await response.text();
      expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(page).not.toMatch(/\b(src|href)="?(https?:)?\/\//);
      expect(page).toContain(path === '/docs' ? '<iframe' : 'data-url="/openapi.json"');
    }
  });

  it('is found under the addresses of its pages with a slash at their end, too', async () => {
    for (const page of ['/docs', '/docs/guides']) {
      const { status, headers } = await fetch(`${cloud.base}${page}/`, { redirect: 'manual' });
      expect([status, headers.get('location')]).toEqual([301, page]);
    }
    expect((await fetch(`${cloud.base}/docs/guides/nothing`)).status).toBe(404);
  });

  it('is shown by a viewer that browsers keep, compressed for those that accept it', async () => {
    const page = await (await fetch(`${cloud.base}/docs/viewer`)).text();
    const [viewer = ''] = /\/docs\/viewer\/\w+\.js/.exec(page) ?? [];
    const packed = await fetch(`${cloud.base}${viewer}`, { headers: { 'accept-encoding': 'gzip' } });
    const plain = await fetch(`${cloud.base}${viewer}`, { headers: { 'accept-encoding': 'identity' } });
    expect(packed.headers.get('content-encoding')).toBe('gzip');
    expect(plain.headers.get('content-encoding')).toBeNull();
    for (const { headers } of [packed, plain]) {
      expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(headers.get('content-type')).toBe('text/javascript; charset=utf-8');
      expect(headers.get('vary')).toBe('Accept-Encoding');
    }
    expect(await packed.text()).toBe(await plain.text());
    const { status } = await cloud.ask('GET', '/docs/viewer/0.js');
    expect(status).toBe(404);
  });
});
