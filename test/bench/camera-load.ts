/**
 * What cameras cost the gateway: 50 pushes a second of 300 KB with pictures on one core, a 20 megapixel picture beside a decision, and what it
 * takes to parse and decide a read without pictures.
 */
import { setTimeout as pause } from 'node:timers/promises';
import sharp from 'sharp';
import { createAccessRules } from '../../agent/access/access-rules.js';
import { createOpenSessions } from '../../agent/access/open-sessions.js';
import { createRecentReads } from '../../agent/access/recent-reads.js';
import { createCameraDrivers } from '../../agent/lpr/camera-drivers.js';
import { boundRead } from '../../agent/lpr/reads/bound-read.js';
import { decidePlate } from '../../agent/lpr/reads/decide-plate.js';
import { gatherFacts } from '../../agent/lpr/reads/read-facts.js';
import { decideAccess } from '../../shared/access/decide-access.js';
import { traceOf } from '../../shared/access/explain-access.js';
import { resolveDirection } from '../../shared/access/resolve-direction.js';
import type { CameraItem } from '../../shared/gateway-config.js';
import type { Uid } from '../../shared/ids.js';
import { normalisePlate } from '../../shared/plate/normalise-plate.js';
import { systemClock } from '../../shared/system-clock.js';
import type { VehiclePictures } from '../../scripts/sim/cameras/camera-vendor.js';
import { cameraDriverDeps } from '../world/camera-driver-deps.js';
import { amount, failingLogger, newFolder, median, printFigure, quantile, residentMb } from './harness.js';
import {
  commandIssued,
  drawnPictures,
  KNOWN_PLATES,
  keptConnections,
  knownPlate,
  post,
  pushOf,
  scatteredPlate,
  startPlateAgent,
} from './plates.js';

const PUSHES_PER_S = 50;
const SECONDS = 45;
const WIDE_CAMERAS = 5;
const BLOCKS = 30;
const READS_PER_BLOCK = 100;

/** Runs the benchmark. */
export async function benchCameraLoad(): Promise<void> {
  const drawn = await drawnPictures();
  await benchParseAndDecide(drawn);
  await benchMemory({ ...drawn, scene: await noise(1_280, 960) });
  await benchLargePicture({ small: drawn, large: { ...drawn, scene: await noise(5_472, 3_648) } });
}

/** A picture that does not compress well, as of a lane in the rain. */
function noise(width: number, height: number): Promise<Buffer> {
  const background = { type: 'gaussian', mean: 128, sigma: 16 } as const;
  return sharp({ create: { width, height, channels: 3, background: '#888', noise: background } })
    .jpeg({ quality: width > 2_000 ? 60 : 84 })
    .toBuffer();
}

async function benchMemory(pictures: VehiclePictures): Promise<void> {
  const gateway = await startPlateAgent([newFolder(), 'apart'], { core: 0 });
  const { port } = gateway.started;
  const agent = keptConnections(WIDE_CAMERAS);
  const answers: number[] = [];
  const memory: number[] = [];
  let refused = 0;
  const bytes = pushOf('ZG1', pictures).body.length;
  const beganMs = performance.now();
  const pushes: Promise<void>[] = [];
  for (let number = 0; number < PUSHES_PER_S * SECONDS; number++) {
    await pause(Math.max(0, beganMs + (number * 1_000) / PUSHES_PER_S - performance.now()));
    const device_id = `wide-${number % WIDE_CAMERAS}`;
    const sentMs = performance.now();
    const push = pushOf(knownPlate(number % KNOWN_PLATES), pictures, device_id);
    pushes.push(
      post({ agent, port, push, device_id }).then((status) => {
        if (status === 200) answers.push(performance.now() - sentMs);
        else refused += 1;
      }),
    );
    if (number % PUSHES_PER_S === 0) memory.push(residentMb(gateway.pid));
  }
  await Promise.all(pushes);
  agent.destroy();
  await gateway.end();
  const third = Math.floor(memory.length / 3);
  const most = (samples: number[]) => Math.max(...samples);
  const [middle, end] = [most(memory.slice(third, 2 * third)), most(memory.slice(2 * third))];
  printFigure(
    `${PUSHES_PER_S} pushes a second of ${Math.round(bytes / 1_000)} KB for ${SECONDS} s on one core, memory of the last third`,
    amount(end, '{} MB'),
    amount(middle, 'the third before {} MB'),
    1.1,
  );
  const took = (share: number) => `${quantile(answers, share).toFixed(1)} ms`;
  console.log(
    `the same, pushes that were answered: ${answers.length} of ${pushes.length}, ${refused} refused, p50 ${took(0.5)}, p99 ${took(0.99)} against none`,
  );
}

/** Reads are measured in blocks, every other one while a large picture of another camera is received and made small. */
async function benchLargePicture({ small, large }: Record<'small' | 'large', VehiclePictures>): Promise<void> {
  const gateway = await startPlateAgent([newFolder(), 'apart']);
  const [agent, { port }] = [keptConnections(2), gateway.started];
  const alone: number[] = [];
  const beside: number[] = [];
  for (let block = -2; block < 2 * BLOCKS; block++) {
    const isBeside = block % 2 !== 0;
    const device_id = 'wide-0';
    const push = pushOf(knownPlate(40_000 + block), large, device_id);
    const pushed = isBeside ? post({ agent, port, push, device_id }) : null;
    for (let read = 0; read < READS_PER_BLOCK; read++) {
      const smallPush = pushOf(knownPlate((block + 2) * READS_PER_BLOCK + read), small);
      const issuedMs = await commandIssued(gateway, { agent, push: smallPush });
      if (block >= 0) (isBeside ? beside : alone).push(issuedMs);
    }
    await pushed;
  }
  agent.destroy();
  await gateway.end();
  for (const [name, share, reach] of [
    ['p50', 0.5, null],
    ['p99', 0.99, 1.2],
  ] as const) {
    printFigure(
      `plate push received to product command issued beside a 20 megapixel picture of ${(large.scene.length / 1e6).toFixed(1)} MB, ${name}`,
      amount(quantile(beside, share), '{} ms', 2),
      amount(quantile(alone, share), 'without {} ms', 2),
      reach,
    );
  }
}

/** In this process, with 50,000 known plates, from the bytes of a push without pictures to the decision with its trace. */
async function benchParseAndDecide(pictures: VehiclePictures): Promise<void> {
  const reader = createCameraDrivers(cameraDriverDeps(systemClock)).get('hikvision')?.push;
  if (reader === undefined || reader === null) throw new Error('there is no such driver');
  const camera: CameraItem = {
    id: 1,
    device_id: 'cam',
    name: 'Camera',
    driver: 'hikvision',
    address: '',
    username: '',
    password: '',
    push_key: 'key',
    push_without_key: false,
    timezone: 'Europe/Zagreb',
    zone_id: 1,
    lpr_position: 'in',
    plate_side: 'front',
    debounce_time: 15,
    direction_source: 'reported',
    min_confidence: 0,
    product_device_id: null,
  };
  const plates = Array.from({ length: KNOWN_PLATES }, (_, at) => [knownPlate(at), { zone_ids: [1], product_ids: [] }]);
  const sessions = createOpenSessions();
  const config = [{ section: 'plates' as const, revision: '', items: Object.fromEntries(plates) }];
  const rules = createAccessRules({ boot: { config, sessions: [] }, sessions, logger: failingLogger });
  const memory = {
    rules,
    sessions,
    recent: createRecentReads([], new Set(), () => null),
    sensors: { occupied: () => null, hasHeard: () => false },
  };
  const nothing = Buffer.alloc(0);
  const bare = { ...pictures, scene: nothing, plate: nothing };
  const accepted: number[] = [];
  for (let run = 0; run < 5_500; run++) {
    const { body, contentType } = pushOf(scatteredPlate(run), bare);
    const beganMs = performance.now();
    const parsed = reader.parse({ body, contentType, camera });
    if (parsed.kind !== 'read') throw new Error(`a push was taken for ${parsed.kind}`);
    const read = boundRead(parsed.read);
    const plate = normalisePlate(decidePlate(read, { min_confidence: 0, isKnown: () => false })?.plate ?? '');
    const direction = resolveDirection(read.movement, camera);
    const now = Date.now();
    const known = {
      camera,
      product: undefined,
      plate,
      direction,
      by_position: false,
      time: { event_ms: now, age_ms: 0 },
    };
    const times = { retransmission: false, received_ms: now, received_mono_ms: run * 20 };
    const { facts } = gatherFacts({ ...known, ...times, new_session_uid: '' as Uid, offline: false }, memory);
    const decision = decideAccess(facts);
    traceOf(facts, { rule: decision.rule, plate });
    if (decision.access_decision !== 'triggered') throw new Error('a known plate was not let in');
    if (run >= 500) accepted.push(performance.now() - beganMs);
    await pause(0);
  }
  printFigure(
    'parse and decide without pictures, 50,000 known plates, median',
    amount(median(accepted), `{} ms (p99 ${quantile(accepted, 0.99).toFixed(3)} ms)`, 3),
    amount(1, '{} ms'),
    1,
  );
}
