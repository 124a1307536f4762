/**
 * GET and POST /mails/unsubscribe/{token}: where the link of an alert's mail leads, and what mail programs post to by themselves (RFC 8058).
 * The GET shows a page with a button and changes nothing, because programs follow links to look for malware.
 */
import { createHash } from 'node:crypto';
import { createRoute } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { ApiError, NOT_FOUND } from '../../../shared/errors.js';
import type { FailureLimiter } from '../../kernel/limit/entry.js';
import type { Secrets } from '../../kernel/secrets/entry.js';
import { countRefusal, type Endpoint, type HttpEnv, replyText } from '../../rest/entry.js';
import { acceptedLanguages, languageOf } from '../../../shared/languages.js';
import { inHtml } from './mail-blocks.js';
import { MAIL_WORDS } from './mail-words.js';
import { receiverOfToken } from './unsubscribe-links.js';

const STYLE = `:root { color-scheme: light dark } body { margin: 0; padding: 24px; font: 18px/1.5 system-ui, sans-serif }
main { max-width: 480px; margin: 0 auto } h1 { font-size: 24px; line-height: 1.3 }
button { min-height: 56px; padding: 12px 24px; border: 0; border-radius: 12px; background: #0b57d0; color: #fff; font: inherit; font-weight: 600 }`;

const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

export interface UnsubscribeDeps {
  secrets: Pick<Secrets, 'derive'>;
  /** Removes the receiver from its alert, if it is there still. */
  removeReceiver(receiver_id: number, address: string): Promise<void>;
  /** Counts changed links by address. */
  refusals: FailureLimiter;
}

export function unsubscribeEndpoints({ secrets, removeReceiver, refusals }: UnsubscribeDeps): Endpoint[] {
  const path = '/mails/unsubscribe/{token}';
  const endpoint = (method: 'get' | 'post', answer: (c: Context<HttpEnv>, receiver_id: number) => Promise<string>) => ({
    route: createRoute({ method, path, responses: { 200: { description: 'Success' } } }),
    isInternal: true as const,
    async run(c: Context<HttpEnv>) {
      const receiver_id = await countRefusal(c, refusals, async () => {
        const found = receiverOfToken(secrets, c.req.param('token') ?? '');
        if (found === null) throw new ApiError(NOT_FOUND);
        return found;
      });
      return replyText(c, await answer(c, receiver_id), {
        headers: {
          'Content-Type': 'text/html; charset=utf-8',
          'Content-Security-Policy': POLICY,
          'Referrer-Policy': 'no-referrer',
          'Cache-Control': 'no-store',
        },
      });
    },
  });
  return [
    endpoint('get', async (c) => {
      const { question, button } = wordsFor(c);
      return page(c, `<p>${inHtml(question)}</p><form method="post"><button>${inHtml(button)}</button></form>`);
    }),
    // The body is ignored: the address identifies the receiver, and is the same for the form and for mail programs.
    endpoint('post', async (c, receiver_id) => {
      await removeReceiver(receiver_id, c.get('address'));
      return page(c, `<p>${inHtml(wordsFor(c).done)}</p>`);
    }),
  ];
}

const languageFor = (c: Context<HttpEnv>) => languageOf(acceptedLanguages(c.req.header('accept-language')));

const wordsFor = (c: Context<HttpEnv>) => MAIL_WORDS[languageFor(c)].unsubscribe;

const page = (c: Context<HttpEnv>, content: string): string => `<!doctype html>
<html lang="${languageFor(c)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<link rel="icon" href="data:,">
<title>${inHtml(wordsFor(c).title)}</title>
<style>${STYLE}</style>
</head>
<body><main><h1>${inHtml(wordsFor(c).title)}</h1>${content}</main></body>
</html>
`;
