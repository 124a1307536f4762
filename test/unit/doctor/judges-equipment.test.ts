/** The judges of what a gateway operates and hears: every id that they can give is given once here. */
import { afterAll, describe, expect, it } from 'vitest';
import { areaOf } from '../../../shared/doctor/describe-finding.js';
import { FINDING_IDS, type Finding } from '../../../shared/doctor/findings.js';
import { type CameraFacts, decideCamera, decideMisdirected } from '../../../agent/doctor/decide-camera.js';
import {
  decideDisplay,
  decideDryRun,
  decideProduct,
  decideRadio,
  decideSensor,
} from '../../../agent/doctor/decide-equipment.js';
import type { ProbeAnswer, ProbeFault } from '../../../agent/lpr/camera.js';

const AREAS = new Set(['radio', 'product', 'camera', 'decision', 'sensor', 'display']);
/** Of a gateway without any such thing. */
const NONE = /\.none$/;

const given = new Set<string>();
const idsOf = (findings: Finding | readonly Finding[]): string[] => {
  const ids = [findings].flat().map(({ id }) => id);
  for (const id of ids) given.add(id);
  return ids;
};

afterAll(() => {
  const own = FINDING_IDS.filter((id) => AREAS.has(areaOf(id)) && !NONE.test(id));
  expect(own.filter((id) => !given.has(id))).toEqual([]);
});

describe('the equipment', () => {
  const radio = {
    state: 'on' as const,
    adapters: [{ name: 'hci0', state: 'on' as const }],
    last_recovery: null,
    holder: null,
  };
  it('radio', () => {
    const healed = { adapter: 'hci0', step: 'reset', ago_s: 60 };
    const second = { name: 'hci1', state: 'unavailable' as const };
    expect(idsOf(decideRadio(radio, 1))).toEqual(['radio.ok']);
    expect(idsOf(decideRadio({ ...radio, state: 'off', adapters: [] }, 0))).toEqual(['radio.unneeded']);
    expect(idsOf(decideRadio({ ...radio, state: 'off', adapters: [] }, 1))).toEqual(['radio.off']);
    expect(idsOf(decideRadio({ ...radio, state: 'unavailable' }, 1))).toEqual(['radio.unavailable']);
    expect(idsOf(decideRadio({ ...radio, state: 'unavailable', holder: 'bluetoothd (812)' }, 1))).toEqual([
      'radio.held',
    ]);
    expect(idsOf(decideRadio({ ...radio, state: 'unavailable', holder: 'bluetoothd (812)' }, 0))).toEqual([
      'radio.unneeded',
    ]);
    expect(idsOf(decideRadio({ ...radio, adapters: [...radio.adapters, second], last_recovery: healed }, 1))).toEqual([
      'radio.adapter_gone',
      'radio.healed',
    ]);
    expect(idsOf(decideRadio({ ...radio, last_recovery: { ...healed, ago_s: 86_400 } }, 1))).toEqual(['radio.ok']);
  });

  const product = {
    name: 'Gate',
    paired: true,
    status: 'online' as const,
    state: 'closed',
    permanent_position: 'disabled' as const,
    key_fault: null,
    elsewhere: null,
    errors: [],
    rssi: -60,
    battery: null,
    seen_ago_s: 2,
    credential_days_left: 30,
    is_credential_low: false,
    clock_off_s: null,
  };
  it.each([
    [product, ['product.ok']],
    [{ ...product, paired: false }, ['product.unpaired']],
    [{ ...product, status: 'offline' as const, seen_ago_s: null }, ['product.never_seen']],
    [{ ...product, status: 'offline' as const, seen_ago_s: 400, battery: 9 }, ['product.lost', 'product.battery_low']],
    [{ ...product, battery: 20 }, ['product.battery_low']],
    [{ ...product, battery: 21 }, ['product.ok']],
    [{ ...product, errors: ['jammed' as const, 'sensor_dirty' as const] }, ['product.jammed', 'product.dirty']],
    [{ ...product, state: 'error' }, ['product.error']],
    [{ ...product, rssi: -90 }, ['product.weak']],
    [{ ...product, is_credential_low: true, credential_days_left: 3 }, ['product.credential_low']],
    [{ ...product, is_credential_low: true, credential_days_left: 0 }, ['product.credential_ended']],
    [{ ...product, clock_off_s: -900 }, ['product.clock_wrong']],
    [{ ...product, errors: ['rtcc_invalid' as const] }, ['product.no_clock']],
    [{ ...product, errors: ['pin_broken' as const] }, ['product.error']],
    [{ ...product, errors: ['master_key_not_set' as const] }, ['product.unpaired']],
    [{ ...product, permanent_position: 'stay_open' as const }, ['product.held_open']],
    [{ ...product, permanent_position: 'stay_close' as const }, ['product.held_closed']],
    // How it was held before it was lost is no news.
    [
      { ...product, permanent_position: 'stay_open' as const, status: 'offline' as const, seen_ago_s: 400 },
      ['product.lost'],
    ],
    [{ ...product, key_fault: 'other' as const, status: 'offline' as const }, ['product.other_key']],
    [{ ...product, key_fault: 'none' as const, status: 'offline' as const }, ['product.unpaired']],
    [{ ...product, key_fault: 'refused' as const }, ['product.key_refused']],
    // What is not known is never well.
    [{ ...product, credential_days_left: null }, ['product.days_unknown']],
    [{ ...product, status: 'offline' as const, elsewhere: 'South Pi' }, ['product.elsewhere_unknown']],
  ])('product %j', (facts, ids) => {
    expect(idsOf(decideProduct(facts))).toEqual(ids);
  });

  it('says which way a clock of a product is wrong', () => {
    const [behind] = decideProduct({ ...product, clock_off_s: -900 });
    expect(behind?.facts).toEqual({ off_s: -900 });
  });

  const camera = {
    name: 'Entry',
    driver: 'hikvision',
    address: 'http://192.0.2.20',
    push_without_key: false,
    unserved: null,
    probe: { isThere: true, problem: null } as ProbeAnswer | null,
    status: 'online' as const,
    problem: null,
    push_fault: null,
    seen_ago_s: 60,
    clock_behind_s: 0,
  } satisfies CameraFacts;
  const unproven: ProbeAnswer = { isThere: true, problem: null, isUnproven: true };
  const faulty = (fault: ProbeFault): ProbeAnswer => ({ isThere: true, problem: 'it is none', fault });
  const auth: ProbeAnswer = { isThere: true, problem: '401', condition: 'auth' };
  const cases: [CameraFacts, string[]][] = [
    [camera, ['camera.ok']],
    [{ ...camera, seen_ago_s: null }, ['camera.quiet']],
    [{ ...camera, probe: { isThere: false, problem: 'ECONNREFUSED' } }, ['camera.offline']],
    [{ ...camera, probe: null, status: 'offline', problem: 'Frigate is offline' }, ['camera.offline']],
    [{ ...camera, probe: auth }, ['camera.refused']],
    [{ ...camera, unserved: 'no driver' }, ['camera.unserved']],
    [{ ...camera, clock_behind_s: 3_600, problem: 'its last read came 3600 s late' }, ['camera.clock_wrong']],
    [{ ...camera, problem: 'it let a vehicle through by its own list' }, ['camera.problem']],
    [{ ...camera, push_without_key: true }, ['camera.without_key']],
    [{ ...camera, probe: faulty({ kind: 'stranger', answer: 'a page “Router”' }) }, ['camera.stranger']],
    [{ ...camera, probe: faulty({ kind: 'no_interface', answer: 'it answers 404' }) }, ['camera.no_interface']],
    [{ ...camera, probe: faulty({ kind: 'redirects', to: 'https://192.0.2.20' }) }, ['camera.redirects']],
    // Its round has said the same in words: it is told once.
    [
      { ...camera, problem: 'pushes with another key', push_fault: { kind: 'wrong_key', from: '192.0.2.7' } },
      ['camera.wrong_key'],
    ],
    [
      { ...camera, push_fault: { kind: 'wrong_driver', posted: 'dahua', from: '192.0.2.7' }, seen_ago_s: null },
      ['camera.wrong_driver'],
    ],
    [{ ...camera, push_fault: { kind: 'not_understood', reason: 'no XML' } }, ['camera.not_understood']],
    [
      { ...camera, probe: { isThere: false, problem: 'x' }, push_fault: { kind: 'wrong_key', from: '192.0.2.7' } },
      ['camera.offline', 'camera.wrong_key'],
    ],
    // What cannot be asked is well only when it has just spoken.
    [{ ...camera, probe: null }, ['camera.ok']],
    [{ ...camera, probe: null, seen_ago_s: 3_600 }, ['camera.unknown']],
    [{ ...camera, probe: unproven, seen_ago_s: 3_600 }, ['camera.unknown']],
    [{ ...camera, probe: null, seen_ago_s: 3_600, status: 'offline' }, ['camera.unknown']],
    [{ ...camera, probe: null, seen_ago_s: null }, ['camera.unheard']],
    [{ ...camera, probe: unproven, seen_ago_s: 90_000 }, ['camera.unheard']],
  ];
  it.each(cases)('camera %j', (facts, ids) => {
    expect(idsOf(decideCamera(facts))).toEqual(ids);
  });

  it('says which way a clock of a camera is wrong, and where nobody answered', () => {
    expect(decideCamera({ ...camera, clock_behind_s: 180 })[0]?.facts).toEqual({ off_s: -180 });
    expect(decideCamera({ ...camera, clock_behind_s: -180 })[0]?.facts).toEqual({ off_s: 180 });
    const gone = (problem: string) => decideCamera({ ...camera, probe: { isThere: false, problem } })[0]?.facts;
    expect(gone('no answer in time')).toEqual({ problem: 'no answer in time (192.0.2.20)' });
    expect(gone('connect ECONNREFUSED 192.0.2.20:80')).toEqual({ problem: 'connect ECONNREFUSED 192.0.2.20:80' });
  });

  it('those who push as no camera of this gateway', () => {
    expect(idsOf(decideMisdirected([{ camera: 'cam-out-1', from: '192.0.2.7' }]))).toEqual(['camera.misdirected']);
  });

  it('sensors and displays', () => {
    const sensor = {
      name: 'Row',
      status: 'online' as const,
      place_count: 20,
      stale_places: [] as string[],
      fault: null,
    };
    expect(idsOf(decideSensor(sensor))).toEqual(['sensor.ok']);
    expect(idsOf(decideSensor({ ...sensor, status: 'offline', fault: 'ECONNREFUSED' }))).toEqual(['sensor.offline']);
    expect(idsOf(decideSensor({ ...sensor, status: 'offline' }))).toEqual(['sensor.unheard']);
    expect(idsOf(decideSensor({ ...sensor, status: 'offline', place_count: 0 }))).toEqual(['sensor.no_places']);
    expect(idsOf(decideSensor({ ...sensor, fault: 'a register is missing', stale_places: ['A1'] }))).toEqual([
      'sensor.silent',
      'sensor.fault',
    ]);
    const many = Array.from({ length: 20 }, (_, at) => `A${at}`);
    expect(decideSensor({ ...sensor, stale_places: many })[0]?.facts['places']).toMatch(/^A0, .*A7, \+12$/);
    const display = { name: 'Sign', text: '12 FREE', fault: null };
    expect(idsOf(decideDisplay(display))).toEqual(['display.ok']);
    expect(idsOf(decideDisplay({ ...display, text: null }))).toEqual(['display.waiting']);
    expect(idsOf(decideDisplay({ ...display, fault: 'no answer' }))).toEqual(['display.fault']);
  });

  const run = {
    camera: 'Entry',
    plate: 'ZG1234AB',
    access_decision: 'triggered' as const,
    reason: 'whitelist',
    is_zone_known: true,
    product: 'Gate',
    is_product_known: true,
    is_held_closed: false,
  };
  it.each([
    [run, ['decision.opens']],
    [{ ...run, product: null }, ['decision.admits']],
    [{ ...run, access_decision: 'denied' as const, reason: 'no_tariff' }, ['decision.denies']],
    [{ ...run, access_decision: null, reason: null }, ['decision.undecided']],
    [{ ...run, is_held_closed: true }, ['decision.held_closed']],
    [{ ...run, is_zone_known: false }, ['decision.no_zone', 'decision.opens']],
    [{ ...run, is_product_known: false }, ['decision.no_product', 'decision.admits']],
  ])('test plate %j', (facts, ids) => {
    expect(idsOf(decideDryRun(facts))).toEqual(ids);
  });
});
