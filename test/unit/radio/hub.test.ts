import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { encodeJoin } from '../../../agent/product/hci/hub-codec.js';
import type { HciTransport } from '../../../agent/product/hci/hci-transport.js';
import { openUnixHciTransport } from '../../../agent/product/hci/unix-hci-transport.js';
import { OPCODE, STATUS, u16 } from '../../../scripts/sim/radio/hci-codec.js';
import { type Hub, serveHub } from '../../../scripts/sim/radio/hub.js';
import { createVirtualRadio, type VirtualRadio } from '../../../scripts/sim/radio/virtual-radio.js';
import { failure, GATEWAY, PRODUCT, until } from './bench.js';
import { attachProduct, connectParameters } from './hci-host.js';

let folder: string;
let path: string;
let air: VirtualRadio;
let hub: Hub;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hub-'));
  path = join(folder, 'hub.sock');
  air = createVirtualRadio({ random: () => 0.5 });
  hub = await serveHub(air, path);
});
afterEach(async () => {
  await hub.close();
  air.close();
  rmSync(folder, { recursive: true });
});

function open(name = GATEWAY): Promise<HciTransport> {
  return openUnixHciTransport({ path, identity: { role: 'central', name } });
}

function command(opcode: number, ...parameters: number[]): Buffer {
  return Buffer.from([1, ...u16(opcode), parameters.length, ...parameters]);
}

function rawConnection(): { socket: Socket; closed: Promise<void> } {
  const socket = connect({ path });
  socket.resume();
  return { socket, closed: new Promise((resolve) => socket.once('close', () => resolve())) };
}

describe('hub of the emulated radio', () => {
  it('makes each connection a controller under its name', async () => {
    const gateway = await open();
    expect(air.attached()).toEqual([{ role: 'central', name: GATEWAY }]);
    const packets: string[] = [];
    gateway.onPacket((packet) => packets.push(packet.toString('hex')));
    gateway.write(command(OPCODE.setEventMask));
    gateway.write(command(OPCODE.leSetEventMask));
    await until(() => packets.length === 2);
    expect(packets).toEqual(['040e0401010c00', '040e0401012000']);
    gateway.close();
    await until(() => air.attached().length === 0);
  });

  it('tells a host of its power, before and after it joins', async () => {
    const gateway = await open();
    expect(gateway.up).toBe(true);
    air.setPower(GATEWAY, false);
    await until(() => !gateway.up);
    const again = await open();
    await gateway.closed;
    expect(again.up).toBe(false);
    air.setPower(GATEWAY, true);
    await until(() => again.up);
  });

  it('ends the links of a process that dies by the supervision timeout', async () => {
    const product = attachProduct(air, PRODUCT);
    const { socket } = rawConnection();
    socket.write(encodeJoin({ role: 'central', name: GATEWAY }));
    socket.write(command(OPCODE.leConnect, ...connectParameters(PRODUCT)));
    await until(() => air.links().length === 1);
    socket.destroy();
    await until(() => product.ended().length === 1);
    expect(product.ended()).toEqual([STATUS.connectionTimeout]);
  });

  it.each([
    ['does not begin with JOIN', Buffer.from('01030c00', 'hex')],
    ['joins as a product without a device_id', encodeJoin({ role: 'peripheral', name: 'barrier' })],
    ['speaks no H4', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
  ])('closes a connection that %s', async (_what, bytes) => {
    const { socket, closed } = rawConnection();
    socket.write(bytes);
    await closed;
    expect(air.attached()).toEqual([]);
  });

  it('takes off the air a host that does not read', async () => {
    const { socket } = rawConnection();
    socket.pause();
    socket.write(encodeJoin({ role: 'central', name: GATEWAY }));
    await until(() => air.attached().length === 1);
    const flood = Buffer.concat(Array.from({ length: 20_000 }, () => command(OPCODE.readLocalVersion)));
    const push = () => {
      if (!socket.destroyed && air.attached().length > 0) socket.write(flood, () => setImmediate(push));
    };
    socket.on('error', () => {});
    push();
    await until(() => air.attached().length === 0);
    socket.destroy();
  });

  it('replaces the socket of a dead hub, and says when it cannot listen', async () => {
    await hub.close();
    writeFileSync(path, '');
    hub = await serveHub(air, path);
    (await open()).close();
    expect(await failure(serveHub(air, join(folder, 'no-such-folder', 'hub.sock')))).toMatchObject({
      message: expect.stringContaining('cannot listen'),
    });
  });

  it('tells a host whose hub is not there, or goes away', async () => {
    const gateway = await open();
    await hub.close();
    await gateway.closed;
    expect(gateway.up).toBe(false);
    gateway.write(command(OPCODE.reset));
    expect(await failure(open())).toMatchObject({ message: expect.stringContaining('Is its hub running?') });
  });
});
