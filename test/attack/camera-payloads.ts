/**
 * Payloads that a hostile camera posts so that the gateway's processor works on them: each family grows with one number, and what it
 * costs to parse them may grow as much and no more.
 */
import * as fc from '../property.js';

export interface CameraPayload {
  contentType: string;
  body: Buffer;
}

const multipart = (boundary: string, body: string): CameraPayload => ({
  contentType: `multipart/form-data; boundary=${boundary}`,
  body: Buffer.from(body, 'latin1'),
});
const xml = (body: string): CameraPayload => ({ contentType: 'application/xml', body: Buffer.from(body, 'latin1') });

const ALERT = 'EventNotificationAlert';
const LONGEST_BOUNDARY = 254;

/** By what each does; `size` is about how many bytes the body has. */
export const CAMERA_PAYLOADS: Record<string, (size: number) => CameraPayload> = {
  'dashes between dashes': (size) => multipart('-'.repeat(LONGEST_BOUNDARY), '-'.repeat(size)),
  'dashes that nearly end in the boundary': (size) =>
    multipart(`${'-'.repeat(LONGEST_BOUNDARY - 1)}x`, '-'.repeat(size)),
  'lines that nearly are the boundary': (size) =>
    multipart(
      `${'-'.repeat(LONGEST_BOUNDARY - 1)}x`,
      `${'-'.repeat(LONGEST_BOUNDARY)}\n`.repeat(size / LONGEST_BOUNDARY),
    ),
  'lines that are long and begin like the boundary': (size) =>
    multipart('b', `${'x'.repeat(300)}\n-`.repeat(size / 302)),
  'line breaks only': (size) => multipart('b', '\n'.repeat(size)),
  'returns and line breaks only': (size) => multipart('b', '\r\n'.repeat(size / 2)),
  'boundaries before what is no part': (size) => multipart('b', '--b\n\u0001'.repeat(size / 5)),
  'boundaries before a line without an end': (size) => multipart('b', `--b\n${'a'.repeat(4_200)}`.repeat(size / 4_204)),
  'boundaries with many blanks behind': (size) =>
    multipart('b', `--b${' '.repeat(1_000)}\u0001\n`.repeat(size / 1_005)),
  'parts of one boundary each': (size) => multipart('b', '--b\n\n'.repeat(size / 5)),
  'a length that leads to no boundary': (size) => multipart('b', '--b\nContent-Length: 7\n\n'.repeat(size / 23)),
  'headers without end': (size) => multipart('b', `--b\n${'A: b\n'.repeat(size / 5)}`),
  'a boundary that nobody named': (size) => ({
    contentType: 'multipart/form-data',
    body: Buffer.from(`${'-'.repeat(LONGEST_BOUNDARY)}\n`.repeat(size / LONGEST_BOUNDARY), 'latin1'),
  }),
  'opening marks': (size) => xml('<'.repeat(size)),
  'elements in elements': (size) => xml('<a>'.repeat(size / 3)),
  'elements beside elements': (size) => xml(`<a>${'<b/>'.repeat(size / 4)}</a>`),
  'quotes in a tag': (size) => xml(`<a ${`x="'>" y='">' `.repeat(size / 15)}/>`),
  'a quote without end': (size) => xml(`<a x="${'>'.repeat(size)}`),
  comments: (size) => xml(`<a>${'<!-- - -->'.repeat(size / 10)}</a>`),
  instructions: (size) => xml(`<a>${'<?a?>'.repeat(size / 5)}</a>`),
  'CDATA after CDATA': (size) => xml(`<a>${'<![CDATA[&]]>'.repeat(size / 13)}</a>`),
  entities: (size) => xml(`<${ALERT}><eventType>${'&a'.repeat(size / 2)}</eventType></${ALERT}>`),
  'one long entity': (size) => xml(`<${ALERT}><eventType>&${'a'.repeat(size)}</eventType></${ALERT}>`),
  'an event of many pictures': (size) =>
    xml(`<${ALERT}><ANPR><pictureInfoList>${'<p><x/></p>'.repeat(size / 11)}</pictureInfoList></ANPR></${ALERT}>`),
  'blanks in a time': (size) =>
    xml(`<${ALERT}><ANPR/><dateTime>2026-01-15T13:00:00${' '.repeat(size)}x</dateTime></${ALERT}>`),
};

const CLOSED = '</tt:Data></tt:Message></wsnt:Message></wsnt:NotificationMessage>';
const pulled = (items: string): string =>
  `<e:Envelope><e:Body><PullMessagesResponse><wsnt:NotificationMessage><wsnt:Topic>tns1:RuleEngine/Recognition/LicensePlate</wsnt:Topic><wsnt:Message><tt:Message UtcTime="2026-01-15T12:00:00Z"><tt:Data><tt:SimpleItem Name="PlateNumber" Value="ZG4821AB"/>${items}${CLOSED}</PullMessagesResponse></e:Body></e:Envelope>`;
const itemOf = (attributes: string): string => pulled(`<tt:SimpleItem ${attributes}/>`);
/** About as long as a tag that is still believed by those who bound it. */
const TAG = 16_000;

/** What a hostile ONVIF camera answers to PullMessages: its plates stand in attributes. */
export const PULLED_PAYLOADS: Record<string, (size: number) => string> = {
  'a tag of one long name': (size) => itemOf('a'.repeat(size)),
  'tags of long names': (size) => pulled(`<tt:SimpleItem ${'a'.repeat(TAG)}/>`.repeat(size / TAG)),
  'a tag of names without values': (size) => itemOf('a '.repeat(size / 2)),
  'a tag of blanks': (size) => itemOf(`a${' '.repeat(size)}`),
  'a tag of blanks behind equals': (size) => itemOf(`a=${' '.repeat(size)}b`),
  'a tag of equals': (size) => itemOf('='.repeat(size)),
  'a tag of names and equals': (size) => itemOf('a='.repeat(size / 2)),
  'a tag of many attributes': (size) => itemOf('a="" '.repeat(size / 5)),
  'a tag of the same attribute': (size) => itemOf('Name="x" '.repeat(size / 9)),
  'a tag of attributes with names of their own': (size) =>
    itemOf(Array.from({ length: size / 16 }, (_, at) => `a${String(at).padStart(9, '0')}=""`).join(' ')),
  'a tag of quotes within quotes': (size) => itemOf(`a='"' b="'" `.repeat(size / 12)),
  'an attribute of entities': (size) => itemOf(`Name="x" Value="${'&a'.repeat(size / 2)}"`),
};

/** Bytes that mean something to a parser of multipart or XML. */
const MARKS = [
  '<',
  '>',
  '</',
  '/>',
  '"',
  "'",
  '&',
  '&#',
  ';',
  '<!--',
  '-->',
  '<![CDATA[',
  ']]>',
  '<?',
  '--',
  '\r\n',
  '\n',
  '\0',
  ':',
  ' ',
  '\ufeff',
].map((mark) => Buffer.from(mark));

/** Real pushes with bytes cut out, doubled, overwritten or put in, some of them at random and some that a parser looks for. */
export function mutatedPayload(real: readonly CameraPayload[]): fc.Arbitrary<CameraPayload> {
  const place = fc.double({ min: 0, max: 1, noNaN: true });
  const inserted = fc.oneof(
    fc.constantFrom(...MARKS),
    fc.uint8Array({ maxLength: 8 }),
    fc
      .tuple(fc.constantFrom(...MARKS), fc.integer({ min: 1, max: 2_000 }))
      .map(([mark, times]) => Buffer.concat(Array<Buffer>(times).fill(mark))),
  );
  const mutation = fc.record({
    from: place,
    length: fc.integer({ min: 0, max: 200 }),
    isCopied: fc.boolean(),
    inserted,
  });
  return fc
    .tuple(fc.constantFrom(...real), fc.array(mutation, { minLength: 1, maxLength: 6 }))
    .map(([{ contentType, body }, mutations]) => ({
      contentType,
      body: mutations.reduce((bytes, { from, length, isCopied, inserted: bytesIn }) => {
        const at = Math.floor(from * bytes.length);
        return Buffer.concat([
          bytes.subarray(0, at),
          bytesIn,
          bytes.subarray(isCopied ? Math.max(0, at - length) : at + length),
        ]);
      }, body),
    }));
}
