import { afterEach, describe, expect, it } from 'vitest';
import type { ProductDeviceId } from '../../../shared/ids.js';
import { silentLogger } from '../../../shared/logger.js';
import { readSiteFile } from '../../../cloud/doors/site-file/read-site-file.js';
import type { SimCamera } from '../../../scripts/sim/cameras/camera.js';
import type { SimProduct } from '../../../scripts/sim/products/sim-product.js';
import { createPlace } from '../../../scripts/sim/sensors/sim-place.js';
import { startTraffic, type Traffic } from '../../../scripts/sim/traffic/traffic.js';
import { type TrafficLot, trafficLotsOf } from '../../../scripts/sim/traffic/traffic-lots.js';
import { localTime } from '../../../scripts/sim/traffic/traffic-schedule.js';
import { FakeClock } from '../../world/fake-clock.js';
import { DAY_MS } from '../../../shared/durations.js';

const SITE = `
version: 1
accounts:
  - name: Harbour
    tariffs: [{ name: Public, currency: EUR, price: 1, step_minutes: 60 }]
    lots:
      - name: North
        timezone: Europe/Zagreb
        gateways: [{ name: Pi, claim_code: HARBOUR-0001 }]
        zones:
          - name: Level 0
            spot_count: 12
            products:
              - { device_id: a4c138000001, name: Entry barrier, type: barrier }
              - { device_id: a4c138000002, name: Exit gate, type: gate }
            lpr_cameras:
              - { device_id: cam-in, name: In, driver: hikvision, push_key: key-of-the-entry, timezone: Europe/Zagreb, lpr_position: in, product: a4c138000001, gateway: Pi }
              - { device_id: cam-out, name: Out, driver: hikvision, push_key: key-of-the-exit, timezone: Europe/Zagreb, lpr_position: out, product: a4c138000002, gateway: Pi }
    groups: [{ name: Residents, zones: [Level 0] }]
    members: [{ name: Mia, license_plate: ZG 1234-AB, groups: [Residents] }]
`;
const SEED = 20_26;

/** A barrier that a camera opens for whomever it is told to, and that closes by itself. */
function createBarrier(device_id: string, clock: FakeClock) {
  let [state, isJammed, changes] = ['closed', false, 0];
  const product = {
    view: () => ({ device_id, state }),
    change({ jammed }: { jammed?: boolean }) {
      changes += 1;
      isJammed = jammed ?? isJammed;
    },
  } as unknown as SimProduct;
  const open = () => {
    if (isJammed) return;
    state = 'opened';
    clock.setTimer(10_000, () => (state = 'closed'));
  };
  return { product, open, changes: () => changes, isJammed: () => isJammed };
}

describe('traffic', () => {
  const clock = new FakeClock();
  let traffic: Traffic | undefined;
  afterEach(() => traffic?.close());

  function start({
    admits = () => true,
    speed = 1,
    seed = SEED,
  }: {
    admits?: () => boolean;
    speed?: number;
    seed?: number;
  }) {
    const [lot] = trafficLotsOf(readSiteFile('site.yaml', SITE).site) as [TrafficLot];
    const reads: { camera: string; plate: string }[] = [];
    const barriers = {
      'cam-in': createBarrier('a4c138000001', clock),
      'cam-out': createBarrier('a4c138000002', clock),
    };
    const camera = (name: keyof typeof barriers) =>
      ({
        async read({ plate }: { plate: string }) {
          reads.push({ camera: name, plate });
          if (plate !== 'unknown' && admits()) barriers[name].open();
          return { outcome: 'answered', status: 200 };
        },
      }) as unknown as SimCamera;
    const places = Array.from({ length: 12 }, (_, index) =>
      createPlace(
        { name: `A${index}`, sensor: String(index), codec: null, occupied_below_mm: null, hysteresis_mm: null },
        { lot: 'North', name: 'Guidance' },
      ),
    );
    const from_ms = localTime(lot.timezone, { day: Math.floor(clock.now() / DAY_MS), hour: 6 });
    traffic = startTraffic(
      { lots: [lot], seed, speed, from_ms },
      {
        cameras: new Map([
          ['cam-in', camera('cam-in')],
          ['cam-out', camera('cam-out')],
        ]),
        products: new Map(
          Object.values(barriers).map(({ product }) => [product.view().device_id as ProductDeviceId, product]),
        ),
        places,
        clock,
        logger: silentLogger,
      },
    );
    return { traffic, reads, places, barriers };
  }
  const occupied = (places: ReturnType<typeof start>['places']) => places.filter((each) => each.view().occupied).length;

  it('plays a day: vehicles come, park, and leave; the same one for the same seed', { timeout: 60_000 }, async () => {
    const first = start({ speed: 20 });
    let most = 0;
    for (let step = 0; step < 24; step++) {
      await clock.advance(DAY_MS / 20 / 24);
      most = Math.max(most, occupied(first.places));
    }
    const { came, left, refused, inside } = first.traffic.view();
    process.stdout.write(
      `seed ${SEED}: ${came} came, ${left} left, ${refused} refused, at most ${most} places taken\n`,
    );
    expect(came).toBeGreaterThan(10);
    expect(left).toBeGreaterThan(5);
    // Those who slip out behind another are not read, and a few are on their way to a place.
    expect(Math.abs(came - left - inside)).toBeLessThanOrEqual(3);
    expect(most).toBeGreaterThan(2);
    expect(first.barriers['cam-in'].changes()).toBeGreaterThanOrEqual(2 * came);
    await first.traffic.close();
    const again = start({ speed: 20 });
    await clock.advance(DAY_MS / 20);
    expect(again.reads.slice(0, 20)).toEqual(first.reads.slice(0, 20));
  });

  it('keeps out whom no barrier opens for', async () => {
    const { traffic: playing, places } = start({ speed: 60, admits: () => false });
    await clock.advance(DAY_MS / 60 / 2);
    expect(playing.view()).toMatchObject({ came: 0, left: 0, inside: 0 });
    expect(playing.view().refused).toBeGreaterThan(5);
    expect(occupied(places)).toBe(0);
  });

  it('stands still at speed 0, and goes on from there', async () => {
    const { traffic: playing, reads } = start({ speed: 0 });
    const { time } = playing.view();
    await clock.advance(DAY_MS);
    expect(reads).toEqual([]);
    expect(playing.view().time).toBe(time);
    playing.setSpeed(20);
    await clock.advance(DAY_MS / 40);
    expect(reads.length).toBeGreaterThan(5);
  });

  it('lets those leave who were inside before', async () => {
    const { traffic: playing, reads, places } = start({ speed: 0 });
    playing.putInside([{ plate: 'ZG 1234-AB', place: 'A3' }, { plate: 'ST1', place: 'A3' }, { plate: 'ST1' }]);
    expect(playing.view().inside).toBe(2);
    expect(places[3]?.view().occupied).toBe(true);
    expect(occupied(places)).toBe(2);
    playing.setSpeed(20);
    await clock.advance(DAY_MS / 40);
    expect(reads.filter(({ camera }) => camera === 'cam-out').map(({ plate }) => plate)).toContain('ST1');
  });

  it('has a bounded queue at each camera, however fast it is', async () => {
    const { traffic: playing } = start({ speed: 60, admits: () => false });
    for (let step = 0; step < 48; step++) {
      await clock.advance(DAY_MS / 60 / 24);
      expect(playing.view().waiting).toBeLessThanOrEqual(16);
    }
  });

  it('needs an entry and an exit', () => {
    const { site } = readSiteFile('site.yaml', SITE.replace(/^.*cam-out.*$/m, ''));
    expect(() => trafficLotsOf(site)).toThrow('one at its entry and one at its exit');
  });
});
