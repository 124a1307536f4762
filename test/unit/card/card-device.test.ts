import { describe, expect, it } from 'vitest';
import { type BlockDevice, cardDevices, chooseDevice, problemOf } from '../../../scripts/image/card-device.js';

const CARD: BlockDevice = {
  path: '/dev/sdb',
  type: 'disk',
  rm: true,
  hotplug: true,
  ro: false,
  size: 32e9,
  model: 'Card Reader ',
  tran: 'usb',
  mountpoints: [null],
};
const PARTITION: BlockDevice = { ...CARD, path: '/dev/sdb1', type: 'part', size: 64e6 };
const DISK: BlockDevice = { ...CARD, path: '/dev/sda', rm: false, hotplug: false, tran: 'sata' };
const LOOP: BlockDevice = { ...CARD, path: '/dev/loop7', type: 'loop', rm: false, hotplug: false, tran: null };
const IMAGE = 3e9;

describe('the device that is written', () => {
  it.each<[string, Partial<BlockDevice>, string]>([
    ['a part of a card', { type: 'part' }, 'name the whole device'],
    ['a mounted card', { children: [{ ...PARTITION, mountpoints: ['/media/card'] }] }, 'in use (/media/card)'],
    ['a card that is swapped to', { mountpoints: ['[SWAP]'] }, 'in use ([SWAP])'],
    ['a disk of this machine', { rm: false, hotplug: false, tran: 'nvme' }, 'not removable'],
    ['a reader without a card', { size: 0 }, 'has no card'],
    ['a card that is locked', { ro: true }, 'can only be read'],
    ['a card that is too small', { size: 2e9 }, 'has 2.0 GB, and the image needs 3.0 GB'],
  ])('is not %s', (_, changes, problem) => {
    expect(problemOf({ ...CARD, ...changes }, IMAGE)).toContain(problem);
    expect(cardDevices([{ ...CARD, ...changes }], IMAGE)).toEqual([]);
  });

  it('may be a card in a built-in reader, which is not called removable', () => {
    expect(problemOf({ ...CARD, rm: false, hotplug: false, tran: 'mmc' }, IMAGE)).toBeNull();
  });

  it('is the only card, or the one that is named', () => {
    expect(chooseDevice([DISK, CARD, LOOP], undefined, IMAGE)).toBe(CARD);
    expect(chooseDevice([DISK, CARD, LOOP], LOOP.path, IMAGE)).toBe(LOOP);
    expect(() => chooseDevice([DISK, LOOP], undefined, IMAGE)).toThrow('there is no card to write');
    expect(() => chooseDevice([CARD, { ...CARD, path: '/dev/sdc' }], undefined, IMAGE)).toThrow(
      'several devices (/dev/sdb, /dev/sdc): name one by --device',
    );
  });

  it('is refused by its name for what is wrong with it', () => {
    expect(() => chooseDevice([DISK], DISK.path, IMAGE)).toThrow('not removable');
    expect(() => chooseDevice([{ ...CARD, children: [PARTITION] }], PARTITION.path, IMAGE)).toThrow('whole device');
    expect(() => chooseDevice([CARD], '/dev/sdx', IMAGE)).toThrow('there is no device /dev/sdx');
  });
});
