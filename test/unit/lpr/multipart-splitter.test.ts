import * as fc from '../../property.js';
import { describe, expect, it } from 'vitest';
import { splitMultipart } from '../../../agent/lpr/formats/multipart-splitter.js';
import { type BodyStyle, jpegLike, multipartBody, part, STRICT } from './multipart-builder.js';
import { runs } from '../../depth.js';

const XML = '<EventNotificationAlert><eventType>ANPR</eventType></EventNotificationAlert>';
const PICTURE = jpegLike('a picture\r\nof two lines');
const PARTS = [
  part('anpr.xml', 'application/xml', XML),
  part('licensePlatePicture.jpg', 'image/jpeg', PICTURE, 'licensePlatePicture.jpg'),
];
const TYPE = 'multipart/form-data; boundary=MIME_boundary';

function contentsOf(body: Uint8Array, contentType = TYPE): Buffer[] {
  return (splitMultipart(body, contentType) ?? []).map(({ content }) => Buffer.from(content));
}

/** A picture whose bytes hold the boundary and what looks like parts. */
function contentWith(boundary: string) {
  return fc
    .array(
      fc.oneof(
        fc.uint8Array({ maxLength: 40 }),
        fc.constantFrom(
          `--${boundary}`,
          `\r\n--${boundary}\r\nContent-Type: image/jpeg\r\n\r\n`,
          `\n--${boundary}--\r\n`,
          '\r\n\r\n',
        ),
      ),
      { maxLength: 8 },
    )
    .map((pieces) =>
      jpegLike(Buffer.concat(pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)))),
    );
}

describe('splitMultipart', () => {
  const habits: [string, Partial<BodyStyle>, string][] = [
    ['as the standard has it', {}, TYPE],
    ['a quoted boundary', {}, 'multipart/form-data; boundary="MIME_boundary"'],
    ['a comma for the semicolon', {}, 'multipart/form-data, boundary=MIME_boundary'],
    ['a boundary that is told with its dashes', {}, 'multipart/form-data; boundary=--MIME_boundary'],
    ['no boundary in the content type', {}, 'multipart/form-data'],
    ['another boundary in the content type', {}, 'multipart/form-data; boundary=other'],
    ['no final boundary', { finalBoundary: false }, TYPE],
    ['LF only', { lineBreak: '\n' }, TYPE],
    ['LF only, without Content-Length', { lineBreak: '\n', contentLength: false }, TYPE],
    ['a blank line after the boundary', { blankAfterBoundary: true }, TYPE],
    ['a blank line after the boundary, LF only', { blankAfterBoundary: true, lineBreak: '\n' }, TYPE],
    ['no Content-Length', { contentLength: false }, TYPE],
    [
      'all at once',
      { contentLength: false, blankAfterBoundary: true, lineBreak: '\n' },
      'multipart/form-data, boundary=MIME_boundary',
    ],
  ];
  it.each(habits)('splits a body with %s', (_, style, contentType) => {
    const body = multipartBody(PARTS, { ...STRICT, ...style });
    expect(contentsOf(body, contentType)).toEqual([Buffer.from(XML), PICTURE]);
  });

  it('takes the line break before a missing final boundary as content only without Content-Length', () => {
    const body = multipartBody(PARTS, { ...STRICT, finalBoundary: false, contentLength: false });
    expect(contentsOf(body)).toEqual([Buffer.from(XML), Buffer.concat([PICTURE, Buffer.from('\r\n')])]);
  });

  it('honours a Content-Length when nothing separates the content from the boundary', () => {
    const body = Buffer.from(`--b\r\nContent-Length: 3\r\n\r\nabc--b\r\nContent-Length: 2\r\n\r\nde--b--`);
    expect(contentsOf(body, 'multipart/mixed; boundary=b').map(String)).toEqual(['abc', 'de']);
  });

  it.each([
    ['too large', 1_000],
    ['too small', 5],
    ['beyond the body', 900_000_000],
  ])('falls back to the boundary when Content-Length is %s', (_, length) => {
    const [first, second] = PARTS;
    const body = multipartBody(
      [{ headers: [...first!.headers, `Content-Length: ${length}`], content: first!.content }, second!],
      { ...STRICT, contentLength: false },
    );
    expect(contentsOf(body)).toEqual([Buffer.from(XML), PICTURE]);
  });

  it('tells name and filename apart, with or without spaces and quotes', () => {
    const [first, second, third] =
      splitMultipart(
        Buffer.from(
          [
            '--b\r\nContent-Disposition: form-data;name="a";filename="b.jpg";\r\nContent-Type: image/jpeg; charset=x\r\n\r\n1\r\n',
            '--b\r\ncontent-disposition: form-data; filename=only.xml\r\n\r\n2\r\n',
            '--b\r\nContent-Type: TEXT/XML\r\n\r\n3\r\n--b--',
          ].join(''),
        ),
        'multipart/form-data; boundary=b',
      ) ?? [];
    expect(first).toMatchObject({ name: 'a', filename: 'b.jpg', contentType: 'image/jpeg' });
    expect(second).toMatchObject({ name: '', filename: 'only.xml', contentType: '' });
    expect(third).toMatchObject({ name: '', filename: '', contentType: 'text/xml' });
  });

  it('takes a boundary in the middle of a line, or before what is no part, as picture', () => {
    const picture = jpegLike(
      'x--MIME_boundary\r\nContent-Type: y\r\n--MIME_boundary!\r\n--MIME_boundary\r\n\u0001\u0002',
    );
    const body = multipartBody([part('a.jpg', 'image/jpeg', picture), PARTS[0]!], { ...STRICT, contentLength: false });
    expect(contentsOf(body)).toEqual([picture, Buffer.from(XML)]);
  });

  it('finds a boundary however far behind the last line break, and none in what begins like it', () => {
    for (let length = 250; length < 262; length++) {
      const line = `${'x'.repeat(length)}\n-`;
      const picture = Buffer.from(line.repeat(3), 'latin1');
      const body = Buffer.concat([
        Buffer.from('--b\r\nContent-Type: image/jpeg\r\n\r\n'),
        picture,
        Buffer.from(`\r\n--b\r\nContent-Type: text/plain\r\n\r\n${'y'.repeat(length)}\r\n--b--\r\n`),
      ]);
      const parts = splitMultipart(body, 'multipart/form-data; boundary=b') ?? [];
      expect(parts.map(({ content }) => Buffer.from(content).toString('latin1'))).toEqual([
        picture.toString('latin1'),
        'y'.repeat(length),
      ]);
    }
  });

  it('finds no parts in a body without a boundary', () => {
    expect(splitMultipart(Buffer.from('plain text'), TYPE)).toBeNull();
    expect(splitMultipart(new Uint8Array(0), TYPE)).toBeNull();
  });

  it('stops at 32 parts', () => {
    const body = multipartBody(
      Array.from({ length: 100 }, (_, index) => part(`${index}`, 'text/plain', `${index}`)),
      STRICT,
    );
    expect(contentsOf(body)).toHaveLength(32);
  });

  const styles = fc.record({
    boundary: fc.stringMatching(/^[A-Za-z0-9_-]{1,30}[A-Za-z0-9]$/),
    lineBreak: fc.constantFrom('\r\n' as const, '\n' as const),
    contentLength: fc.constant(true),
    blankAfterBoundary: fc.boolean(),
    finalBoundary: fc.boolean(),
  });

  it('gives back every part with a Content-Length, even when its bytes contain the boundary and headers', () => {
    fc.assert(
      fc.property(
        styles.chain((style) =>
          fc.tuple(fc.constant(style), fc.array(contentWith(style.boundary), { minLength: 1, maxLength: 5 })),
        ),
        ([style, contents]) => {
          const parts = contents.map((bytes, index) => part(`p${index}`, 'image/jpeg', bytes));
          const split = splitMultipart(multipartBody(parts, style), `multipart/form-data; boundary=${style.boundary}`);
          expect(split?.map((found) => found.name)).toEqual(parts.map((_, index) => `p${index}`));
          expect(split?.map((found) => Buffer.from(found.content))).toEqual(contents);
        },
      ),
    );
  });

  it('never throws and never reads outside the body, whatever comes', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.uint8Array({ maxLength: 20 }),
            fc.constantFrom(
              '--b',
              '--b--',
              '\r\n',
              '\n',
              'Content-Length: 4',
              'Content-Disposition: form-data;name=x',
              ': ',
            ),
          ),
          { maxLength: 40 },
        ),
        fc.constantFrom('multipart/form-data; boundary=b', 'multipart/mixed', ''),
        (pieces, contentType) => {
          const body = Buffer.concat(pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)));
          const parts = splitMultipart(body, contentType) ?? [];
          expect(parts.length).toBeLessThanOrEqual(32);
          for (const { content } of parts) expect(content.length).toBeLessThanOrEqual(body.length);
        },
      ),
      { numRuns: runs(500) },
    );
  });
});
