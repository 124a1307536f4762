/**
 * Driver of displays that take their text over HTTP: by GET when their address holds `{text}`, else by POST with the template as its body,
 * in which `{text}` stands for the text; without a template the body is the text.
 */
import { z } from 'zod';
import { percentDecoded } from '../../../shared/percent-decoded.js';
import { type DisplayDriver, NotConfirmed } from '../display.js';
import { errorText } from '../../../shared/error-text.js';

const PLACE = '{text}';
/** `{` and `}` as a parsed address writes them. */
const ENCODED_PLACE = '%7Btext%7D';

export function createHttpDisplayDriver(): DisplayDriver {
  return {
    name: 'http',
    async show({ address, template }, text, signal) {
      const { url, authorization } = withoutCredentials(address);
      const headers = authorization === null ? {} : { authorization };
      const isGet = url.includes(PLACE) || url.includes(ENCODED_PLACE);
      const encoded = encodeURIComponent(text);
      const answer = isGet
        ? await ask(url.replaceAll(PLACE, encoded).replaceAll(ENCODED_PLACE, encoded), { headers, signal })
        : await ask(url, { method: 'POST', ...bodyOf(template, text, headers), signal });
      await answer.body?.cancel();
      if (!answer.ok) throw new Error(`the display answered ${answer.status}`);
    },
  };
}

async function ask(url: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...request, redirect: 'manual' });
  } catch (error) {
    if (request.signal?.aborted) throw request.signal.reason;
    const cause = error instanceof Error ? error.cause : undefined;
    if (isUnreadable(cause)) throw new NotConfirmed(cause);
    const reason = errorText(cause instanceof Error ? cause : error);
    throw new Error(`the display cannot be reached: ${reason}`, { cause: error });
  }
}

/** Says whether the answer was no HTTP: the parser says so, or the connection ended within it. */
function isUnreadable(cause: unknown): boolean {
  const { success, data } = answeredSchema.safeParse(cause);
  return success && (data.code?.startsWith('HPE_') === true || (data.socket?.bytesRead ?? 0) > 0);
}

/** The error of a request, as undici describes it. */
const answeredSchema = z.object({
  code: z.string().optional(),
  socket: z.object({ bytesRead: z.number().optional() }).optional(),
});

/** In a template of JSON the text is written as JSON writes it; it is one when it parses with a text in it. */
function bodyOf(template: string, text: string, headers: Record<string, string>) {
  const inJson = template.replaceAll(PLACE, () => JSON.stringify(text).slice(1, -1));
  const isJson = /^\s*[{[]/.test(inJson) && isParsed(inJson);
  const plain = template === '' ? text : template.replaceAll(PLACE, () => text);
  return {
    headers: { ...headers, 'content-type': isJson ? 'application/json' : 'text/plain; charset=utf-8' },
    body: isJson ? inJson : plain,
  };
}

function isParsed(json: string): boolean {
  try {
    JSON.parse(json);
    return true;
  } catch {
    return false;
  }
}

/** `fetch` takes no name and password in an address. */
function withoutCredentials(address: string): { url: string; authorization: string | null } {
  const url = new URL(address);
  const { username, password } = url;
  if (username === '' && password === '') return { url: address, authorization: null };
  url.username = '';
  url.password = '';
  const pair = `${percentDecoded(username)}:${percentDecoded(password)}`;
  return { url: url.href, authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}
