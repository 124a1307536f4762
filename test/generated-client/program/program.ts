/**
 * What an integrator writes with a generated client. `client.ts` is generated beside this file by `generated-client.deep.test.ts`, which
 * compiles both and runs them against the service.
 */
import {
  createLot,
  createWeblink,
  defaults,
  deleteLot,
  getCommand,
  getLot,
  getSession,
  listLots,
  logIn,
  operateProduct,
} from './client.js';

/** The answers of the service to the program. */
export interface Outcome {
  lotNames: string[];
  total: number;
  missing: { status: number; codes: number[] };
  refusedFields: (string | undefined)[];
  command: { operation: string | null; status: string };
  weblinkUrl: string | null;
  plates: string[];
}

/** @param about the account's user, and a product and a session of it */
export async function runProgram(
  service: { baseUrl: string; fetch: typeof fetch },
  about: { email: string; password: string; productId: number; sessionId: number },
): Promise<Outcome> {
  defaults.baseUrl = service.baseUrl;
  defaults.fetch = service.fetch;
  const login = await logIn({ body: { email: about.email, password: about.password } });
  if (login.status !== 200) throw new Error(`log in: ${login.status}`);
  defaults.headers = { Authorization: `Bearer ${login.data.data.token}` };

  const created = await createLot({ body: { name: 'Generated', timezone: 'Europe/Zagreb' } });
  if (created.status !== 200) throw new Error(`create a lot: ${created.status}`);
  const lot = created.data.data;
  const lots = await listLots({ size: 1, sort: 'id:desc', filter: ['name:eq:Generated'] });
  if (lots.status !== 200) throw new Error(`list lots: ${lots.status}`);

  const refused = await createLot({ body: { name: '' } });
  const refusedFields = refused.status === 422 ? refused.data.errors.map(({ field }) => field) : [];

  await deleteLot({ id: String(lot.id) });
  const missing = await getLot({ id: String(lot.id) });
  const codes = missing.status === 404 ? missing.data.errors.map(({ code }) => code) : [];

  const product = { id: String(about.productId) };
  const asked = await operateProduct({ ...product, body: { operation: 'open' } });
  if (asked.status !== 200) throw new Error(`open: ${asked.status}`);
  const command = await getCommand({ eventId: asked.data.data.event_id });
  if (command.status !== 200) throw new Error(`the command: ${command.status}`);

  const weblink = await createWeblink({
    body: { product_id: about.productId, start_time: '2026-01-01T00:00:00.000Z' },
  });
  if (weblink.status !== 200) throw new Error(`create a weblink: ${weblink.status}`);
  const session = await getSession({ id: String(about.sessionId) });
  if (session.status !== 200) throw new Error(`get a session: ${session.status}`);
  return {
    lotNames: lots.data.data.map(({ name }) => name),
    total: lots.data.meta.total,
    missing: { status: missing.status, codes },
    refusedFields,
    command: { operation: command.data.data.operation, status: command.data.data.status },
    weblinkUrl: weblink.data.data.url,
    plates: session.data.data.plate_readings.map(({ plate }) => plate),
  };
}
