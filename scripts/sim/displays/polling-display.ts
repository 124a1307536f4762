/** A screen behind a camera. The camera asks the agent for orders and passes the ones for its serial line to the screen. */
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
  const [before = 0, after = 0] = (template === '' ? '{text}' : template).split('{text}').map(bytesOf);
  const decoder = new TextDecoder('gbk');
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
        const bytes = Buffer.from(data, 'base64');
        onText(decoder.decode(bytes.subarray(before, bytes.length - after)));
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

/** Returns how many bytes a part of a frame has. */
const bytesOf = (part: string): number =>
  (part.match(/\{\w+\}|[0-9a-fA-F]{2}/g) ?? []).reduce((sum, each) => sum + (each === '{crc}' ? 2 : 1), 0);
