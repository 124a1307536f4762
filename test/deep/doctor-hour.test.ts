/** A healthy car park of two gateways, for an hour with traffic: the doctor of neither has anything to say, whenever it is asked. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { orderGateway } from '../../agent/console/local-client.js';
import { type DoctorReport, doctorReportSchema } from '../../shared/doctor/report.js';
import { createWorld, type World } from '../world/world.js';

const MINUTE_MS = 60_000;
const MINUTES = 60;
/** The machine of the test is not the car park. */
const OF_THE_MACHINE = /^(?:disk|wear|power|heat|memory|clock\.(?:un|no_))/;

let world: World;
beforeAll(async () => {
  world = await createWorld({ driver: 'process', secondGateway: true, movesClock: true, barrierAutocloseS: 10 });
}, 120_000);
afterAll(() => world?.close());

async function doctorAt(url: string): Promise<DoctorReport> {
  const place = { httpHost: '127.0.0.1', httpPort: Number(new URL(url).port) };
  return doctorReportSchema.parse(await orderGateway(place, { path: '/doctor', body: {}, withinMs: 20_000 }));
}

it('raises no false alarm', { timeout: 570_000 }, async () => {
  const urls = [world.agentUrl, world.secondGateway?.url ?? ''];
  // A camera that has seen no vehicle since the gateway started is told as quiet: that asks for one.
  await world.arrive('ZG100AB');
  await world.leave('ZG100AB');
  const alarms: string[] = [];
  let asked = 0;
  for (let minute = 1; minute <= MINUTES; minute += 1) {
    await world.moveClock(MINUTE_MS);
    if (minute % 4 === 1) await world.arrive(`ZG${minute}AB`);
    if (minute % 4 === 3) await world.leave(`ZG${minute - 2}AB`);
    for (const [index, url] of urls.entries()) {
      const { findings } = await doctorAt(url);
      asked += 1;
      const bad = findings.filter(({ id, level }) => level !== 'ok' && !OF_THE_MACHINE.test(id));
      alarms.push(...bad.map(({ id, about }) => `${minute} min, gateway ${index + 1}: ${id} ${about ?? ''}`.trim()));
    }
  }
  process.stdout.write(`${asked} reports over ${MINUTES} minutes, ${alarms.length} alarms\n`);
  expect(alarms).toEqual([]);
});
