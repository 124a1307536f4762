/** `parking-agent release` against a gateway's real listener. */
import { Hono } from 'hono';
import { afterEach, describe, expect, it } from 'vitest';
import type { ReleasedProduct } from '../../../agent/command/lot-release.js';
import { type LocalServer, startLocalServer } from '../../../agent/console/local-server.js';
import { releaseLot } from '../../../agent/console/release-command.js';
import { createReleaseRoute } from '../../../agent/console/local-routes.js';
import { BARRIER, GATE } from '../product/product-item.js';
import { errorText } from '../../../shared/error-text.js';

const OPEN = { device_id: BARRIER, name: 'Entry', is_done: true, problem: null };
const AWAY = { device_id: GATE, name: 'Exit', is_done: false, problem: 'Device not found' };

describe('parking-agent release', () => {
  let server: LocalServer | undefined;
  const begun: string[] = [];
  const calls: string[] = [];
  afterEach(() => server?.close());

  /** A gateway of this lot, and what becomes of its products. */
  async function gateway(lot: string | null, products: ReleasedProduct[]) {
    begun.length = 0;
    calls.length = 0;
    const app = new Hono();
    app.get('/status', (context) => context.json({ lot, products }));
    const end = (what: string) => async () => {
      calls.push(what);
      return products;
    };
    app.route('/', createReleaseRoute({ release: end('release'), clear: end('clear'), close: async () => {} }));
    server = await startLocalServer({ app, host: '127.0.0.1', port: 0 });
    const place = { httpHost: '0.0.0.0', httpPort: server.port };
    return (...words: string[]) => releaseLot(place, words, (text) => void begun.push(text));
  }

  it('says what it does, what came of it, and how to end it', async () => {
    const release = await gateway('Old Harbour', [OPEN]);
    expect(await release('Old', 'Harbour')).toEqual({
      text: [
        'product       name   result',
        'a4c138000001  Entry  open, and stays open',
        'until you say: parking-agent release clear Old Harbour',
      ].join('\n'),
      products: [OPEN],
      isDone: true,
    });
    expect(begun).toEqual(['opening 1 product of the lot "Old Harbour"; what cannot be reached is tried for 30 s']);
    expect((await release('clear', 'old harbour')).text).toContain('the release is over');
    await expect(release('clear')).rejects.toThrow('which lot? parking-agent release clear LOT');
    await expect(release('clear', ' ')).rejects.toThrow('which lot?');
    expect(calls).toEqual(['release', 'clear']);
  });

  it('says which products did not do it, and what to do', async () => {
    const release = await gateway('North', [OPEN, AWAY]);
    const { text, isDone } = await release('NORTH');
    expect(isDone).toBe(false);
    expect(text).toContain(
      'Exit   NOT DONE: Device not found\n1 product did not: open by hand, or give the command again',
    );
    expect((await release('clear', 'north')).text).toContain('1 product did not: give the command again');
  });

  it('commands nothing in another lot, in none, or without products', async () => {
    const release = await gateway('North', [OPEN]);
    await expect(release('South')).rejects.toThrow('in the lot "North", not "South": run the command on a gateway');
    await expect(release('clear', 'South')).rejects.toThrow('not "South"');
    expect([calls, begun]).toEqual([[], []]);
    await server?.close();
    await expect((await gateway(null, []))('North')).rejects.toThrow('in no lot yet');
    await server?.close();
    await expect((await gateway('North', []))('North')).rejects.toThrow('no product in the lot "North"');
    expect(calls).toEqual([]);
  });

  it('says what is wrong when the gateway is not there, is another program, or fails', async () => {
    const ask = async (app: Hono) => {
      server = await startLocalServer({ app, host: '127.0.0.1', port: 0 });
      const place = { httpHost: '127.0.0.1', httpPort: server.port };
      const asked = releaseLot(place, ['North'], () => {}).then(
        () => 'it was done',
        (error: unknown) => errorText(error),
      );
      const said = await asked;
      await server.close();
      return { said, place };
    };
    const { said, place } = await ask(new Hono());
    expect(said).toContain('does not know this: is it the gateway');
    const broken = new Hono();
    broken.get('/status', (context) => context.text('', 500));
    expect((await ask(broken)).said).toContain('failed with 500: its log says why');
    await expect(releaseLot(place, ['North'], () => {})).rejects.toThrow('no gateway answers at http://127.0.0.1:');
  });
});
