/** When the program may be stopped: nothing moves, nothing is commanded, and nobody stands there. */
import { expect, it } from 'vitest';
import { createPassage } from '../../../agent/update/passage.js';
import type { ProductCommander, ProductPairer } from '../../../agent/product/product-commander.js';
import { deferred } from '../../../agent/waiting/deferred.js';
import type { ProductItem } from '../../../shared/gateway-config.js';
import type { EventId, ProductDeviceId } from '../../../shared/ids.js';
import type { ProductReport } from '../../../shared/uplink-reports.js';
import { FakeClock } from '../../world/fake-clock.js';

const GATE = 'a4c138f00417' as ProductDeviceId;
const item: ProductItem = { id: 1, device_id: GATE, name: 'Barrier 1', type: 'gate', zone_id: null, pairing: null };

it('says what stands in the way, until it does not any more', async () => {
  const clock = new FakeClock();
  const passage = createPassage(clock);
  const at = { isMoving: false, carOnTop: false, status: 'online' as 'online' | 'offline' };
  const report = () => ({ device_id: GATE, status: at.status, is_car_on_top: at.carOnTop }) as ProductReport;
  // As the gateway's own products are: an iterator, which is at its end once it was read.
  const busy = () =>
    passage.busy({ products: [item].values(), watch: { isMoving: () => at.isMoving, reports: () => [report()] } });
  expect(busy()).toBeNull();

  at.isMoving = true;
  expect(busy()).toBe('Barrier 1, which moves');
  at.isMoving = false;

  at.carOnTop = true;
  expect(busy()).toBe('the vehicle at Barrier 1');
  // What it said before it fell silent says nothing about now.
  at.status = 'offline';
  expect(busy()).toBeNull();
  at.carOnTop = false;

  const done = deferred<never>();
  const commander: ProductCommander & ProductPairer = { execute: () => done.promise, pair: () => done.promise };
  const order = {
    device_id: GATE,
    event_id: '00000001' as EventId,
    command: { name: 'open' },
    deadline_mono_ms: 1,
  } as const;
  const running = passage.counted(commander).execute(order);
  expect(busy()).toBe('a command at a product');
  done.reject(new Error('the link broke'));
  await expect(running).rejects.toThrow('the link broke');
  expect(busy()).toBeNull();

  passage.noteVehicle(false);
  expect([busy(), passage.decisions()]).toEqual(['a vehicle that was just seen', 0]);
  await clock.advance(5 * 60_000 - 1);
  passage.noteVehicle(true);
  expect([busy(), passage.decisions()]).toEqual(['a vehicle that was just seen', 1]);
  await clock.advance(5 * 60_000);
  expect(busy()).toBeNull();
});
