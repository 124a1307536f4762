import { describe, expect, it } from 'vitest';
import { findNamed, NameError } from '../../../agent/access/find-named.js';

describe('a thing that a command names', () => {
  const [entry, exit] = [
    { device_id: 'cam-1', name: 'Entry camera' },
    { device_id: 'cam-2', name: 'Exit camera' },
  ];
  const things = [entry, exit];
  it.each(['Entry camera', 'entry CAMERA', ' Entry camera ', 'cam-1'])('is found by %j', (name) => {
    expect(findNamed(things, name, 'camera')).toBe(entry);
  });

  it('is found by its device id, also where another has that for its name', () => {
    expect(findNamed([{ device_id: 'cam-9', name: 'cam-1' }, entry], 'cam-1', 'camera')).toBe(entry);
  });

  it('is asked for by its device id where several have the name', () => {
    const twin = { device_id: 'cam-3', name: 'ENTRY CAMERA' };
    expect(() => findNamed([...things, twin], 'Entry camera', 'camera')).toThrow(
      new NameError('several are called Entry camera: name its device id, cam-1 or cam-3'),
    );
  });

  it('is not there: the answer says which are', () => {
    expect(() => findNamed(things, 'Gate', 'camera')).toThrow(
      'this gateway has no camera Gate: Entry camera, Exit camera',
    );
    expect(() => findNamed([], 'Gate', 'camera')).toThrow('it has none');
  });
});
