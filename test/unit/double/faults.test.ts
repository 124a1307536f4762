import { describe, expect, it } from 'vitest';
import { createFaults, faultRulesSchema } from '../../../scripts/sim/double/faults.js';

const rulesOf = (...rules: unknown[]) => faultRulesSchema.parse({ rules });

describe('faults on request', () => {
  it('happen once where nothing else is said, to the first request that fits', () => {
    const faults = createFaults();
    faults.set(rulesOf({ match: { method: 'POST', path: '/v2/products/*/state' }, fault: { kind: 'cut' } }));
    expect(faults.ofRequest('GET', '/v2/products/1/state')).toBeNull();
    expect(faults.ofRequest('POST', '/v2/products/1/settings')).toBeNull();
    expect(faults.ofRequest('POST', '/v2/products/1/state')).toEqual({ kind: 'cut' });
    expect(faults.ofRequest('POST', '/v2/products/1/state')).toBeNull();
    expect(faults.view()).toEqual([
      { match: { method: 'POST', path: '/v2/products/*/state' }, times: 0, fault: { kind: 'cut' }, happened: 1 },
    ]);
  });

  it('happen so often as said, in the order of the rules, and without end for null', () => {
    const faults = createFaults();
    faults.set(
      rulesOf(
        { times: 2, fault: { kind: 'answer', status: 503, retry_after_s: 1 } },
        { times: null, fault: { kind: 'delay', delay_ms: 5 } },
      ),
    );
    const kinds = [1, 2, 3, 4].map(() => faults.ofRequest('GET', '/healthz')?.kind);
    expect(kinds).toEqual(['answer', 'answer', 'delay', 'delay']);
    expect(faults.view().map(({ times, happened }) => [times, happened])).toEqual([
      [0, 2],
      [null, 2],
    ]);
  });

  it('are apart for connections and for requests', () => {
    const faults = createFaults();
    faults.set(rulesOf({ fault: { kind: 'close_realtime', code: 4429 } }));
    expect(faults.ofRequest('GET', '/v2/realtime')).toBeNull();
    expect(faults.ofConnection('/v2/realtime')).toBe(4429);
    expect(faults.ofConnection('/v2/realtime')).toBeNull();
  });

  it('take a path as text, in which only * is special', () => {
    const faults = createFaults();
    faults.set(rulesOf({ match: { path: '/v2/a.b' }, fault: { kind: 'cut' } }));
    expect(faults.ofRequest('GET', '/v2/axb')).toBeNull();
    expect(faults.ofRequest('GET', '/v2/a.b/c')).toBeNull();
    expect(faults.ofRequest('GET', '/v2/a.b')).toEqual({ kind: 'cut' });
  });
});
