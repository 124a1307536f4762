/** A screen behind a camera that asks the agent for orders and passes what is for its serial line on to the screen. */
import { every } from '../../../shared/clock.js';
import type { CarParkDisplay } from '../car-park.js';
import type { DisplayOptions } from './display-options.js';

const POLL_MS = 500;
const POLL_TIMEOUT_MS = 5_000;

export function startPollingDisplay(
  { address, template }: CarParkDisplay,
  { agentUrl, clock, onText }: DisplayOptions,
): Promise<{ close(): Promise<void> }> {
  const key = new URL(address).hostname;
  const closing = new AbortController();
  const before = (template.split('{text}')[0] ?? '').match(/\{\w+\}|[0-9a-fA-F]{2}/g)?.length ?? 0;
  const polling = every({
    clock,
    periodMs: POLL_MS,
    async work() {
      const url = agentUrl();
      if (url === null) return;
      const answer = await fetch(`${url}/displays/${key}`, {
        method: 'POST',
        body: new URLSearchParams({ device_name: 'sim', serialno: '1a2b3c4d-5e6f7081' }),
        signal: AbortSignal.any([closing.signal, AbortSignal.timeout(POLL_TIMEOUT_MS)]),
      });
      const orders = answer.ok ? ((await answer.json()) as { serialData?: { data: string }[] }) : {};
      for (const { data } of orders.serialData ?? []) {
        const bytes = Buffer.from(data, 'base64').subarray(before);
        onText(/^[\x20-\x7e]*/.exec(bytes.toString('latin1'))?.[0] ?? '');
      }
    },
    // The agent is not there yet.
    onError: () => {},
  });
  return Promise.resolve({
    close() {
      polling.cancel();
      closing.abort();
      return Promise.resolve();
    },
  });
}
