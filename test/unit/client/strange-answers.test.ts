import { describe, expect, it } from 'vitest';
import { createClient } from '../../../shared/client/index.js';

/** A client whose service answers so. */
const clientOf = (answer: () => Response) =>
  createClient({ baseUrl: 'https://cloud.example', triesMax: 1, fetch: () => Promise.resolve(answer()) });
const problemOf = (answer: () => Response) =>
  clientOf(answer)
    .get('/v2/lots/{id}', { path: { id: 1 } })
    .catch((error: unknown) => error);
const page = (status: number) => () =>
  new Response('<h1>Sign in</h1>', { status, headers: { 'content-type': 'text/html; charset=utf-8' } });

describe('an answer that is not of the service', () => {
  it.each([200, 401, 403, 404, 500, 503])('is a refusal with its status, not a lost connection: %i', async (status) => {
    expect(await problemOf(page(status))).toMatchObject({ name: 'ParkingError', status, errors: [] });
  });

  it('is one that says that it is JSON and is not', async () => {
    const headers = { 'content-type': 'application/json' };
    expect(await problemOf(() => new Response('{"data":', { headers }))).toMatchObject({ status: 200, errors: [] });
  });

  it('is none at all where the network gave none', async () => {
    const lost = () => {
      throw new TypeError('Failed to fetch');
    };
    expect(await problemOf(lost)).toMatchObject({ name: 'ParkingError', status: 0 });
  });
});
