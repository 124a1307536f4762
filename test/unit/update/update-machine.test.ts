/** The machine of an update, on days that are made up: when it activates, how it ends, and what a kill at any moment does to it. */
import { describe, expect, it } from 'vitest';
import {
  activating,
  afterFetch,
  afterInstall,
  beginUpdate,
  chosen,
  FIRST_STATE,
  type InstalledSoftware,
  isWorking,
  notActivated,
  offerFile,
  PROVE_WITHIN_MS,
  proven,
  QUIET_PROOF_MS,
  type Seen,
  stepUpdate,
  type UpdateState,
} from '../../../agent/update/update-machine.js';
import { isUpdateHour } from '../../../agent/update/decide-update-hour.js';
import type { WantedRelease, WantedUpdates } from '../../../shared/releases.js';
import { array, assert, boolean, constantFrom, integer, property, record } from '../../property.js';

const MACHINE = 'parking-gateway-arm64';
const OLD: InstalledSoftware = { machine: MACHINE, slot: 'A', version: '1.0.0', other: null };
const NEW: InstalledSoftware = { machine: MACHINE, slot: 'B', version: '1.1.0', other: null };
const release = (change: Partial<WantedRelease> = {}): WantedRelease => ({
  machine: MACHINE,
  version: '1.1.0',
  sha256: 'a'.repeat(64),
  bytes: 100,
  url: 'https://cloud.example/x',
  security_floor: null,
  ...change,
});
const wants = (change: Partial<WantedUpdates> = {}, releases = [release()]): WantedUpdates => ({
  is_paused: false,
  hours: null,
  asked_ms: 0,
  releases,
  ...change,
});
const seen = (change: Partial<Seen> = {}): Seen => ({
  software: OLD,
  wanted: wants(),
  busy: null,
  streams: false,
  isHour: true,
  cloud: true,
  radio: true,
  store: true,
  isClockKnown: true,
  decisions: 0,
  startedForMs: 0,
  workingForMs: 0,
  failedForMs: Number.POSITIVE_INFINITY,
  ...change,
});
const DONE = { kind: 'done' } as const;
const failed = (error = 'the link broke') => ({ kind: 'failed', error }) as const;

/** Up to the moment at which it waits to be activated. */
function ready(from = FIRST_STATE, wanted = wants()): UpdateState {
  const begun = stepUpdate(from, seen({ wanted })).state;
  return afterInstall(afterFetch(begun, DONE), DONE);
}
const restarted = (before = { cloud: true, radio: true }) => beginUpdate(chosen(activating(ready(), before)), NEW);

describe('what was taken back', () => {
  const file = { version: '1.0.0', sha256: 'f'.repeat(64), bytes: 1, path: '/media/stick/x.raucb' };
  const newest = wants({}, [release({ version: '1.2.0', sha256: '2'.repeat(64) })]);
  /** A person went back from 1.1.0 to 1.0.0, and it has shown that it works. */
  function goneBack(): UpdateState {
    const installed = afterInstall(afterFetch(offerFile(FIRST_STATE, file, '1.1.0'), DONE), DONE);
    const state = beginUpdate(chosen(activating(installed, { cloud: true, radio: true })), OLD);
    return proven(stepUpdate(state, seen({ decisions: 1 })).state);
  }

  it('stays so: look after look, over a restart, and whoever announces it', () => {
    let state = goneBack();
    for (let look = 0; look < 3; look += 1) {
      const step = stepUpdate(state, seen({ wanted: wants({}, [release({ sha256: String(look).repeat(64) })]) }));
      expect([step.act, step.state.phase]).toEqual([null, 'idle']);
      expect(step.waits_for).toMatch(/1\.1\.0 was taken back/);
      state = beginUpdate(step.state, OLD);
    }
  });
  it('ends with a newer one, or when a person asks', () => {
    expect(stepUpdate(goneBack(), seen({ wanted: newest })).act).toBe('fetch');
    expect(stepUpdate(goneBack(), seen({ wanted: wants({ asked_ms: 5 }) })).act).toBe('fetch');
    expect(offerFile(goneBack(), { ...file, version: '1.1.0' }, '1.0.0').held).toBeNull();
  });
  it('is also what the cloud wanted when a person brought something older', () => {
    const begun = stepUpdate(offerFile(FIRST_STATE, file), seen({ software: { ...OLD, version: '0.9.0' } })).state;
    const installed = afterInstall(afterFetch(begun, DONE), DONE);
    const state = beginUpdate(chosen(activating(installed, { cloud: true, radio: true })), OLD);
    const good = proven(stepUpdate(state, seen({ decisions: 1 })).state);
    expect(stepUpdate(good, seen()).act).toBeNull();
    expect(stepUpdate(good, seen({ wanted: newest })).act).toBe('fetch');
  });
  it('is seen where somebody chose the other slot by hand, or it did not start any more, which is said', () => {
    const byHand = beginUpdate(FIRST_STATE, { ...OLD, other: { version: '1.1.0', is_bad: false } });
    expect([byHand.phase, byHand.error, stepUpdate(byHand, seen()).act]).toEqual(['idle', null, null]);
    const software = { ...OLD, other: { version: '1.1.0', is_bad: true } };
    let state = FIRST_STATE;
    for (let start = 0; start < 3; start += 1) {
      state = stepUpdate(beginUpdate(state, software), seen({ software })).state;
      expect(state).toMatchObject({
        phase: 'fallen_back',
        error: '1.1.0 did not start any more; 1.0.0 runs again',
      });
    }
    expect(stepUpdate(state, seen({ software, wanted: newest })).act).toBe('fetch');
    expect(stepUpdate(state, seen({ software, wanted: wants({ asked_ms: 5 }) })).act).toBe('fetch');
    const older = { ...OLD, other: { version: '0.9.0', is_bad: true } };
    expect(beginUpdate(FIRST_STATE, older)).toEqual(FIRST_STATE);
  });
});

describe('a release that is wanted', () => {
  it('is fetched, installed, activated at a quiet moment, and good once it has shown that it works', () => {
    let step = stepUpdate(FIRST_STATE, seen());
    expect([step.state.phase, step.act]).toEqual(['fetching', 'fetch']);
    step = stepUpdate(afterFetch(step.state, DONE), seen());
    expect([step.state.phase, step.act]).toEqual(['installing', 'install']);
    step = stepUpdate(afterInstall(step.state, DONE), seen({ busy: 'Barrier 1, which moves' }));
    expect([step.state.phase, step.act, step.waits_for]).toEqual(['ready', null, 'Barrier 1, which moves']);
    step = stepUpdate(step.state, seen({ isHour: false }));
    expect([step.act, step.waits_for]).toEqual([null, "the lot's hours for updates"]);
    expect(stepUpdate(step.state, seen()).act).toBe('activate');
    const proving = restarted();
    expect(
      stepUpdate(proving, seen({ software: NEW, cloud: false, decisions: 3, workingForMs: QUIET_PROOF_MS })),
    ).toMatchObject({ act: null, waits_for: 'the cloud is not reached' });
    expect(stepUpdate(proving, seen({ software: NEW, workingForMs: QUIET_PROOF_MS - 1 })).act).toBeNull();
    expect(stepUpdate(proving, seen({ software: NEW, workingForMs: QUIET_PROOF_MS })).act).toBe('mark_good');
    expect(stepUpdate(proving, seen({ software: NEW, decisions: 1 })).act).toBe('mark_good');
    expect(proven(proving)).toMatchObject({ phase: 'idle', release: null });
    // The same release is not installed again.
    expect(stepUpdate(proven(proving), seen({ software: NEW }))).toMatchObject({ state: { phase: 'idle' }, act: null });
  });

  it.each([
    ['for another device', wants({}, [release({ machine: 'parking-gateway-amd64' })])],
    ['older than what runs', wants({}, [release({ version: '0.9' })])],
    ['what runs already', wants({}, [release({ version: '1.0' })])],
    ['paused', wants({ is_paused: true })],
    ['none', undefined],
  ])('is left alone when it is %s', (_what, wanted) => {
    expect(stepUpdate(FIRST_STATE, seen({ wanted }))).toEqual({ state: FIRST_STATE, act: null, waits_for: null });
  });

  it('is given up for a newer one, and for none when it is withdrawn, until it is being installed', () => {
    const fetching = stepUpdate(FIRST_STATE, seen()).state;
    const newer = wants({}, [release({ version: '1.2.0', sha256: 'b'.repeat(64) })]);
    expect(stepUpdate(fetching, seen({ wanted: newer })).state.release?.version).toBe('1.2.0');
    expect(stepUpdate(ready(), seen({ wanted: newer })).state).toMatchObject({
      phase: 'fetching',
      release: { version: '1.2.0' },
    });
    expect(stepUpdate(afterFetch(fetching, DONE), seen({ wanted: newer })).state.release?.version).toBe('1.1.0');
    expect(stepUpdate(fetching, seen({ wanted: wants({}, []) })).state.phase).toBe('idle');
  });

  it('waits while it is paused, and for the time', () => {
    expect(stepUpdate(ready(), seen({ wanted: wants({ is_paused: true }) }))).toMatchObject({
      act: null,
      waits_for: 'updates of this gateway are paused',
    });
    expect(stepUpdate(FIRST_STATE, seen({ isClockKnown: false }))).toMatchObject({
      act: null,
      waits_for: 'the time, which this device does not know yet',
    });
  });

  it('goes on at once, but never beside a vehicle, when somebody asks', () => {
    const wanted = wants({ asked_ms: 5 });
    expect(stepUpdate(ready(), seen({ wanted, isHour: false })).act).toBe('activate');
    expect(stepUpdate(ready(), seen({ wanted, isHour: false, busy: 'a vehicle that was just seen' })).act).toBeNull();
  });
});

describe('a step that fails', () => {
  it('is tried again at growing intervals, and for ever where the network is at fault', () => {
    let state = stepUpdate(FIRST_STATE, seen()).state;
    for (let tries = 1; tries < 20; tries += 1) {
      state = afterFetch(state, failed());
      expect(state).toMatchObject({ phase: 'fetching', tries, error: 'the link broke' });
      expect(stepUpdate(state, seen({ failedForMs: 59_000 })).act).toBeNull();
      expect(stepUpdate(state, seen({ failedForMs: 3_600_000 })).act).toBe('fetch');
    }
  });

  it('ends it when the file is refused, is wrong twice, or cannot be installed three times; then only a person starts it again', () => {
    const fetching = stepUpdate(FIRST_STATE, seen()).state;
    const wrong = afterFetch(fetching, { kind: 'wrong_file', error: 'not the one' });
    expect(wrong.phase).toBe('fetching');
    const installing = afterFetch(fetching, DONE);
    const ends = [
      afterFetch(fetching, { kind: 'refused', error: 'signature verification failed' }),
      afterFetch(wrong, { kind: 'wrong_file', error: 'not the one' }),
      afterInstall(installing, { kind: 'refused', error: 'Compatible mismatch' }),
      afterInstall(afterInstall(afterInstall(installing, failed()), failed()), failed()),
    ];
    for (const end of ends) {
      expect(end).toMatchObject({ phase: 'failed', refused: ['a'.repeat(64)] });
      expect(stepUpdate(end, seen())).toMatchObject({ state: { phase: 'failed' }, act: null });
      expect(stepUpdate(end, seen({ wanted: wants({ asked_ms: 1 }) }))).toMatchObject({
        state: { phase: 'fetching', is_asked: true },
        act: 'fetch',
      });
    }
  });
});

it('goes on after a minute when a part of the file came before the link broke', () => {
  let state = stepUpdate(FIRST_STATE, seen()).state;
  for (let cut = 0; cut < 9; cut += 1) state = afterFetch(state, { ...failed(), isFurther: true });
  expect(stepUpdate(state, seen({ failedForMs: 60_000 })).act).toBe('fetch');
});

it('is installed from its address where that works, and brought whole where the link breaks again and again', () => {
  const eyes = seen({ streams: true });
  let state = stepUpdate(FIRST_STATE, eyes).state;
  expect(state).toMatchObject({ phase: 'fetching', is_whole: false });
  state = afterFetch(state, DONE);
  expect(afterInstall(state, DONE)).toMatchObject({ phase: 'ready', is_whole: false });
  for (let tries = 0; tries < 2; tries += 1) state = afterInstall(state, failed());
  expect(stepUpdate(state, eyes)).toMatchObject({ act: 'install', state: { is_whole: false } });
  state = afterInstall(state, failed());
  expect(stepUpdate(state, eyes)).toMatchObject({
    act: 'fetch',
    state: { is_whole: true, release: { version: '1.1.0' } },
  });
  const refused = { kind: 'refused', error: 'signature verification failed' } as const;
  const asked = afterFetch(stepUpdate(FIRST_STATE, eyes).state, refused);
  expect(asked).toMatchObject({ phase: 'fetching', is_whole: true });
  expect(afterFetch(asked, refused).phase).toBe('failed');
});

describe('new software', () => {
  it('goes when it does not show within half an hour that it works, or its program ends again and again', () => {
    const late = stepUpdate(restarted(), seen({ software: NEW, cloud: false, startedForMs: PROVE_WITHIN_MS }));
    expect([late.act, late.state.error]).toEqual(['mark_bad', 'the cloud is not reached']);
    let state = restarted();
    for (let start = 0; start < 5; start += 1) state = beginUpdate(state, NEW);
    expect(stepUpdate(state, seen({ software: NEW }))).toMatchObject({
      act: 'mark_bad',
      state: { error: 'the program ended 5 times' },
    });
  });

  it('is not taken for good by what did not work before it', () => {
    const offline = restarted({ cloud: false, radio: false });
    expect(stepUpdate(offline, seen({ software: NEW, cloud: false, radio: false, decisions: 1 })).act).toBe(
      'mark_good',
    );
    expect(stepUpdate(offline, seen({ software: NEW, store: false, decisions: 1 })).act).toBeNull();
    expect(isWorking(offline, { cloud: false, radio: false, store: true })).toBe(true);
  });

  it('is not tried again once it fell back, and says why', () => {
    const back = beginUpdate({ ...restarted(), error: 'the cloud is not reached' }, OLD);
    expect(back).toMatchObject({
      phase: 'fallen_back',
      error: 'the cloud is not reached; 1.0.0 runs again',
      refused: ['a'.repeat(64)],
    });
    expect(stepUpdate(back, seen()).act).toBeNull();
    const neverCame = beginUpdate(chosen(activating(ready(), { cloud: true, radio: true })), OLD);
    expect(neverCame).toMatchObject({
      phase: 'fallen_back',
      error: 'it did not start, or did not come to work; 1.0.0 runs again',
    });
  });

  it('raises the floor, below which nothing is installed, by cloud or by hand', () => {
    const state = proven({ ...restarted(), release: { ...(restarted().release ?? fail()), security_floor: '1.0.5' } });
    expect(state.floor).toBe('1.0.5');
    expect(
      stepUpdate(state, seen({ software: OLD, wanted: wants({}, [release({ version: '1.0.4' })]) })).act,
    ).toBeNull();
    expect(() => offerFile(state, { version: '1.0.4', sha256: 'c', bytes: 1, path: '/x' })).toThrow(
      /1\.0\.4 is older than 1\.0\.5/,
    );
    expect(offerFile(state, { version: '1.0.5', sha256: 'c', bytes: 1, path: '/x' }).phase).toBe('fetching');
  });
});

describe('a file that a person brings', () => {
  const file = { version: '0.9', sha256: 'f'.repeat(64), bytes: 10, path: '/media/stick/old.raucb' };
  it('goes before what the cloud wants, may be older, and does not wait for hours', () => {
    const state = offerFile(stepUpdate(FIRST_STATE, seen()).state, file);
    expect(stepUpdate(state, seen())).toMatchObject({ state: { release: { version: '0.9' } }, act: 'fetch' });
    const installed = afterInstall(afterFetch(state, DONE), DONE);
    expect(stepUpdate(installed, seen({ isHour: false, wanted: wants({ is_paused: true }) })).act).toBe('activate');
  });
  it('waits for the end of an update that cannot be stopped', () => {
    expect(() => offerFile(restarted(), file)).toThrow(/1\.1\.0 is under way \(proving\)/);
  });
  it('is given up when the stick is gone', () => {
    let state = offerFile(FIRST_STATE, file);
    for (let tries = 0; tries < 3; tries += 1) state = afterFetch(state, failed('no such file'));
    expect(state).toMatchObject({ phase: 'failed', error: 'no such file' });
  });
});

it('knows the hours of a lot, also over midnight and in its time zone', () => {
  const at = (time: string) => Date.parse(`2026-07-01T${time}:00Z`);
  const night = { from: 23 * 60, to: 4 * 60 };
  expect(isUpdateHour(null, 'UTC', at('12:00'))).toBe(true);
  expect(['22:59', '23:00', '03:59', '04:00'].map((time) => isUpdateHour(night, 'UTC', at(time)))).toEqual([
    false,
    true,
    true,
    false,
  ]);
  // Two hours ahead in summer.
  expect(['20:59', '21:00', '01:59', '02:00'].map((time) => isUpdateHour(night, 'Europe/Zagreb', at(time)))).toEqual([
    false,
    true,
    true,
    false,
  ]);
  expect(isUpdateHour({ from: 120, to: 300 }, 'UTC', at('05:00'))).toBe(false);
});

/** A device with two slots, and a machine that is killed and restarted at every moment. */
class Device {
  running = OLD;
  other: InstalledSoftware | null = null;
  /** From the other slot at the next start, so many times. */
  tries = 0;
  state = FIRST_STATE;
  activations: { busy: boolean; isHour: boolean; isAsked: boolean }[] = [];
  ended = new Set<string>();

  /** The power goes: what is on disk remains. */
  powerCut(newStarts: boolean): void {
    if (this.other !== null && this.tries > 0 && newStarts)
      [this.running, this.other, this.tries] = [this.other, this.running, 0];
    else if (this.other !== null && this.running.version === NEW.version && !newStarts)
      [this.running, this.other] = [this.other, this.running];
    // A slot that does not start has used its tries up before the other one is taken.
    this.tries = 0;
    this.begin();
  }

  begin(): void {
    this.state = beginUpdate(this.state, this.running);
    this.note();
  }

  note(): void {
    if (this.state.phase === 'fallen_back' || this.state.phase === 'failed') this.ended.add(this.state.phase);
  }

  /** @param at at which of its steps it is killed; 0: at none */
  act(
    at: number,
    eye: { busy: boolean; isHour: boolean; works: boolean; fails: boolean; newStarts: boolean; time: number },
  ): void {
    const { busy, isHour, works, fails, newStarts, time } = eye;
    const look = seen({
      software: this.running,
      busy: busy ? 'a vehicle' : null,
      isHour,
      cloud: works,
      radio: works,
      store: works,
      startedForMs: time,
      workingForMs: works ? time : 0,
      decisions: 0,
    });
    const step = stepUpdate(this.state, look);
    if (at === 1) return this.powerCut(newStarts);
    this.state = step.state;
    switch (step.act) {
      case 'fetch':
        this.state = afterFetch(this.state, fails ? failed() : DONE);
        break;
      case 'install':
        if (!fails) this.other = NEW;
        if (at === 2) return this.powerCut(newStarts);
        this.state = afterInstall(this.state, fails ? failed() : DONE);
        break;
      case 'activate':
        this.activations.push({ busy, isHour, isAsked: this.state.is_asked });
        this.state = activating(this.state, { cloud: works, radio: works });
        if (at === 2) return this.powerCut(newStarts);
        this.tries = 3;
        if (at === 3) return this.powerCut(newStarts);
        this.state = chosen(this.state);
        if (at === 4) this.state = notActivated(this.state, null);
        else this.powerCut(newStarts);
        break;
      case 'mark_good':
        if (at === 2) return this.powerCut(newStarts);
        this.state = proven(this.state);
        this.ended.add('good');
        break;
      case 'mark_bad':
        if (this.other !== null) [this.running, this.other, this.tries] = [this.other, this.running, 0];
        this.begin();
        break;
      case null:
    }
    this.note();
  }
}

describe('whatever happens', () => {
  const eye = record({
    kill: constantFrom(0, 0, 0, 1, 2, 3, 4),
    busy: boolean(),
    isHour: boolean(),
    works: boolean(),
    fails: boolean(),
    newStarts: boolean(),
    time: integer({ min: 0, max: 2 * PROVE_WITHIN_MS }),
  });

  it('activates only while nothing moves, nobody waits, and the hours allow it; and ends in good or in what ran before', () => {
    assert(
      property(array(eye, { maxLength: 60 }), (days) => {
        const device = new Device();
        for (const { kill, ...day } of days) device.act(kill, day);
        expect(device.activations.filter(({ busy, isHour, isAsked }) => busy || !(isHour || isAsked))).toEqual([]);
        // From here on all is well, and time passes: whatever state the kills left comes to an end.
        for (let step = 0; step < 40; step += 1)
          device.act(0, {
            busy: false,
            isHour: true,
            works: true,
            fails: false,
            newStarts: true,
            time: PROVE_WITHIN_MS,
          });
        const { phase } = device.state;
        expect(['idle', 'failed', 'fallen_back']).toContain(phase);
        if (phase === 'idle') expect(device.running.version).toBe(NEW.version);
        else expect(device.running.version).toBe(OLD.version);
      }),
    );
  });
});

function fail(): never {
  throw new Error('there is no release');
}
