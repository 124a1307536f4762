/** Bodies that no vendor's camera posts, most with the plate of a member in them: whichever driver hears one of them, it is no read. */
import { jpegLike, multipartBody, part, STRICT } from '../unit/lpr/multipart-builder.js';
import type { CameraPayload } from './camera-payloads.js';

const PLATE = 'ZG4821AB';
const of = (contentType: string, body: string | Uint8Array): CameraPayload => ({
  contentType,
  body: Buffer.from(body as string),
});
const json = (body: string) => of('application/json', body);
const xml = (body: string) => of('application/xml', body);
const parts = (body: string | Uint8Array) => of('multipart/form-data; boundary=MIME_boundary', body);

/** Nine entities, each of which is ten times the one before. */
const BOMB = [...'bcdefghij'].map((name, index) => `<!ENTITY ${name} "${`&${'abcdefghi'[index]};`.repeat(10)}">`);
const ALERT = 'EventNotificationAlert';

/** By what each is. */
export const HOSTILE_BODIES: Record<string, CameraPayload> = {
  text: of('text/plain', `a car, ${PLATE}`),
  'a page': of('text/html', `<html><body>${PLATE}</body></html>`),
  'a form': of('application/x-www-form-urlencoded', `type=online&license=${PLATE}`),
  'a picture': of('image/jpeg', jpegLike(PLATE)),
  'bytes of no character set': of('application/octet-stream', Buffer.from([0xd4, 0xc1, 0, 0xff])),
  'JSON that is cut off': json(`{"plate": "${PLATE.slice(0, 4)}`),
  'JSON of a vendor that nobody knows': json(`{"vehicle":{"plateNumber":"${PLATE}"}}`),
  'JSON without a plate': json('{"a": {"b": 1}}'),
  'JSON of nothing': json('null'),
  'JSON of a text': json(`"${PLATE}"`),
  'JSON of a hundred thousand lists': json('['.repeat(100_000)),
  'JSON with names that every object has': json(
    `{"__proto__": {"plate": "${PLATE}"}, "constructor": {"plate": "${PLATE}"}, "toString": 1}`,
  ),
  'XML that is cut off': xml(`<${ALERT}><ANPR>`),
  'XML of an event without its plate': xml(`<${ALERT}><eventType>ANPR</eventType></${ALERT}>`),
  'XML of no event': xml(`<${ALERT}><dateTime>x</dateTime></${ALERT}>`),
  'XML of elements in elements': xml('<a>'.repeat(100_000)),
  'XML of an event deeper than any': xml(`${'<a>'.repeat(50)}<${ALERT}></${ALERT}>${'</a>'.repeat(50)}`),
  'XML of one long text': xml(`<${ALERT}>${'x'.repeat(300_000)}</${ALERT}>`),
  'an XML bomb': xml(
    `<?xml version="1.0"?><!DOCTYPE p [<!ENTITY a "aaaaaaaaaa">${BOMB.join('')}]><Plate><PlateRead>&j;</PlateRead></Plate>`,
  ),
  'XML with an external entity': xml(
    '<!DOCTYPE p [<!ENTITY x SYSTEM "file:///etc/passwd">]><Plate><PlateRead>&x;</PlateRead></Plate>',
  ),
  'no parts': parts('--MIME_boundary--\r\n'),
  'parts without a boundary': parts('x'),
  'a picture as the only part': parts(multipartBody([part('plate.jpg', 'image/jpeg', jpegLike(PLATE))], STRICT)),
};
