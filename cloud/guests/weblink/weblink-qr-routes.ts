/** GET /v2/weblinks/{id}/qr.svg and qr.png: the link's QR code, for a sign or a screen. Anybody who sees the code can use the link. */
import { z } from '@hono/zod-openapi';
import QRCode from 'qrcode';
import { type Endpoint, lotOfRow, MANAGERS, reply, sendingEndpoint, visibleRow } from '../../rest/entry.js';
import type { CloudStore } from '../../kernel/store/entry.js';
import type { Secrets } from '../../kernel/secrets/entry.js';
import { WEBLINK_LIST } from './weblink-resource.js';
import { weblinkToken, weblinkUrl } from './weblink-tokens.js';

/** The width of the PNG. It is large enough to be printed at the size of a hand. */
const WIDTH_PX = 1_024;
const pictureSchema = z.string();

export interface WeblinkQrDeps {
  store: CloudStore;
  secrets: Pick<Secrets, 'derive'>;
  baseUrl(): string;
}

export function weblinkQrEndpoints({ store, secrets, baseUrl }: WeblinkQrDeps): Endpoint[] {
  const endpoint = (
    path: '/v2/weblinks/{id}/qr.svg' | '/v2/weblinks/{id}/qr.png',
    sent: 'svg' | 'png',
    draw: (url: string) => Promise<string | Uint8Array<ArrayBuffer>>,
  ): Endpoint =>
    sendingEndpoint({
      method: 'get',
      path,
      summary: `The QR code of a weblink as ${sent.toUpperCase()}`,
      tag: 'Weblinks',
      roles: MANAGERS,
      // The QR code shows the secret of the link, unlike the list, so every request is audited.
      auditAs: 'weblink.show',
      answer: pictureSchema,
      sent,
      async find({ caller, ids: { id } }) {
        const row = await visibleRow(store.reader, WEBLINK_LIST, { caller, id });
        // The audit entry needs the lot.
        return row && { ...row, lot_id: await lotOfRow(store.reader, WEBLINK_LIST, id) };
      },
      async send(c, { found }) {
        const { id, generation } = found;
        const url = weblinkUrl(baseUrl(), { id, token: weblinkToken(secrets, { id, generation }) });
        return reply(c, {
          headers: { 'Content-Type': CONTENT_TYPES[sent], 'Cache-Control': 'private, no-store' },
          body: await draw(url),
        });
      },
    });
  return [
    endpoint('/v2/weblinks/{id}/qr.svg', 'svg', (url) => QRCode.toString(url, { type: 'svg' })),
    endpoint('/v2/weblinks/{id}/qr.png', 'png', async (url) =>
      Uint8Array.from(await QRCode.toBuffer(url, { type: 'png', width: WIDTH_PX })),
    ),
  ];
}

const CONTENT_TYPES = { svg: 'image/svg+xml', png: 'image/png' } as const;
