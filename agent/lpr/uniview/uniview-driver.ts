import type { CameraDriver, CameraDriverDeps, CameraPush, ParsedPush, PushReader } from '../camera.js';
import { decodeText } from '../formats/charset-parser.js';
import { parseJson } from '../formats/document-parser.js';
import { partsOf } from '../formats/multipart-splitter.js';
import { fullAndPlate, isJpeg } from '../formats/picture-parser.js';
import { textAt, valueAt } from '../formats/path-parser.js';
import { hasPlate } from '../formats/plate-key-parser.js';
import { createCameraClient } from '../network/camera-client.js';
import { createHttpProbe } from '../network/http-probe.js';
import { parseUniviewVehicles } from './uniview-parser.js';
import { createUniviewClock, createUniviewSetup } from './uniview-setup.js';
import { createUniviewSubscriptions } from './uniview-subscription.js';

const DEVICE_INFO = { vendor: 'Uniview', path: '/LAPI/V1.0/System/DeviceInfo', proof: /"Response"\s*:/ };
const REFERENCE = /"Reference"\s{0,64}:\s{0,64}("(?:[^"\\]|\\.){0,512}")/g;
const REFERENCES_MAX = 4;
const NOTIFICATIONS = '/LAPI/V1.0/System/Event/Notification';

/** Driver: Uniview cameras. The gateway subscribes to their events, and they post these to a fixed path. */
export function createUniviewDriver(deps: CameraDriverDeps): CameraDriver {
  const client = createCameraClient(deps);
  const { clock, random, httpPort } = deps;
  const subscriptions = createUniviewSubscriptions({ client, clock, random, httpPort });
  return {
    push: univiewPush,
    probe: createHttpProbe(client, DEVICE_INFO),
    source: subscriptions.open,
    readClock: createUniviewClock(client),
    planSetup: createUniviewSetup(client),
    fixedPath: {
      prefix: NOTIFICATIONS,
      isOnly: true,
      isNamedIn: (beginning, among) =>
        referencesIn(beginning).some((reference) => subscriptions.cameraByReference(reference, among) !== null),
      camerasAt: subscriptions.camerasAt,
      cameraOf(push, among) {
        return subscriptions.cameraByReference(textAt(documentOf(push).tree, ['Reference']), among);
      },
    },
  };
}

/** Returns the `Reference` at the beginning of a push, and the empty one by which a camera without a name is known. */
function referencesIn(beginning: Uint8Array): string[] {
  const text = Buffer.from(beginning.buffer, beginning.byteOffset, beginning.byteLength).toString('latin1');
  const written = [...text.matchAll(REFERENCE)].slice(0, REFERENCES_MAX);
  return ['', ...written.map(([, quoted]) => textAt(parseJson(`{"Reference":${quoted}}`), ['Reference']))];
}

function documentOf({ contentType, body }: Pick<CameraPush, 'contentType' | 'body'>) {
  const parts = partsOf(body, contentType);
  const document = parts.find(({ content }) => !isJpeg(content))?.content;
  return { parts, tree: document === undefined ? undefined : parseJson(decodeText(document, contentType)) };
}

const univiewPush: PushReader = {
  accepted: { status: 200, contentType: 'application/json', body: '{"Response":{"ResponseCode":0}}' },
  parse({ contentType, body }: CameraPush): ParsedPush {
    if (body.length === 0) return { kind: 'heartbeat' };
    const { parts, tree } = documentOf({ contentType, body });
    if (tree === undefined) return { kind: 'malformed', reason: 'no JSON' };
    const vehicles = parseUniviewVehicles(tree);
    if (vehicles === null) {
      const isKnown = ['AlarmInfo', 'Reference', 'TimeStamp', 'Seq'].some((name) => valueAt(tree, name) !== undefined);
      if (hasPlate(tree)) return { kind: 'malformed', reason: 'a plate, but no VehicleInfoList' };
      return isKnown ? { kind: 'other', event: 'no vehicle' } : { kind: 'malformed', reason: 'no VehicleInfoList' };
    }
    const [read, ...more] = vehicles;
    if (read === undefined) return { kind: 'other', event: 'no plate' };
    const { full, plate } = fullAndPlate(parts.map(({ content }) => content).filter(isJpeg));
    read.pictures.full ??= full;
    read.pictures.plate ??= plate;
    return { kind: 'read', read, more };
  },
};
