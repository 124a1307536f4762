import sharp from 'sharp';
import { PICTURE_PIXELS_MAX, PICTURE_SIDE_PIXELS_MAX, type PictureMaker } from './picture-maker.js';

const JPEG_QUALITY = 80;

/** Driver: sharp, in this process. */
export function createSharpPictureMaker(): PictureMaker {
  sharp.cache(false);
  sharp.concurrency(1);
  return {
    scale(jpeg, box, sidePixelsMax = PICTURE_SIDE_PIXELS_MAX) {
      const picture = sharp(jpeg, { limitInputPixels: PICTURE_PIXELS_MAX, failOn: 'error' });
      return (box === null ? picture : picture.extract(box))
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
