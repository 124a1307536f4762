/**
 * The gateway of the plate benchmark, in its own process: the real one with its real listener, parser, decision and store, and a
 * radio that sends its parent the moment at which it is asked to connect.
 */
import * as nodeCrypto from 'node:crypto';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { openIdentity } from '../../agent/commissioning/identity.js';
import { startLocalServer } from '../../agent/console/local-server.js';
import { createGateway } from '../../agent/gateway.js';
import { createImages } from '../../agent/lpr/pictures/images.js';
import { createChildPictureMaker } from '../../agent/lpr/pictures/child-picture-maker.js';
import { createSharpPictureMaker } from '../../agent/lpr/pictures/sharp-picture-maker.js';
import type { Advertisement, Radio, RadioLink } from '../../agent/product/radio.js';
import { revisionOf } from '../../shared/config-revision.js';
import type { ConfigMessage, ConfigSection } from '../../shared/gateway-config.js';
import { type ProductDeviceId, productDeviceIdSchema } from '../../shared/ids.js';
import { encodeAdvertisement } from '../../shared/product-protocol/advertisement-codec.js';
import { encodeBase64url } from '../../shared/product-protocol/base64url.js';
import { splitMessage } from '../../shared/product-protocol/fragment-codec.js';
import { deriveProductKeys } from '../../shared/product-protocol/keys.js';
import { encodeRefuse } from '../../shared/product-protocol/message-codec.js';
import { verifierOf } from '../../shared/node/console-password.js';
import { createProtocolCrypto } from '../../shared/product-protocol/protocol-crypto.js';
import { mintCredential, NO_EXPIRY_S, type TokenOp } from '../../shared/product-protocol/token-codec.js';
import { createRandomPool } from '../../shared/random-pool.js';
import { systemClock } from '../../shared/system-clock.js';
import { failingLogger, serveParent } from './harness.js';
import { KNOWN_PLATES, knownPlate, monotonicMs } from './plates.js';
import { gatewayDeps } from '../world/gateway-deps.js';

const DEVICE_ID: ProductDeviceId = productDeviceIdSchema.parse('a4c138000001');
const MTU = 185;
const STANDALONE_CAMERAS = 5;
const crypto = createProtocolCrypto(nodeCrypto);
const keys = deriveProductKeys(crypto, { masterKey: new Uint8Array(32).fill(7), deviceId: DEVICE_ID, pairingEpoch: 1 });

/** Products answer with an unauthenticated "not initialised": the command ends at once and is not tried again. */
function refusingLink(): RadioLink {
  let notify: (fragment: Uint8Array) => void = () => {};
  const [refusal = new Uint8Array()] = splitMessage(encodeRefuse({ type: 8, rtcS: 0 }), MTU);
  return {
    mtu: MTU,
    closed: new Promise(() => {}),
    write: async () => void setImmediate(() => notify(refusal)),
    onNotification(listener) {
      notify = listener;
      return () => {};
    },
    close: () => Promise.resolve(),
  };
}

function createReportingRadio(): Radio & { hear(advertisement: Advertisement): void } {
  let hear: (advertisement: Advertisement) => void = () => {};
  return {
    state: 'on',
    onStateChange: () => () => {},
    onAdvertisement(listener) {
      hear = listener;
      return () => {};
    },
    onSlotWanted: () => () => {},
    onBeacon: () => () => {},
    wantBeacons() {},
    connect() {
      process.send?.({ issuedMs: monotonicMs() });
      return Promise.resolve(refusingLink());
    },
    close: () => Promise.resolve(),
    hear: (advertisement) => hear(advertisement),
  };
}

function snapshot(section: ConfigSection, items: Record<string, unknown>): ConfigMessage {
  return { section, base: null, revision: revisionOf(Object.entries(items)), upsert: items, remove: [], applied: null };
}

async function gatewaySection(): Promise<ConfigMessage> {
  const of = { gateway_id: 1, name: 'Gateway', lot_id: 1, lot_name: 'Lot', timezone: 'UTC' };
  const rules = { offline_exit: 'open', autonomy_days: 31, other_gateways_count: 0 };
  const console_password = await verifierOf(randomUUID());
  return snapshot('gateway', { self: { ...of, ...rules, console_password } });
}

function configuration(): ConfigMessage[] {
  const mint = (op: TokenOp) =>
    mintCredential(crypto, keys, { op, slot: 1, gen: 0, id: 1, notBeforeS: 0, expiresS: NO_EXPIRY_S });
  const pairing = {
    epoch: 1,
    advertisement_key: encodeBase64url(keys.adv),
    token_open: mint('open'),
    token_close: mint('close'),
    token_status: mint('status'),
    expires_ms: Date.now() + 86_400_000,
  };
  const camera = {
    id: 1,
    device_id: 'cam',
    name: 'Camera',
    driver: 'hikvision',
    address: '',
    username: '',
    password: '',
    push_key: 'key',
    timezone: 'UTC',
    zone_id: 1,
    lpr_position: 'in',
    plate_side: 'front',
    debounce_time: 15,
    direction_source: 'position',
    product_device_id: DEVICE_ID,
  };
  const plates = Array.from({ length: KNOWN_PLATES }, (_, index) => [
    knownPlate(index),
    { zone_ids: [1], product_ids: [] },
  ]);
  return [
    snapshot('products', {
      [DEVICE_ID]: { id: 1, device_id: DEVICE_ID, name: 'Barrier', type: 'barrier', zone_id: 1, pairing },
    }),
    snapshot('cameras', {
      cam: camera,
      // Cameras that open nothing, and send pictures.
      ...Object.fromEntries(
        Array.from({ length: STANDALONE_CAMERAS }, (_, at) => [
          `wide-${at}`,
          { ...camera, id: at + 2, device_id: `wide-${at}`, product_device_id: null },
        ]),
      ),
    }),
    snapshot('zones', { 1: { id: 1, name: 'Zone', spot_count: 0, has_tariff: false, occupancy_max_hours: 72 } }),
    snapshot('plates', Object.fromEntries(plates)),
  ];
}

const [dataDir = '.', pictures = 'here', console = 'off'] = process.argv.slice(2);
/** `console`: people can sign in at it. It belongs to a cloud that is not there. */
const isConsoleOpen = console === 'console';
const identity = openIdentity(join(dataDir, 'identity.json'));
const away = { url: 'http://127.0.0.1:9', mqtt: { url: 'mqtt://127.0.0.1:9', username: 'x', password: 'x', ca: null } };
/** `apart`: as the gateway does it that ships. */
const maker =
  pictures === 'apart'
    ? createChildPictureMaker({ clock: systemClock, logger: failingLogger })
    : createSharpPictureMaker();
const radio = createReportingRadio();
const gateway = await createGateway(
  await gatewayDeps(dataDir, {
    identity: isConsoleOpen ? { ...identity, cloud: away } : identity,
    initialConfig: [...configuration(), ...(isConsoleOpen ? [await gatewaySection()] : [])],
    radio,
    images: createImages({ maker, logger: failingLogger }),
    randomBytes: createRandomPool(nodeCrypto.randomBytes),
    logger: failingLogger,
  }),
);
const condition = {
  state: 'closed',
  carOnTop: false,
  autoClose: false,
  permanentPosition: 'disabled',
  errors: 0,
  battery: 90,
} as const;
radio.hear({
  address: DEVICE_ID,
  rssi: -60,
  manufacturerData: encodeAdvertisement(crypto, {
    advertisementKey: keys.adv,
    content: { ...condition, type: 'barrier', deviceId: DEVICE_ID, changeCounter: 1, pairingEpochLow: 1, advSeq: 1 },
  }),
});
const server = await startLocalServer({ app: gateway.app, host: '127.0.0.1', port: 0 });
serveParent({ port: server.port }, { end: () => server.close().then(() => gateway.close()) });
