/** A display that takes its text over HTTP, where its address or template has the placeholder. */
import type { CarParkDisplay } from '../car-park.js';
import { listenHttp } from '../http-listener.js';
import type { DisplayOptions } from './display-options.js';

const PLACE = '{text}';

export async function startHttpDisplay(
  { address, template }: CarParkDisplay,
  { onText }: DisplayOptions,
): Promise<{ close(): Promise<void> }> {
  const url = new URL(address);
  const listener = await listenHttp(
    async (request) => {
      const asked = new URL(request.url);
      const text =
        request.method === 'GET'
          ? textIn(decodeURIComponent(asked.pathname + asked.search), decodeURIComponent(url.pathname + url.search))
          : textIn(await request.text(), template === '' ? PLACE : template);
      if (text === null) return new Response(null, { status: 400 });
      const isJson = request.headers.get('content-type') === 'application/json';
      onText(isJson ? (JSON.parse(`"${text}"`) as string) : text);
      return new Response(null, { status: 204 });
    },
    { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || 80) },
  );
  return { close: () => listener.close() };
}

/** The text at the placeholder of the pattern; null: the text does not fit the pattern. */
function textIn(written: string, pattern: string): string | null {
  const [before = '', after = ''] = pattern.split(PLACE);
  if (!written.startsWith(before) || !written.endsWith(after)) return null;
  return written.slice(before.length, written.length - after.length);
}
