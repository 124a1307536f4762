import { describe, expect, it } from 'vitest';
import { createFaults, faultsText } from '../../../agent/sensor/faults.js';

function notified() {
  const heard: (string | null)[] = [];
  const faults = createFaults({ onFault: (reason) => heard.push(reason) }, ['link', 'payload']);
  return { faults, last: () => heard.at(-1), heard };
}

describe('the faults of a parking gateway', () => {
  it('are told all, the worst first, in whatever order they came', () => {
    const { faults, last } = notified();
    faults.set('payload', 'A1 is cut', 'a');
    faults.set('payload', 'A2 is cut', 'b');
    faults.set('link', 'the broker is gone');
    expect(last()).toBe('the broker is gone; A1 is cut; A2 is cut');
    faults.set('payload', 'A1 is empty', 'a');
    faults.clear('link');
    expect(last()).toBe('A1 is empty; A2 is cut');
    faults.clear('payload', 'a');
    expect(last()).toBe('A2 is cut');
    faults.clear('payload', 'b');
    expect(last()).toBeNull();
  });

  it('are counted where they are many', () => {
    expect(faultsText(['1', '2', '3', '4', '5'])).toBe('1; 2; 3; 4; 5');
    expect(faultsText(['1', '2', '3', '4', '5', '6', '7'])).toBe('1; 2; 3; 4; 5; and 2 more');
    expect(faultsText([])).toBeNull();
  });

  it('are told no more after the end', () => {
    const { faults, heard } = notified();
    faults.close();
    faults.set('link', 'the broker is gone');
    expect(heard).toEqual([]);
  });
});
