import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Hono, type MiddlewareHandler } from 'hono';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createViewRoutes } from '../../../agent/console/view/view-routes.js';
import {
  createQuarantine,
  listQuarantine,
  malformedPush,
  nameOfPush,
  readQuarantined,
} from '../../../agent/lpr/push/quarantine.js';
import { silentLogger } from '../../../shared/logger.js';
import { FakeClock } from '../../world/fake-clock.js';
import { camera } from '../lpr/plate-world.js';

const SCRIPT = '<x><script>alert(1)</script></x>\r\n\tä';
const BINARY = Uint8Array.of(0, 1, 2, 255, ...Buffer.from('JFIF'.repeat(8)));

describe('what the page of the gateway reads', () => {
  let directory: string;
  let names: string[];
  let isIn = true;
  let builds = 0;
  const asked: object[] = [];
  const signedIn: MiddlewareHandler = async (context, next) =>
    isIn ? await next() : context.json({ errors: [{ message: 'no' }] }, 401);

  const app = () =>
    new Hono().route(
      '/',
      createViewRoutes({
        signedIn,
        device: () => ({ name: 'Entrance Pi', is_claimed: true, has_password: true, version: '1.2.3' }),
        view: () => Promise.resolve({ text: '{"a":1}', tag: '"tag"' }),
        picture: (uid) => (uid === 'there' ? Uint8Array.of(0xff, 0xd8) : null),
        quarantine: { list: () => listQuarantine(directory), read: (name) => readQuarantined(directory, name) },
        logs(choice) {
          asked.push(choice);
          return [{ message: 'hello' }];
        },
        async supportFile() {
          builds += 1;
          await Promise.resolve();
          return { name: 'support.json', text: '{}' };
        },
      }),
    );
  const get = (path: string, headers: Record<string, string> = {}) => app().request(path, { headers });

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'view-routes-'));
    const quarantine = createQuarantine({ directory, clock: new FakeClock(), logger: silentLogger });
    const add = (body: Uint8Array, reason: string) =>
      quarantine.add(malformedPush(camera('cam-in'), { contentType: 'text/xml', body, reason }));
    await add(Buffer.from(SCRIPT), 'no plate in <b>it</b>');
    await add(BINARY, 'no text');
    await add(Buffer.from('x'.repeat(20_000)), 'long');
    names = (await listQuarantine(directory)).map(nameOfPush);
  });
  afterAll(() => rm(directory, { recursive: true }));

  it.each([
    '/api/view',
    '/api/pictures/there',
    '/api/quarantine',
    '/api/quarantine/x',
    '/api/logs',
    '/api/support-file',
  ])('keeps %s to who is signed in', async (path) => {
    isIn = false;
    const { status } = await get(path);
    isIn = true;
    expect(status).toBe(401);
  });

  it('answers a view that has not changed with 304', async () => {
    const first = await get('/api/view');
    expect([first.status, first.headers.get('etag'), await first.json()]).toEqual([200, '"tag"', { a: 1 }]);
    expect((await get('/api/view', { 'if-none-match': '"tag"' })).status).toBe(304);
    expect((await get('/api/view', { 'if-none-match': '"other"' })).status).toBe(200);
  });

  it('shows pushes as text or hex, and gives them away as files alone', async () => {
    const { pushes } = (await (await get('/api/quarantine')).json()) as { pushes: object[] };
    expect(pushes).toMatchObject([{ reason: 'long' }, { reason: 'no text' }, { reason: 'no plate in <b>it</b>' }]);
    const [text, binary, long] = await Promise.all(
      names.map(async (name) => (await get(`/api/quarantine/${name}`)).json() as Promise<Record<string, unknown>>),
    );
    expect(text).toMatchObject({ text: SCRIPT, is_cut: false });
    expect(binary).toMatchObject({ is_cut: false });
    expect(String(binary?.['hex']).split('\n')[0]).toBe(
      '000000  00 01 02 ff 4a 46 49 46 4a 46 49 46 4a 46 49 46  ....JFIFJFIFJFIF',
    );
    expect(long).toMatchObject({ text: 'x'.repeat(16 * 1024), is_cut: true });
    const file = await get(`/api/quarantine/${names[0]}?download`);
    expect(
      ['content-type', 'content-disposition', 'x-content-type-options'].map((name) => file.headers.get(name)),
    ).toEqual(['application/octet-stream', `attachment; filename="push-${names[0]}.bin"`, 'nosniff']);
    expect(await file.text()).toBe(SCRIPT);
  });

  it.each(['..%2f..%2fetc%2fpasswd', '000000000000000-000000', 'x', `${'0'.repeat(15)}-${'0'.repeat(6)}.json`])(
    'knows no push %s',
    async (name) => {
      const answer = await get(`/api/quarantine/${name}`);
      expect(answer.status).toBe(404);
    },
  );

  it('gives the lines of the log that are asked for, and says what is wrong with a question', async () => {
    expect((await get('/api/logs')).status).toBe(200);
    await get('/api/logs?lines=5&level=warn');
    expect(asked).toEqual([
      { linesMax: 200, level: 'debug' },
      { linesMax: 5, level: 'warn' },
    ]);
    const wrong = await get('/api/logs?lines=9999999&level=loud');
    expect([wrong.status, await wrong.json()]).toMatchObject([
      422,
      { errors: [{ field: 'lines' }, { field: 'level' }] },
    ]);
  });

  it('makes one file for all who ask for it at once', async () => {
    const same = app();
    const answers = await Promise.all([1, 2, 3].map(() => same.request('/api/support-file')));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(builds).toBe(1);
    expect(answers[0]?.headers.get('content-disposition')).toBe('attachment; filename="support.json"');
  });

  it('tells everybody only whose page it is', async () => {
    isIn = false;
    const answer = await get('/api/device');
    isIn = true;
    expect(await answer.json()).toEqual({
      name: 'Entrance Pi',
      is_claimed: true,
      has_password: true,
      version: '1.2.3',
    });
    expect((await get('/api/pictures/there')).headers.get('content-type')).toBe('image/jpeg');
    expect((await get('/api/pictures/gone')).status).toBe(404);
  });
});
