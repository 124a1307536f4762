import sharp from 'sharp';
import * as fc from '../../property.js';
import { describe, expect, it } from 'vitest';
import { waitUntil } from '../../../scripts/sim/wait-until.js';
import type { CameraPictures } from '../../../agent/lpr/camera.js';
import { createImages } from '../../../agent/lpr/pictures/images.js';
import { createSharpPictureMaker } from '../../../agent/lpr/pictures/sharp-picture-maker.js';
import {
  isWholeJpeg,
  jpegOrientation,
  jpegSize,
  trimmedJpeg,
  withoutMetadata,
} from '../../../agent/lpr/pictures/jpeg.js';
import { silentLogger } from '../../../shared/logger.js';
import { jpegLike } from './multipart-builder.js';

async function jpeg(width: number, height: number): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background: '#345' } })
    .jpeg()
    .toBuffer();
}

async function sizeOf(bytes: Uint8Array | undefined): Promise<[number, number]> {
  const { width, height } = await sharp(bytes).metadata();
  return [width, height];
}

function pictures(change: Partial<CameraPictures>): CameraPictures {
  return { full: null, plate: null, plate_box: null, ...change };
}

const CAMERA = 'cam-entry';
const MIB = 1024 * 1024;
const BOX = { x: 0.5, y: 0.25, width: 0.1, height: 0.05 };

describe('isWholeJpeg', () => {
  it('wants the beginning and the end, padded or not', async () => {
    const whole = await jpeg(40, 30);
    expect(isWholeJpeg(whole)).toBe(true);
    expect(isWholeJpeg(Buffer.concat([whole, Buffer.alloc(500)]))).toBe(true);
    expect(isWholeJpeg(whole.subarray(0, -2))).toBe(false);
    expect(isWholeJpeg(whole.subarray(1))).toBe(false);
    expect(isWholeJpeg(new Uint8Array(0))).toBe(false);
    expect(isWholeJpeg(Buffer.concat([whole, Buffer.alloc(5_000)]))).toBe(true);
  });
});

describe('withoutMetadata', () => {
  /** With EXIF (a serial number and a position), a comment, and a preview behind its end. */
  async function talkative(): Promise<Buffer> {
    const exif = { IFD0: { Make: 'Camera', ImageDescription: 'SECRET-SERIAL' }, IFD3: { GPSLatitudeRef: 'N' } };
    const picture = await sharp({ create: { width: 41, height: 30, channels: 3, background: '#345' } })
      .withExif(exif)
      .jpeg()
      .toBuffer();
    const comment = Buffer.from('fffe0000', 'hex');
    const text = Buffer.from('SECRET-TALK13');
    comment.writeUInt16BE(text.length + 2, 2);
    return Buffer.concat([picture.subarray(0, 2), comment, text, picture.subarray(2), Buffer.from('SECRET-PADDING')]);
  }

  it('leaves the picture, and nothing that was written beside it', async () => {
    const bytes = await talkative();
    expect(bytes.includes('SECRET-SERIAL')).toBe(true);
    const stripped = Buffer.from(withoutMetadata(bytes) ?? []);
    expect(stripped.includes('SECRET')).toBe(false);
    expect(isWholeJpeg(stripped)).toBe(true);
    const pixels = (picture: Buffer) => sharp(picture).raw().toBuffer();
    expect(await pixels(stripped)).toEqual(await pixels(bytes));
    expect((await sharp(stripped).metadata()).exif).toBeUndefined();
    expect(withoutMetadata(stripped)).toEqual(new Uint8Array(stripped));
  });

  it('is what a small picture is sent as', async () => {
    const images = createImages({ maker: createSharpPictureMaker(), logger: silentLogger });
    const [prepared] = await images.prepare(CAMERA, pictures({ full: await talkative() }));
    expect(Buffer.from(prepared?.jpeg ?? []).includes('SECRET')).toBe(false);
    expect(await sizeOf(prepared?.jpeg)).toEqual([41, 30]);
  });

  it('takes any bytes, and follows no more segments than a camera writes', async () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => void withoutMetadata(bytes)));
    const picture = await jpeg(41, 30);
    const many = Buffer.concat([
      picture.subarray(0, 2),
      Buffer.from('ffe10002'.repeat(5_000), 'hex'),
      picture.subarray(2),
    ]);
    expect(withoutMetadata(many)).toBeNull();
  });
});

describe('jpegSize', () => {
  it('is that of the frame, behind whatever segments stand before it', async () => {
    const picture = await jpeg(41, 30);
    expect(jpegSize(picture)).toEqual({ width: 41, height: 30 });
    const progressive = await sharp(picture).jpeg({ progressive: true }).withMetadata().toBuffer();
    expect(jpegSize(progressive)).toEqual({ width: 41, height: 30 });
    const filled = Buffer.concat([picture.subarray(0, 2), Buffer.from([0xff, 0xff]), picture.subarray(2)]);
    expect(jpegSize(filled)).toEqual({ width: 41, height: 30 });
  });

  it('is not searched for behind more than a camera writes before it', async () => {
    const picture = await jpeg(41, 30);
    for (const [filling, isFound] of [
      [Buffer.alloc(500, 0xff), true],
      [Buffer.alloc(5_000, 0xff), false],
      [Buffer.from('ffe00000'.repeat(5_000), 'hex'), false],
    ] as const) {
      const filled = Buffer.concat([picture.subarray(0, 2), filling, picture.subarray(2)]);
      expect(jpegSize(filled) !== null).toBe(isFound);
    }
  });

  it('is nothing where there is no frame, and never fails', () => {
    expect(jpegSize(jpegLike('nothing'))).toBeNull();
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        const size = jpegSize(Buffer.concat([Buffer.from([0xff, 0xd8, 0xff]), bytes]));
        if (size !== null) expect(size.width * size.height).toBeGreaterThan(0);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('images of a read', () => {
  const images = createImages({ maker: createSharpPictureMaker(), logger: silentLogger });

  it('are scaled to 1280 pixels, the plate stays as it is', async () => {
    const plate = await jpeg(120, 30);
    const given = pictures({ full: await jpeg(2560, 1568), plate });
    expect(images.announce(CAMERA, given)).toEqual(['full', 'cropped']);
    const [full, cropped] = await images.prepare(CAMERA, given);
    expect(await sizeOf(full?.jpeg)).toEqual([1280, 784]);
    expect(cropped).toEqual({ role: 'cropped', jpeg: new Uint8Array(plate), thumbnail: null });
  });

  it('are not touched when they are small', async () => {
    const full = await jpeg(640, 480);
    const push = Buffer.concat([Buffer.alloc(100), full]);
    const [made] = await images.prepare(CAMERA, pictures({ full: push.subarray(100) }));
    expect(made).toEqual({ role: 'full', jpeg: new Uint8Array(full), thumbnail: null });
    expect(made?.jpeg.buffer.byteLength).toBe(full.length);
  });

  it('have a small one beside them for lists, unless they are small themselves', async () => {
    const noise = { type: 'gaussian', mean: 128, sigma: 30 } as const;
    const scene = await sharp({ create: { width: 2_000, height: 1_200, channels: 3, background: '#345', noise } })
      .withExif({ IFD0: { ImageDescription: 'SECRET-SERIAL' } })
      .jpeg()
      .toBuffer();
    const given = pictures({ full: scene, plate: await jpeg(120, 30) });
    const [full, cropped] = await images.prepare(CAMERA, given);
    expect(await sizeOf(full?.thumbnail ?? undefined)).toEqual([256, 154]);
    expect(full?.thumbnail?.length).toBeLessThanOrEqual(24 * 1024);
    expect(Buffer.from(full?.thumbnail ?? []).includes('SECRET')).toBe(false);
    expect(cropped?.thumbnail).toBeNull();
  });

  it('are sent without a small one when that cannot be made', async () => {
    const scale = (picture: Uint8Array, _: unknown, side?: number) =>
      side === undefined ? Promise.resolve(picture) : Promise.reject(new Error('it ended'));
    const failing = createImages({ maker: { scale, close: () => Promise.resolve() }, logger: silentLogger });
    const full = Buffer.concat([await jpeg(1_300, 20), Buffer.alloc(900)]);
    const large = Buffer.concat([
      full.subarray(0, 2),
      Buffer.from('fffe7000', 'hex'),
      Buffer.alloc(0x6ffe, 1),
      full.subarray(2),
    ]);
    expect(await failing.prepare(CAMERA, pictures({ full: large }))).toMatchObject([{ role: 'full', thumbnail: null }]);
  });

  it('have the plate cut out of the full one where the camera cut none', async () => {
    const given = pictures({ full: await jpeg(1000, 600), plate_box: BOX });
    expect(images.announce(CAMERA, given)).toEqual(['full', 'cropped']);
    const [, cropped] = await images.prepare(CAMERA, given);
    expect(cropped?.role).toBe('cropped');
    expect(await sizeOf(cropped?.jpeg)).toEqual([100, 30]);
  });

  it('prefer a plate picture to the box, and the box to a plate picture that was cut off', async () => {
    const full = await jpeg(1000, 600);
    const plate = await jpeg(120, 30);
    const [, whole] = await images.prepare(CAMERA, pictures({ full, plate, plate_box: BOX }));
    expect(await sizeOf(whole?.jpeg)).toEqual([120, 30]);
    const [, cut] = await images.prepare(CAMERA, pictures({ full, plate: plate.subarray(0, -50), plate_box: BOX }));
    expect(await sizeOf(cut?.jpeg)).toEqual([100, 30]);
  });

  it('are none where the camera sent none, or none that is whole', async () => {
    const full = (await jpeg(100, 100)).subarray(0, -20);
    expect(images.announce(CAMERA, pictures({}))).toEqual([]);
    expect(images.announce(CAMERA, pictures({ full, plate_box: BOX }))).toEqual([]);
    expect(await images.prepare(CAMERA, pictures({ full }))).toEqual([]);
  });

  it('leave out what looks whole and is none', async () => {
    const plate = await jpeg(120, 30);
    expect(await images.prepare(CAMERA, pictures({ full: jpegLike('nothing'), plate }))).toEqual([
      { role: 'cropped', jpeg: new Uint8Array(plate), thumbnail: null },
    ]);
  });

  it('are cut out whatever box the camera tells, or not at all', async () => {
    const full = await jpeg(200, 100);
    const side = fc.double({ min: -3, max: 3, noNaN: true });
    await fc.assert(
      fc.asyncProperty(fc.record({ x: side, y: side, width: side, height: side }), async (plate_box) => {
        const given = pictures({ full, plate_box });
        const announced = images.announce(CAMERA, given);
        const made = await images.prepare(CAMERA, given);
        expect(made.map(({ role }) => role)).toEqual(announced);
        for (const { role, jpeg: bytes } of made) {
          if (role !== 'cropped') continue;
          const [width, height] = await sizeOf(bytes);
          expect(width).toBeLessThanOrEqual(200);
          expect(height).toBeLessThanOrEqual(100);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('are given up when too many of their camera wait', async () => {
    const waiting = createImages({ maker: createSharpPictureMaker(), logger: silentLogger });
    const big = jpegLike(Buffer.alloc(5 * MIB));
    const small = await jpeg(20, 20);
    const first = waiting.prepare(CAMERA, pictures({ full: big }));
    expect(waiting.announce(CAMERA, pictures({ full: big }))).toEqual([]);
    expect(waiting.announce(CAMERA, pictures({ full: small }))).toEqual(['full']);
    await first;
    expect(waiting.announce(CAMERA, pictures({ full: big }))).toEqual(['full']);
  });

  describe('from several cameras', () => {
    /** A maker that makes a picture when it is told to, and says of which size it was. */
    function heldMaker() {
      const asked: { bytes: number; make(): void }[] = [];
      const scale = (picture: Uint8Array) =>
        new Promise<Uint8Array>((resolve) => asked.push({ bytes: picture.length, make: () => resolve(picture) }));
      return { asked, maker: { scale, close: () => Promise.resolve() } };
    }

    it('are not given up because one camera has as many as may wait of one', () => {
      const { maker } = heldMaker();
      const shared = createImages({ maker, logger: silentLogger });
      const big = pictures({ full: jpegLike(Buffer.alloc(4 * MIB - 1_000)) });
      for (const camera of ['one', 'two', 'three', 'four']) {
        for (let count = 0; count < 2; count++) {
          expect(shared.announce(camera, big)).toEqual(['full']);
          void shared.prepare(camera, big);
        }
        expect(shared.announce(camera, big)).toEqual([]);
      }
      // Of all cameras no more than a gateway has memory for.
      expect(shared.announce('five', big)).toEqual([]);
    });

    it('are prepared in turns', async () => {
      const { asked, maker } = heldMaker();
      const shared = createImages({ maker, logger: silentLogger });
      const wide = await jpeg(1_300, 20);
      const padded = (padding: number) => {
        const comment = Buffer.from([0xff, 0xfe, (padding - 2) >> 8, (padding - 2) & 0xff]);
        return Buffer.concat([wide.subarray(0, 2), comment, Buffer.alloc(padding - 4), wide.subarray(2)]);
      };
      const all = [10, 11, 12, 13].map((padding) => shared.prepare('crowd', pictures({ full: padded(padding) })));
      all.push(shared.prepare('quiet', pictures({ full: padded(500) })));
      for (const [index] of all.entries()) {
        await waitUntil('the next turn', () => asked.length === index + 1);
        asked[index]?.make();
      }
      await Promise.all(all);
      const order = asked.map(({ bytes }) => bytes - wide.length);
      expect(order.indexOf(500)).toBeLessThanOrEqual(2);
      expect(order.filter((padding) => padding !== 500)).toEqual([10, 11, 12, 13]);
    });
  });

  describe('from a hostile camera', () => {
    /** A JPEG whose frame says that it has so many pixels. */
    const saying = async (width: number, height: number) => {
      const picture = Buffer.from(await jpeg(40, 30));
      const frame = picture.indexOf(Buffer.from([0xff, 0xc0]));
      picture.writeUInt16BE(height, frame + 5);
      picture.writeUInt16BE(width, frame + 7);
      return picture;
    };

    it('are neither announced nor decoded when they would decode to more than any camera has', async () => {
      const scaled: number[] = [];
      const maker = {
        scale: (picture: Uint8Array) => {
          scaled.push(picture.length);
          return Promise.resolve(picture);
        },
        close: () => Promise.resolve(),
      };
      const guarded = createImages({ maker, logger: silentLogger });
      const bomb = await saying(30_000, 30_000);
      expect(jpegSize(bomb)).toEqual({ width: 30_000, height: 30_000 });
      const given = pictures({ full: bomb, plate: bomb, plate_box: BOX });
      expect(guarded.announce(CAMERA, given)).toEqual([]);
      expect(await guarded.prepare(CAMERA, given)).toEqual([]);
      expect(scaled).toEqual([]);
      expect(guarded.announce(CAMERA, pictures({ full: await saying(5_472, 3_648) }))).toEqual(['full']);
    });

    it('are not announced beyond 6 MiB each', () => {
      const large = jpegLike(Buffer.alloc(6 * MIB));
      expect(images.announce(CAMERA, pictures({ full: large, plate: large }))).toEqual([]);
    });

    it('are not copied when they are nearly all of their push', async () => {
      let decoded: Uint8Array | undefined;
      const scale = (picture: Uint8Array) => {
        decoded ??= picture;
        return Promise.resolve(picture);
      };
      const guarded = createImages({ maker: { scale, close: () => Promise.resolve() }, logger: silentLogger });
      const push = Buffer.concat([Buffer.alloc(400), await jpeg(3_000, 2_000)]);
      await guarded.prepare(CAMERA, pictures({ full: push.subarray(400) }));
      expect(decoded?.buffer).toBe(push.buffer);
    });

    it('wait without the push that they are part of', async () => {
      const small = await jpeg(20, 20);
      const push = Buffer.concat([Buffer.alloc(7 * MIB), small]);
      let decoded: Uint8Array | undefined;
      const maker = {
        scale: (picture: Uint8Array) => {
          decoded = picture;
          return Promise.resolve(picture);
        },
        close: () => Promise.resolve(),
      };
      const guarded = createImages({ maker, logger: silentLogger });
      await guarded.prepare(
        CAMERA,
        pictures({ full: push.subarray(7 * MIB), plate_box: { x: 0, y: 0, width: 1, height: 1 } }),
      );
      expect(decoded?.buffer.byteLength).toBe(small.length);
    });
  });
});

describe('a picture', () => {
  const turned = async (orientation: number, width: number, height: number) =>
    sharp({ create: { width, height, channels: 3, background: '#345' } })
      .composite([
        {
          input: await sharp({ create: { width: width / 2, height, channels: 3, background: '#fff' } })
            .png()
            .toBuffer(),
          left: 0,
          top: 0,
        },
      ])
      .withMetadata({ orientation })
      .jpeg()
      .toBuffer();
  const prepared = (given: Partial<CameraPictures>) =>
    createImages({ maker: createSharpPictureMaker(), logger: silentLogger }).prepare(CAMERA, pictures(given));

  it.each([
    ['small', 60, 40],
    ['large', 3_000, 2_000],
  ])('is turned upright when it is %s before it loses what its camera wrote beside it', async (_, width, height) => {
    const full = await turned(6, width, height);
    expect(jpegOrientation(full)).toBe(6);
    const [image] = await prepared({ full });
    const [shownWidth, shownHeight] = await sizeOf(image?.jpeg);
    expect(shownWidth / shownHeight).toBeCloseTo(height / width, 2);
    expect(jpegOrientation(image?.jpeg ?? new Uint8Array())).toBe(1);
    // Turned to the right, its left half is above.
    const corner = await sharp(image?.jpeg).extract({ left: 2, top: 2, width: 4, height: 4 }).toBuffer();
    const above = await sharp(corner).stats();
    expect(above.channels[0]?.mean).toBeGreaterThan(200);
  });

  it('is cut where the camera found the plate, and the cut turned upright', async () => {
    const full = await turned(8, 400, 200);
    const images = await prepared({ full, plate_box: { x: 0, y: 0, width: 0.25, height: 0.1 } });
    const cut = images.find(({ role }) => role === 'cropped');
    expect(await sizeOf(cut?.jpeg)).toEqual([20, 100]);
    expect((await sharp(cut?.jpeg).stats()).channels[0]?.mean).toBeGreaterThan(200);
  });

  it('ends at its end, whatever and however much follows', async () => {
    const whole = await jpeg(40, 30);
    for (const behind of [Buffer.alloc(7 * MIB), whole, Buffer.from('<xml/>'), Buffer.from([0xff, 0xd9])]) {
      const sent = Buffer.concat([whole, behind]);
      expect(trimmedJpeg(sent)).toHaveLength(whole.length);
      const images = createImages({ maker: createSharpPictureMaker(), logger: silentLogger });
      expect(images.announce(CAMERA, pictures({ full: sent }))).toEqual(['full']);
    }
    const progressive = await sharp(whole).jpeg({ progressive: true }).toBuffer();
    expect(trimmedJpeg(Buffer.concat([progressive, Buffer.alloc(9)]))).toHaveLength(progressive.length);
  });

  it('is told of when it is left out', async () => {
    const whole = await jpeg(40, 30);
    const notified: unknown[] = [];
    const logger = { ...silentLogger, warn: (fields: object) => void notified.push(fields) };
    const images = createImages({ maker: createSharpPictureMaker(), logger });
    expect(images.announce(CAMERA, pictures({ full: whole.subarray(0, -2) }))).toEqual([]);
    expect(notified).toEqual([{ camera: CAMERA, reason: 'it is not whole' }]);
  });
});
