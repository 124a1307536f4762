/** The block map of an image (bmap 2.0): which parts of it are used, and what they hash to. Pure. */

export interface BlockMap {
  readonly imageBytes: number;
  readonly ranges: readonly { readonly offset: number; readonly bytes: number; readonly sha256: string }[];
}

/** @param xml as bmaptool writes it. @throws Error if it is no block map */
export function parseBlockMap(xml: string): BlockMap {
  const number = (tag: string): number => Number(new RegExp(`<${tag}>\\s*(\\d+)\\s*</${tag}>`).exec(xml)?.[1]);
  const [imageBytes, blockBytes] = [number('ImageSize'), number('BlockSize')];
  const ranges = [...xml.matchAll(/<Range\s+chksum="([0-9a-f]{64})"\s*>\s*(\d+)(?:-(\d+))?\s*<\/Range>/g)].map(
    ([, sha256 = '', first, last]) => {
      const offset = Number(first) * blockBytes;
      const end = Math.min((Number(last ?? first) + 1) * blockBytes, imageBytes);
      return { offset, bytes: end - offset, sha256 };
    },
  );
  if (!(imageBytes > 0 && blockBytes > 0) || ranges.length === 0)
    throw new Error('it is no block map with SHA-256, as bmaptool makes it');
  return { imageBytes, ranges };
}
