/** A lot of twenty products that is released from the cloud: how long it takes, and what comes of it when a gateway dies in the middle. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TEST_SITE } from '../world/site.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';
import { createWorld, type World } from '../world/world.js';

const PRODUCTS = 20;
/** What the release of a lot may take, where nobody else wants the machine: it is printed, and only a hang fails. */
const RELEASED_WITHIN_MS = 5_000;
const HANGS_AFTER_MS = 20_000;
const MORE = Array.from({ length: PRODUCTS - 2 }, (_, index) => `a4c1380001${(index + 16).toString(16)}`);
const DEVICES = [TEST_SITE.barrier, TEST_SITE.gate, ...MORE];

interface SimulatedProduct {
  device_id: string;
  state: string;
  permanent_position: string;
  moves: number;
}
interface Command {
  event_id: string;
  product_id: number;
  status: string;
  gateway_error: { type: number | string } | null;
  attempts: { gateway_uuid: string; outcome: string | null }[];
}

describe('the release of a lot with twenty products', () => {
  let world: World;

  beforeAll(async () => {
    world = await createWorld({
      secondGateway: true,
      radioLatencyMs: 7.5,
      cloudEnv: { RATE_COMMANDS_PER_MIN: '0' },
      alterSite(yaml) {
        const more = MORE.map(
          (device_id) =>
            `              - {device_id: ${device_id}, name: Gate ${device_id}, type: gate, master_key: "${'3c'.repeat(32)}"}`,
        );
        return yaml.replace(/^( +- \{device_id: a4c138000002.*)$/m, (line) => [line, ...more].join('\n'));
      },
    });
  });
  afterAll(() => world.close());

  const products = () =>
    Promise.all(DEVICES.map((device_id) => world.sim<SimulatedProduct>('GET', `/products/${device_id}`)));
  const order = async (path: string, body: unknown = {}) => {
    const { body: answer } = await world.call<{ data: { event_ids: string[] } }>('POST', `/v2/lots/1/${path}`, {
      body,
    });
    return answer.data.event_ids;
  };
  const endsOf = (event_ids: readonly string[]) =>
    waitUntil('the end of all commands', async () => {
      // To ask all the time would take the time of those who are asked.
      await new Promise((resolve) => setTimeout(resolve, 200));
      const found = await Promise.all(
        event_ids.map(async (event_id) => (await world.api<{ data: Command }>(`/v2/commands/${event_id}`)).body.data),
      );
      return found.every(({ status }) => status !== 'pending') ? found : null;
    });
  const untilSeen = (gateways: number) =>
    waitUntil('the gateways to be seen', async () => {
      const { body } = await world.api<{ data: { status: string }[] }>('/v2/gateways');
      return body.data.filter(({ status }) => status === 'online').length === gateways;
    });

  async function closeAll(): Promise<void> {
    const cleared = await endsOf(await order('release/clear'));
    expect(cleared.map(({ status }) => status)).toEqual(cleared.map(() => 'succeeded'));
    expect((await products()).every(({ permanent_position }) => permanent_position === 'disabled')).toBe(true);
    const event_ids = await Promise.all(
      DEVICES.map((_, index) => index + 1).map((id) =>
        waitUntil(`product ${id} to take a command`, async () => {
          const command = { body: { operation: 'close' } };
          const path = `/v2/products/${id}/state`;
          return (await world.call<{ data: { event_id: string } }>('POST', path, command)).body.data.event_id;
        }),
      ),
    );
    await endsOf(event_ids);
    await waitUntil('all to be closed', async () => (await products()).every(({ state }) => state === 'closed'));
  }

  async function release(meanwhile: () => Promise<void>) {
    const before = await products();
    const startedMs = performance.now();
    const event_ids = await order('release', { hold: 1 });
    const openedMs = waitUntil('all to be open', async () => {
      await new Promise((resolve) => setTimeout(resolve, 100));
      return (await products()).every(({ state }) => state === 'opened') ? performance.now() - startedMs : null;
    });
    expect(event_ids).toHaveLength(PRODUCTS);
    await meanwhile();
    const [ends, tookMs] = await Promise.all([endsOf(event_ids), openedMs]);
    const after = await products();
    return { ends, tookMs, after, moved: after.map(({ moves }, index) => moves - (before[index]?.moves ?? 0)) };
  }

  function print(title: string, { ends, tookMs }: Awaited<ReturnType<typeof release>>): void {
    const kinds = new Map<string, number>();
    for (const { status, attempts } of ends) {
      const way = `${attempts.map(({ outcome }) => outcome).join(' > ')}: ${status}`;
      kinds.set(way, (kinds.get(way) ?? 0) + 1);
    }
    const lines = [...kinds].map(([way, count]) => `  ${String(count).padStart(2)} x ${way}\n`);
    process.stdout.write(
      `\nReleased${title}: all open after ${Math.round(tookMs)} ms (reach ${RELEASED_WITHIN_MS})\n${lines.join('')}`,
    );
  }

  const expectReleased = ({ ends, after, moved }: Awaited<ReturnType<typeof release>>) => {
    expect(ends.map(({ status }) => status)).toEqual(ends.map(() => 'succeeded'));
    expect(
      after.every(({ state, permanent_position }) => state === 'opened' && permanent_position === 'stay_open'),
    ).toBe(true);
    expect(moved).toEqual(moved.map(() => 1));
  };

  it('opens every product once, and is taken back completely', async () => {
    // The first time nobody knows where a product has what.
    const first = await release(async () => {});
    print(' for the first time', first);
    expectReleased(first);
    await closeAll();
    const released = await release(async () => {});
    print(' again', released);
    expectReleased(released);
    expect(released.tookMs).toBeLessThan(HANGS_AFTER_MS);
    await closeAll();
  });

  it.each([
    ['the gateway at work', 150],
    ['the gateway at work', 1_200],
    ['the other gateway', 600],
  ])('survives the death of %s after %i ms: each product opens once', async (which, afterMs) => {
    const isFirst = which === 'the gateway at work';
    const released = await release(async () => {
      await new Promise((resolve) => setTimeout(resolve, afterMs));
      await (isFirst ? world.faults.kill('agent') : world.faults.kill('second agent'));
    });
    print(`, ${which} killed after ${afterMs} ms,`, released);
    expectReleased(released);
    await (isFirst ? world.startAgent() : world.secondGateway?.start());
    await untilSeen(2);
    await world.settled();
    await closeAll();
  });
});
