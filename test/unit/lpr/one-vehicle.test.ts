/** What drivers call one event is one vehicle: several vehicles of one push are decided each, and one whose plate is corrected is read once. */
import { describe, expect, it } from 'vitest';
import { createCameraDrivers } from '../../../agent/lpr/camera-drivers.js';
import type { CameraRead } from '../../../agent/lpr/camera.js';
import { parseDahuaPart } from '../../../agent/lpr/dahua/dahua-stream.js';
import { parsePulledMessages } from '../../../agent/lpr/onvif/onvif-parser.js';
import { createVehiclePictures } from '../../../scripts/sim/cameras/vehicle-pictures.js';
import { settle } from '../../world/fake-clock.js';
import { cameraFixture } from './camera-fixture.js';
import { multipartBody, part, STRICT } from './multipart-builder.js';
import { camera, plateWorld, type PlateWorld } from './plate-world.js';
import { cameraDriverDeps } from '../../world/camera-driver-deps.js';

const ZONE = 'Europe/Zagreb';
const MAPPING = {
  list: 'evt.cars',
  plate: 'nr',
  event_id: 'evt.no',
  time: { at: 'evt.when', format: 'DD.MM.YYYY HH:mm:ss' },
};

/** The vehicles that a driver reads in a push. */
function readsIn(driver: string, body: string | Buffer, contentType = 'application/json'): CameraRead[] {
  const drivers = createCameraDrivers(cameraDriverDeps(plateWorld().clock));
  const parsed = drivers.get(driver)?.push?.parse({
    contentType,
    body: Buffer.from(body),
    camera: camera('cam-in', { driver, mapping: driver === 'mapping' ? MAPPING : null }),
  });
  return parsed?.kind === 'read' ? [parsed.read, ...(parsed.more ?? [])] : [];
}

async function handleAll(world: PlateWorld, reads: readonly CameraRead[]): Promise<void> {
  for (const read of reads) await world.reads.handle('cam-in', read);
  await settle();
}

const platesOf = (world: PlateWorld) => world.store.reads.map(({ record }) => record.reading.plate);
const refinedTo = (world: PlateWorld) => world.store.refinements.map(({ record }) => record.reading.plate);

describe('two vehicles in one push', () => {
  it.each([
    ['of a mapping whose id is that of the document', 'mapping', 'mapping/two-cars.json'],
    ['of UniFi, whose triggers have one event', 'unifi', 'unifi/two-vehicles.json'],
  ])('%s are both decided, and their repeats dropped', async (_, driver, fixture) => {
    const world = plateWorld();
    const body = cameraFixture('mapping', fixture);
    await handleAll(world, readsIn(driver, body));
    expect(platesOf(world)).toEqual(['ZG4821AB', 'DU777AA']);
    expect([world.commander.commands.length, refinedTo(world)]).toEqual([2, []]);
    await handleAll(world, readsIn(driver, body));
    expect(world.store.reads).toHaveLength(2);
  });

  it('by numbers of one message of Uniview are both decided', async () => {
    const world = plateWorld();
    const document = JSON.parse(cameraFixture('uniview', 'structure.json'));
    const list = document.StructureInfo.ObjInfo.VehicleInfoList;
    delete list[0].ID;
    list.push({ PlateAttributeInfo: { PlateNo: 'DU777AA' } });
    await handleAll(world, readsIn('uniview', JSON.stringify(document)));
    expect(platesOf(world)).toEqual(['ZG4821AB', 'DU777AA']);
  });
});

describe('a plate that the camera corrects', () => {
  const corrected = (text: string) => text.replaceAll('ZG4821AB', 'ZG4821AC').replaceAll('0048215', '0048216');
  const onvif = (text: string) => parsePulledMessages(text).reads;
  const dahua = (text: string) => {
    const heard = parseDahuaPart(text, ZONE);
    return heard.kind === 'read' ? [heard.read] : [];
  };

  it.each([
    ['an object of ONVIF', onvif, 'onvif', 'license-plate.xml', '00:00.250Z', '00:01.250Z'],
    ['a group of Dahua, as lines', dahua, 'dahua', 'junction-lines.txt', 'UTCMS=250', 'UTCMS=900'],
    ['a group of Dahua, as data', dahua, 'dahua', 'junction-data.txt', '"UTCMS" : 250', '"UTCMS" : 900'],
    ['a message of Uniview', (text: string) => readsIn('uniview', text), 'uniview', 'structure.json', '', ''],
  ])('refines its reading in %s', async (_, parse, folder, fixture, time, later) => {
    const world = plateWorld();
    const text = cameraFixture(folder, fixture);
    expect(text).toContain(time);
    await handleAll(world, parse(text));
    await handleAll(world, parse(corrected(text).replace(time, later)));
    expect([world.store.reads.length, refinedTo(world).length]).toEqual([1, 1]);
  });

  it('is another vehicle where an object says that it is none', async () => {
    const world = plateWorld();
    const text = cameraFixture('onvif', 'license-plate.xml').replace('"15"', '"0"');
    await handleAll(world, onvif(text));
    await handleAll(world, onvif(corrected(text)));
    expect(world.store.reads).toHaveLength(2);
  });
});

describe('a name that UniFi gives a vehicle', () => {
  it('is no plate', () => {
    expect(readsIn('unifi', cameraFixture('mapping', 'unifi/known-without-value.json'))).toEqual([]);
    const unknown = readsIn('unifi', cameraFixture('mapping', 'unifi/unknown-by-group.json'));
    expect(unknown).toMatchObject([{ raw_plate: 'ZG4821AB', vendor_event_id: '65f0a0000002' }]);
  });
});

describe('Hikvision pictures that come with a second message', () => {
  const TYPE = 'multipart/form-data; boundary=MIME_boundary';
  const xmlOf = (hasMoreData: boolean) =>
    cameraFixture('hikvision', 'anpr-forward.xml').replace('<ANPR>', `<hasMoreData>${hasMoreData}</hasMoreData><ANPR>`);
  const push = (...parts: ReturnType<typeof part>[]) => readsIn('hikvision', multipartBody(parts, STRICT), TYPE);

  it.each([true, false])('are those of the vehicle, whether it is stored by then (%s)', async (isStored) => {
    const world = plateWorld();
    const { scene: full, plate } = await createVehiclePictures()('ZG4821AB', 'blue');
    if (!isStored) world.store.refuses = true;
    await handleAll(world, push(part('anpr.xml', 'application/xml', xmlOf(true))));
    world.store.refuses = false;
    const pictures = [
      part('licensePlatePicture.jpg', 'image/jpeg', plate),
      part('detectionPicture.jpg', 'image/jpeg', full),
    ];
    const second = push(part('anpr.xml', 'application/xml', xmlOf(false)), ...pictures);
    await handleAll(world, second);
    await handleAll(world, second);
    await world.reads.close();
    const announced = world.store.reads[0]?.record.reading.images ?? [];
    expect([world.store.reads.length, world.commander.commands.length]).toEqual([1, 1]);
    expect(announced.map(({ role }) => role).toSorted()).toEqual(['cropped', 'full']);
    const sent = world.store.images.map(({ uid, role }) => ({ uid, role }));
    expect(sent.toSorted((a, b) => a.role.localeCompare(b.role))).toEqual(
      announced.toSorted((a, b) => a.role.localeCompare(b.role)),
    );
  });

  it('are of one vehicle for a motorcycle, where the vehicle has no other type', () => {
    const xml = xmlOf(false)
      .replace(/<vehicleType>.*<\/vehicleType>/, '')
      .replace('<twoWheelVehicle>no<', '<twoWheelVehicle>yes<');
    expect(push(part('anpr.xml', 'application/xml', xml))).toMatchObject([{ type: 'motorcycle' }]);
  });
});

describe('a camera that opens by its own list', () => {
  it.each([
    ['dahua', 'dahua', 'tollgate.json', '"OpenStrobe": false', '"OpenStrobe": true', 'application/json'],
    ['zhenshi', 'zhenshi', 'plate.json', '"ctrltype": 0', '"ctrltype": 2', 'application/json'],
    [
      'hikvision',
      'hikvision',
      'anpr-forward.xml',
      '<line>1</line>',
      '<listType>white</listType><barrierGateCtrlType>0</barrierGateCtrlType>',
      'application/xml',
    ],
  ])('is known by what %s says', async (driver, folder, fixture, not, so, type) => {
    const world = plateWorld();
    const text = cameraFixture(folder, fixture);
    expect(text).toContain(not);
    await handleAll(world, readsIn(driver, text, type));
    expect(world.states.opensByItself('cam-in')).toBe(false);
    const later = text.replace(not, so).replaceAll('ZG4821AB', 'DU777AA').replace('5012', '5013');
    await handleAll(world, readsIn(driver, later.replace(/<UUID>.*<\/UUID>/, '<UUID>another</UUID>'), type));
    expect(world.states.opensByItself('cam-in')).toBe(true);
    await world.clock.advance(24 * 3_600_000);
    expect(world.states.opensByItself('cam-in')).toBe(false);
  });
});
