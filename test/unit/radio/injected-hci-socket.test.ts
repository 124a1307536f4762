import Module, { createRequire } from 'node:module';
import { afterEach, describe, expect, it } from 'vitest';
import { withHciTransport } from '../../../agent/product/hci/injected-hci-socket.js';
import { createVirtualRadio } from '../../../scripts/sim/radio/virtual-radio.js';

const require = createRequire(import.meta.url);
const socketFile = createRequire(require.resolve('@abandonware/noble')).resolve('@abandonware/bluetooth-hci-socket');

function openTransport() {
  return createVirtualRadio({ random: Math.random }).openTransport({ role: 'central', name: 'gateway' });
}

describe('injected HCI socket', () => {
  afterEach(() => {
    delete require.cache[socketFile];
  });

  it('does not mix with the real one', () => {
    const real = new Module(socketFile);
    real.loaded = true;
    require.cache[socketFile] = real;
    expect(() => withHciTransport(openTransport(), () => 'loaded')).toThrow('needs a process of its own');
  });

  it('belongs to the transport it was built for, and to none outside', () => {
    const transport = openTransport();
    const [socket] = withHciTransport(transport, () => {
      const Socket = require(socketFile);
      return [new Socket()];
    });
    expect(socket.bindRaw(3)).toBe(3);
    expect(socket.isDevUp()).toBe(true);
    transport.close();
    expect(socket.isDevUp()).toBe(false);
    const Socket = require(socketFile);
    expect(() => new Socket().bindRaw()).toThrow('outside withHciTransport');
  });
});
