/** Reads a `Range` header (RFC 9110, "Range Requests"). */

export interface ByteRange {
  start: number;
  /** The last byte, included. */
  end: number;
}

/**
 * @param size of the file
 * @returns `all`: no range was asked for, or several or other units, which a server may leave unheeded; `none`: the file has no such bytes
 */
export function parseByteRange(header: string | undefined, size: number): ByteRange | 'all' | 'none' {
  const [, from = '', to = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.replaceAll(' ', '') ?? '') ?? [];
  if (from === '' && to === '') return 'all';
  const range =
    from === ''
      ? { start: Math.max(0, size - Number(to)), end: size - 1 }
      : { start: Number(from), end: to === '' ? size - 1 : Math.min(Number(to), size - 1) };
  if (from !== '' && to !== '' && Number(to) < Number(from)) return 'all';
  return range.start < size && range.start <= range.end ? range : 'none';
}
