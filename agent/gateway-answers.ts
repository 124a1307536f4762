/** Answers the asks of the cloud, each by the part that answers the same to people on site. */
import { type Clock, sleep } from '../shared/clock.js';
import { errorText } from '../shared/error-text.js';
import type { CameraItem } from '../shared/gateway-config.js';
import { ASK_TEXT_MAX, ASKED_PLACES_MAX, FOUND_MAX, HOSTS_MAX, SETUP_STEPS_MAX } from '../shared/uplink-asks.js';
import { findNamed } from './access/find-named.js';
import { type Answerers, type CloudAsks, createCloudAsks } from './command/cloud-asks.js';
import type { GatewayDeps, Rooms } from './gateway-rooms.js';
import { decideDriver } from './lpr/discovery/decide-driver.js';
import { type CameraSetups, createCameraSetups } from './lpr/setup/camera-setups.js';
import { type CameraTests, createCameraTests } from './lpr/setup/camera-tests.js';
import { likelyPushHosts } from './lpr/setup/push-hosts.js';
import { hearProducts } from './product/hear-products.js';

/** Cameras answer within a second or two. */
const SEARCHED_MS = 5_000;
/** Products advertise several times in this time. */
const HEARD_MS = 6_000;
const HOSTS_WITHIN_MS = 5_000;
const RAW_MAX = 100;

/** The tools of installers for cameras, at the gateway and from afar. */
export interface CameraTools {
  tests: CameraTests;
  setups: CameraSetups;
}

export function createCameraTools(deps: GatewayDeps, { memory, reads, cameras, clockGuard }: Rooms): CameraTools {
  const { clock, cameraDrivers: drivers, cameraClient: client } = deps;
  const camera = (name: string) => findNamed(memory.rules.cameras(), name, 'camera');
  const { directory, httpPort } = deps.cameraSetup;
  const { isKnown: isClockKnown } = clockGuard;
  return {
    tests: createCameraTests({ camera, drivers, states: cameras.states, watch: reads.watch, clock }),
    setups: createCameraSetups({
      directory,
      httpPort,
      camera,
      drivers,
      client,
      clock,
      isClockKnown,
      onChanged: cameras.clocks.forget,
    }),
  };
}

export function createAsksRoom(deps: GatewayDeps, rooms: Rooms, tools: CameraTools): CloudAsks {
  const answerers = { ...searches(deps), ...cameraAnswers(deps, rooms, tools), ...signAnswers(deps, rooms) };
  const publish = rooms.uplink.publishReport;
  return createCloudAsks({
    answerers,
    logger: deps.logger,
    publish: (answer) => publish({ products: [], answer }),
  });
}

function searches({ findCameras, radio, clock }: GatewayDeps): Pick<Answerers, 'cameras' | 'products'> {
  return {
    async cameras() {
      const found = await findCameras(SEARCHED_MS);
      return {
        cameras: found.slice(0, FOUND_MAX).map(({ address, vendor, model, serial, mac, by, notes }) => {
          return { address, vendor, model, serial, mac, driver: decideDriver({ vendor, by }), notes };
        }),
      };
    },
    async products(_ask, signal) {
      const heard = await hearProducts({ radio, clock }, { forMs: HEARD_MS, signal });
      return { radio: radio.state, products: heard.slice(0, FOUND_MAX) };
    },
  };
}

function cameraAnswers(
  deps: GatewayDeps,
  { memory }: Rooms,
  { tests, setups }: CameraTools,
): Pick<Answerers, 'setup' | 'probe'> {
  const { cameraClient: client, ownAddresses } = deps;
  const { httpPort } = deps.cameraSetup;
  const { clock } = deps;
  const cameraOf = (id: number, signal: AbortSignal) =>
    known(memory.rules.cameras, { id, what: 'camera', clock, signal });
  return {
    async setup({ subject_id, mode, time_server: timeServer }, signal) {
      const camera = await cameraOf(subject_id, signal);
      const hide = hiding(camera);
      const { changes, byHand, isDone } = await setups[mode](camera.device_id, { timeServer }).catch(
        (error: unknown) => {
          throw new Error(hide(errorText(error)), { cause: error });
        },
      );
      return {
        mode,
        changes: changes.slice(0, SETUP_STEPS_MAX).map(hide),
        by_hand: byHand.slice(0, SETUP_STEPS_MAX).map(hide),
        is_done: isDone,
      };
    },
    async probe({ subject_id }, signal) {
      const camera = await cameraOf(subject_id, signal);
      const within = AbortSignal.any([signal, AbortSignal.timeout(HOSTS_WITHIN_MS)]);
      const [{ probe }, hosts] = await Promise.all([
        tests.probe(camera.device_id),
        likelyPushHosts(camera, { client, httpPort, ownAddresses }, within),
      ]);
      const problem = probe?.problem ?? null;
      return {
        is_there: probe?.isThere ?? null,
        problem: problem === null ? null : hiding(camera)(problem),
        hosts: hosts.slice(0, HOSTS_MAX),
      };
    },
  };
}

function signAnswers(
  { clock }: Pick<GatewayDeps, 'clock'>,
  { memory, displays, sensors }: Rooms,
): Pick<Answerers, 'display_test' | 'sensors'> {
  return {
    async display_test({ subject_id: id, text }, signal) {
      const { name } = await known(memory.rules.displays, { id, what: 'display', clock, signal });
      await displays.test(name, text);
      return { text };
    },
    async sensors({ subject_id: id }, signal) {
      const item = await known(memory.rules.sensors, { id, what: 'parking gateway', clock, signal });
      const view = sensors.list().find(({ name }) => name === item.name);
      if (view === undefined) throw new Error('it does not listen to this parking gateway yet');
      const ids = new Map(item.places.map((place) => [JSON.stringify([place.name, place.sensor]), place.id]));
      return {
        is_heard: view.status === 'online',
        fault: view.fault?.slice(0, ASK_TEXT_MAX) ?? null,
        places: view.places
          .slice(0, ASKED_PLACES_MAX)
          .flatMap(({ name, sensor, occupancy, raw, heard_ago_s, answers }) => {
            const parking_place_id = ids.get(JSON.stringify([name, sensor]));
            const heard_ago_ms = heard_ago_s === null ? null : heard_ago_s * 1_000;
            return parking_place_id === undefined
              ? []
              : [{ parking_place_id, state: occupancy, raw: raw?.slice(0, RAW_MAX) ?? null, heard_ago_ms, answers }];
          }),
      };
    },
  };
}

const KNOWN_WITHIN_MS = 5_000;
const LOOK_MS = 250;

/** Finds a thing of the configuration. One that was only just made may be on its way, so it is waited for. */
async function known<Item extends { id: number }>(
  items: () => Iterable<Item>,
  { id, what, clock, signal }: { id: number; what: string; clock: Clock; signal: AbortSignal },
): Promise<Item> {
  for (let waitedMs = 0; waitedMs < KNOWN_WITHIN_MS; waitedMs += LOOK_MS) {
    const item = [...items()].find((each) => each.id === id);
    if (item !== undefined) return item;
    await sleep(clock, LOOK_MS, signal);
  }
  throw new Error(`this gateway does not know the ${what} yet: ask again in some seconds`);
}

/** Cuts a text, and hides the secrets of a camera in it: the camera may answer with a part of its settings. */
function hiding({ password, push_key, address }: CameraItem): (text: string) => string {
  const inAddress = /\/\/([^/@]+)@/.exec(address)?.[1] ?? '';
  const secrets = [password, push_key, inAddress].filter((secret) => secret.length > SHORTEST_SECRET);
  return (text) =>
    secrets
      .flatMap((secret) => [secret, encodeURIComponent(secret)])
      .reduce((hidden, secret) => hidden.replaceAll(secret, 'KEY'), text)
      .slice(0, ASK_TEXT_MAX);
}

/** A text as short as this stands by chance in any sentence. */
const SHORTEST_SECRET = 3;
