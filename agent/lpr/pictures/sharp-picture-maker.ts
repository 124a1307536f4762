import sharp from 'sharp';
import { PICTURE_PIXELS_MAX, PICTURE_SIDE_PIXELS_MAX, type PictureMaker, type PixelBox } from './picture-maker.js';

const JPEG_QUALITY = 80;
const OPTIONS = { limitInputPixels: PICTURE_PIXELS_MAX, failOn: 'error' } as const;

/** Cuts the box out before the picture is turned upright, because the box counts pixels as they stand in the file. */
async function cutOut(jpeg: Uint8Array, box: PixelBox): Promise<Uint8Array> {
  const { orientation = 1 } = await sharp(jpeg, OPTIONS).metadata();
  return sharp(jpeg, OPTIONS).extract(box).withMetadata({ orientation }).jpeg({ quality: 100 }).toBuffer();
}

/** Driver: sharp, in this process. */
export function createSharpPictureMaker(): PictureMaker {
  sharp.cache(false);
  sharp.concurrency(1);
  return {
    async scale(jpeg, box, sidePixelsMax = PICTURE_SIDE_PIXELS_MAX) {
      const picture = sharp(box === null ? jpeg : await cutOut(jpeg, box), OPTIONS);
      // The picture is turned upright here, because the result has no EXIF that says how to turn it.
      return picture
        .rotate()
        .resize({
          width: sidePixelsMax,
          height: sidePixelsMax,
          fit: 'inside',
          withoutEnlargement: true,
        })
        .jpeg({ quality: JPEG_QUALITY })
        .toBuffer();
    },
    close: () => Promise.resolve(),
  };
}
