import { describe, expect, it } from 'vitest';
import { createKnownAddresses } from '../../../agent/console/known-addresses.js';
import { FakeClock } from '../../world/fake-clock.js';
import { DAY_MS } from '../../../shared/durations.js';

describe('the addresses of cameras', () => {
  it('are those that the site names, as long as it does', () => {
    const known = createKnownAddresses({ clock: new FakeClock() });
    known.setCameras([
      { address: 'http://192.0.2.21:8000/x' },
      { address: 'https://[2001:db8::1]' },
      { address: 'http://camera.example' },
      { address: 'nowhere' },
    ]);
    for (const address of ['192.0.2.21', '::ffff:192.0.2.21', '2001:db8::2']) expect(known.isKnown(address)).toBe(true);
    for (const address of ['192.0.2.22', '2001:db8:1::1', '']) expect(known.isKnown(address)).toBe(false);
    known.setCameras([]);
    expect(known.isKnown('192.0.2.21')).toBe(false);
  });

  it('are those from which a push came, for a day', async () => {
    const clock = new FakeClock();
    const known = createKnownAddresses({ clock });
    known.note('198.51.100.7');
    await clock.advance(DAY_MS - 1);
    expect(known.isKnown('198.51.100.7')).toBe(true);
    await clock.advance(1);
    expect(known.isKnown('198.51.100.7')).toBe(false);
  });

  it('are no more than so many, and who pushes stays', () => {
    const known = createKnownAddresses({ clock: new FakeClock() });
    known.note('198.51.100.7');
    known.note('198.51.100.8');
    for (let at = 0; at < 1_000; at++) {
      known.note(`2001:db8:${at.toString(16)}::1`);
      known.note('198.51.100.7');
    }
    expect(known.isKnown('198.51.100.7')).toBe(true);
    expect(known.isKnown('198.51.100.8')).toBe(false);
    expect(known.isKnown('2001:db8:0::1')).toBe(false);
  });

  it.each(['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1'])('are this device’s own, too: %s', (address) => {
    expect(createKnownAddresses({ clock: new FakeClock() }).isKnown(address)).toBe(true);
  });
});
