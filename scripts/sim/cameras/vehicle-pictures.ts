import sharp from 'sharp';
import type { VehiclePictures } from './camera-vendor.js';
import { type BodyColor, bodyColor, plateSvg, SCENE, SCENE_PLATE, sceneSvg } from './vehicle-drawing.js';

const JPEG_QUALITY = 82;
const VEHICLES_MAX = 64;

/** Draws vehicles, and keeps the latest ones: the same car comes in and goes out. */
export function createVehiclePictures(): (plate: string, color: string | undefined) => Promise<VehiclePictures> {
  const drawn = new Map<string, Promise<VehiclePictures>>();
  return (plate, wish) => {
    const color = bodyColor(plate, wish);
    const key = `${color} ${plate}`;
    const pictures = drawn.get(key) ?? draw(plate, color);
    // Removed and added again, so that the map's first entry is the least recently used one.
    drawn.delete(key);
    drawn.set(key, pictures);
    const [oldest] = drawn.keys();
    if (drawn.size > VEHICLES_MAX && oldest !== undefined) drawn.delete(oldest);
    return pictures;
  };
}

async function draw(plate: string, color: BodyColor): Promise<VehiclePictures> {
  const [scene, crop] = await Promise.all([jpegOf(sceneSvg(plate, color)), jpegOf(plateSvg(plate))]);
  return {
    color,
    scene,
    plate: crop,
    plateBox: {
      x: SCENE_PLATE.x / SCENE.width,
      y: SCENE_PLATE.y / SCENE.height,
      width: SCENE_PLATE.width / SCENE.width,
      height: SCENE_PLATE.height / SCENE.height,
    },
  };
}

function jpegOf(svg: string): Promise<Buffer> {
  return sharp(Buffer.from(svg)).jpeg({ quality: JPEG_QUALITY }).toBuffer();
}
