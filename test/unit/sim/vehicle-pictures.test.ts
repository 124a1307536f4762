import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { bodyColor } from '../../../scripts/sim/cameras/vehicle-drawing.js';
import { createVehiclePictures } from '../../../scripts/sim/cameras/vehicle-pictures.js';

describe('vehicle pictures', () => {
  it('are whole JPEGs of scene and plate, the same for the same plate', async () => {
    const draw = createVehiclePictures();
    const first = await draw('ZG1234AB', undefined);
    const again = await createVehiclePictures()('ZG1234AB', undefined);
    expect(await sharp(first.scene).metadata()).toMatchObject({ format: 'jpeg', width: 1280, height: 720 });
    expect(await sharp(first.plate).metadata()).toMatchObject({ format: 'jpeg', width: 424, height: 96 });
    expect(again.scene.equals(first.scene)).toBe(true);
    expect(await draw('ZG1234AB', undefined)).toBe(first);
  });

  it('show the plate: another plate is another picture where the plate is, and only there', async () => {
    const draw = createVehiclePictures();
    const [one, other] = [await draw('ZG1234AB', 'red'), await draw('ZG1234AC', 'red')];
    const box = {
      left: Math.round(one.plateBox.x * 1280),
      top: Math.round(one.plateBox.y * 720),
      width: Math.round(one.plateBox.width * 1280),
      height: Math.round(one.plateBox.height * 720),
    };
    const inside = async (scene: Buffer) => sharp(scene).extract(box).raw().toBuffer();
    const above = async (scene: Buffer) =>
      sharp(scene)
        .extract({ ...box, top: 0 })
        .raw()
        .toBuffer();
    expect((await inside(one.scene)).equals(await inside(other.scene))).toBe(false);
    expect((await above(one.scene)).equals(await above(other.scene))).toBe(true);
  });

  it('have letters that no other letter looks like', async () => {
    const draw = createVehiclePictures();
    const letters = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789');
    const pictures = await Promise.all(
      letters.map(async (letter) => (await draw(letter, 'red')).plate.toString('hex')),
    );
    expect(new Set(pictures).size).toBe(letters.length);
  });

  it('have a colour of the plate, or the one asked for', async () => {
    expect(bodyColor('ZG1234AB', undefined)).toBe(bodyColor('ZG1234AB', undefined));
    expect(bodyColor('ZG1234AB', 'Red')).toBe('red');
    expect(bodyColor('ZG1234AB', 'chartreuse')).toBe(bodyColor('ZG1234AB', undefined));
    const plates = Array.from({ length: 50 }, (_, index) => bodyColor(`ZG${index}`, undefined));
    expect(new Set(plates).size).toBeGreaterThan(4);
    expect((await createVehiclePictures()('A', 'RED')).color).toBe('red');
  });
});
