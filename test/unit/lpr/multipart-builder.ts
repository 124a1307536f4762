/** Builds multipart bodies with the habits of cameras, and the JPEG-like bytes in them. */

export interface BuiltPart {
  headers: string[];
  content: Uint8Array;
}

export interface BodyStyle {
  boundary: string;
  lineBreak: '\r\n' | '\n';
  contentLength: boolean;
  blankAfterBoundary: boolean;
  finalBoundary: boolean;
}

export const STRICT: BodyStyle = {
  boundary: 'MIME_boundary',
  lineBreak: '\r\n',
  contentLength: true,
  blankAfterBoundary: false,
  finalBoundary: true,
};

export function multipartBody(parts: BuiltPart[], style: BodyStyle): Buffer {
  const { boundary, lineBreak } = style;
  const chunks: Uint8Array[] = [];
  for (const { headers, content } of parts) {
    const lines = [
      `--${boundary}`,
      ...(style.blankAfterBoundary ? [''] : []),
      ...headers,
      ...(style.contentLength ? [`Content-Length: ${content.length}`] : []),
      '',
      '',
    ];
    chunks.push(Buffer.from(lines.join(lineBreak), 'latin1'), content, Buffer.from(lineBreak));
  }
  if (style.finalBoundary) chunks.push(Buffer.from(`--${boundary}--${lineBreak}`));
  return Buffer.concat(chunks);
}

export function part(name: string, contentType: string, content: Uint8Array | string, filename = name): BuiltPart {
  return {
    headers: [`Content-Disposition: form-data; name="${name}"; filename="${filename}"`, `Content-Type: ${contentType}`],
    content: typeof content === 'string' ? Buffer.from(content) : content,
  };
}

/** Bytes that begin and end like a JPEG. */
export function jpegLike(inside: string | Uint8Array): Buffer {
  return Buffer.concat([
    Buffer.from([0xff, 0xd8, 0xff, 0xe0]),
    typeof inside === 'string' ? Buffer.from(inside, 'latin1') : inside,
    Buffer.from([0xff, 0xd9]),
  ]);
}
