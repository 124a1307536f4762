import { describe, expect, it } from 'vitest';
import { parseBlockMap } from '../../../scripts/image/block-map.js';

const HASH = 'ab'.repeat(32);
const MAP = `<?xml version="1.0" ?>
<bmap version="2.0">
    <ImageSize> 10000 </ImageSize>
    <BlockSize> 4096 </BlockSize>
    <BlockMap>
        <Range chksum="${HASH}"> 0 </Range>
        <Range chksum="${HASH}"> 1-2 </Range>
    </BlockMap>
</bmap>`;

describe('a block map', () => {
  it('says which bytes of the image are used; its last block may be a part of one', () => {
    expect(parseBlockMap(MAP)).toEqual({
      imageBytes: 10_000,
      ranges: [
        { offset: 0, bytes: 4_096, sha256: HASH },
        { offset: 4_096, bytes: 10_000 - 4_096, sha256: HASH },
      ],
    });
  });

  it.each([
    ['another file', '{}'],
    ['a map without hashes', MAP.replaceAll(/ chksum="[^"]*"/g, '')],
    ['a map without an image', MAP.replace('10000', '0')],
  ])('is not %s', (_, text) => {
    expect(() => parseBlockMap(text)).toThrow('no block map');
  });
});
