/**
 * The reference of what commands take, in its own process: noble as its documentation uses it, on the emulated radio. Asked with the
 * position of a product among those it was started with, it runs one cycle: connect, find the service, subscribe, send the messages of one
 * `open`, disconnect.
 */
import * as nodeCrypto from 'node:crypto';
import type { HciTransport } from '../../agent/product/hci/hci-transport.js';
import { openUnixHciTransport } from '../../agent/product/hci/unix-hci-transport.js';
import { buildNoble } from '../../agent/product/noble/noble-library.js';
import { PRODUCT_GATT } from '../../agent/product/noble/product-gatt.js';
import { type EventId, productDeviceIdSchema } from '../../shared/ids.js';
import { hexToBytes } from '../../shared/product-protocol/bytes.js';
import { CLIENT_IDLE, type ClientInput, nextClient } from '../../shared/product-protocol/client-machine.js';
import { NO_REASSEMBLY, receiveFragment, splitMessage } from '../../shared/product-protocol/fragment-codec.js';
import { deriveProductKeys } from '../../shared/product-protocol/keys.js';
import { createProtocolCrypto } from '../../shared/product-protocol/protocol-crypto.js';
import { type CredentialBytes, mintCredentialBytes, NO_EXPIRY_S } from '../../shared/product-protocol/token-codec.js';
import { serveParent } from './harness.js';

/** noble's public interface, as far as it is used here. */
interface Characteristic {
  subscribeAsync(): Promise<void>;
  writeAsync(data: Buffer, withoutResponse: boolean): Promise<void>;
  on(event: 'data', listener: (data: Buffer) => void): void;
  removeAllListeners(): void;
}
interface Peripheral {
  id: string;
  mtu: number | null;
  connectAsync(): Promise<void>;
  disconnectAsync(): Promise<void>;
  discoverSomeServicesAndCharacteristicsAsync(
    services: string[],
    characteristics: string[],
  ): Promise<{ characteristics: Characteristic[] }>;
}

const [radioPath = '', deviceIdTexts = '', masterKey = ''] = process.argv.slice(2);
const deviceIds = deviceIdTexts.split(',').map((text) => productDeviceIdSchema.parse(text));
const crypto = createProtocolCrypto(nodeCrypto);
const credentials = deviceIds.map((deviceId) => {
  const keys = deriveProductKeys(crypto, { masterKey: hexToBytes(masterKey), deviceId, pairingEpoch: 1 });
  const grant = { op: 'open', slot: 0, gen: 0, id: 1, notBeforeS: 0, expiresS: NO_EXPIRY_S } as const;
  return mintCredentialBytes(crypto, keys, grant);
});

/** HELLO, CHALLENGE, REQUEST, STATUS. */
function exchange(
  credential: CredentialBytes,
  { rx, tx, mtu }: { rx: Characteristic; tx: Characteristic; mtu: number },
): Promise<string> {
  return new Promise((resolve, reject) => {
    let state = CLIENT_IDLE;
    let reassembly = NO_REASSEMBLY;
    const step = (input: ClientInput) => {
      const next = nextClient(crypto, state, input);
      state = next.state;
      for (const effect of next.effects) {
        if (effect.type === 'finish')
          resolve(effect.outcome.kind === 'answered' ? effect.outcome.block.result.kind : effect.outcome.kind);
        if (effect.type === 'send') void send(effect.message).catch(reject);
      }
    };
    const send = async (message: Uint8Array) => {
      for (const fragment of splitMessage(message, mtu)) await rx.writeAsync(Buffer.from(fragment), false);
    };
    tx.on('data', (data) => {
      const received = receiveFragment(reassembly, data, performance.now());
      reassembly = received.reassembly;
      if (received.message !== null) step({ type: 'message', bytes: received.message });
    });
    step({
      type: 'started',
      exchange: {
        credential,
        command: { name: 'open' },
        eventId: nodeCrypto.randomBytes(4).toString('hex') as EventId,
        clientNonce: nodeCrypto.randomBytes(8),
      },
    });
  });
}

async function cycle(index: number): Promise<number> {
  const peripheral = peripherals.get(deviceIds[index] ?? '');
  const credential = credentials[index];
  if (peripheral === undefined || credential === undefined) throw new Error(`there is no product ${index}`);
  const startedMs = performance.now();
  await peripheral.connectAsync();
  const { service, rx: rxUuid, tx: txUuid } = PRODUCT_GATT;
  const found = await peripheral.discoverSomeServicesAndCharacteristicsAsync([service], [rxUuid, txUuid]);
  const [rx, tx] = found.characteristics;
  if (rx === undefined || tx === undefined) throw new Error('the product has no RX or no TX');
  await tx.subscribeAsync();
  const result = await exchange(credential, { rx, tx, mtu: peripheral.mtu ?? 23 });
  const tookMs = performance.now() - startedMs;
  if (result !== 'ok') throw new Error(`the product answered ${result}`);
  tx.removeAllListeners();
  await peripheral.disconnectAsync();
  return tookMs;
}

const transport: HciTransport = await openUnixHciTransport({
  path: radioPath,
  identity: { role: 'central', name: 'bare-noble' },
});
const { noble, start } = buildNoble({ transport, deviceId: undefined, isWanted: () => true });
const peripherals = new Map<string, Peripheral>();
await new Promise<void>((resolve) => {
  noble.on('stateChange', (state) => {
    if (state === 'poweredOn') noble.startScanning([], true);
  });
  noble.on('discover', (heard: Peripheral) => {
    peripherals.set(heard.id, heard);
    if (deviceIds.every((deviceId) => peripherals.has(deviceId))) resolve();
  });
  start();
});
noble.stopScanning();
serveParent('ready', { answer: cycle });
