import { describe, expect, it } from 'vitest';
import { SETUP_WORDS as de } from '../../../cloud/console/wording/de/setup.js';
import { SETUP_WORDS as en } from '../../../cloud/console/wording/en/setup.js';
import { SETUP_WORDS as hr } from '../../../cloud/console/wording/hr/setup.js';
import { SETUP_WORDS as hu } from '../../../cloud/console/wording/hu/setup.js';
import { type GuideFacts, guideOf, isSetUp } from '../../../cloud/console/wording/lot-guide.js';
import { NO_ERROR, PRODUCT_RECORD } from './lot-facts.js';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const SEEN = '2026-03-01T11:00:00.000Z';
const LATER = '2026-03-01T12:10:00.000Z';

const EMPTY: GuideFacts = {
  zones: [],
  gateways: [],
  products: [],
  heard: new Set(),
  cameras: [],
  haveRead: new Set(),
  sensors: [],
  displays: [],
};
const zone = { id: 1, name: 'Deck' };
const gateway = { id: 2, name: 'Pi', claimed_at: SEEN, claim_code_expires_at: null, last_seen: SEEN };
const product = { ...PRODUCT_RECORD, id: 3, name: 'Gate', last_moved: SEEN };
const camera = { id: 4, name: 'Camera', last_seen: SEEN };
const sensors = { id: 5, name: 'Guidance', last_seen: SEEN };
const display = { id: 6, name: 'Sign', driver: 'http', gateway_id: 2, shown_at: SEEN };
const WHOLE: GuideFacts = {
  ...EMPTY,
  zones: [zone],
  gateways: [gateway],
  products: [product],
  cameras: [camera],
  haveRead: new Set([camera.id]),
};

const stepsOf = (facts: Partial<GuideFacts>) => guideOf({ ...WHOLE, ...facts }, NOW);
const stateOf = (name: string, facts: Partial<GuideFacts>) => {
  const found = stepsOf(facts).find(({ step }) => step === name);
  return [found?.state, found?.wait ?? found?.about?.name ?? null];
};

describe('the guide of a lot', () => {
  it('begins with what needs nothing else', () => {
    const steps = guideOf(EMPTY, NOW);
    expect(steps.map(({ step, state }) => [step, state])).toEqual([
      ['zone', 'next'],
      ['gateway', 'next'],
      ['product', 'next'],
      ['pairing', 'later'],
      ['movement', 'later'],
      ['camera', 'later'],
      ['read', 'later'],
      ['sensors', 'optional'],
      ['display', 'optional'],
    ]);
    expect(isSetUp(steps)).toBe(false);
  });

  it('is over when all is done, with or without sensors and displays', () => {
    expect(isSetUp(stepsOf({}))).toBe(true);
    expect(isSetUp(stepsOf({ sensors: [sensors], displays: [display] }))).toBe(true);
    expect(isSetUp(stepsOf({ sensors: [{ ...sensors, last_seen: null }] }))).toBe(false);
  });

  it.each([
    ['waits for its device', { claimed_at: null, claim_code_expires_at: LATER }, ['waits', 'device']],
    ['needs a new code', { claimed_at: null, claim_code_expires_at: SEEN }, ['next', 'Pi']],
    ['needs a code', { claimed_at: null }, ['next', 'Pi']],
    ['waits for its connection', {}, ['waits', 'connection']],
  ])('has a gateway that %s', (_, changed, expected) => {
    expect(stateOf('gateway', { gateways: [gateway, { ...gateway, last_seen: null, ...changed }] })).toEqual(expected);
  });

  const fresh = { ...product, is_paired: 0, status: 'offline', last_seen: null, last_moved: null };
  it.each([
    [
      'is not heard',
      fresh,
      false,
      [
        ['waits', 'hearing'],
        ['later', null],
        ['later', null],
      ],
    ],
    [
      'is heard',
      fresh,
      true,
      [
        ['done', null],
        ['next', 'Gate'],
        ['later', null],
      ],
    ],
    [
      'is paired and never moved',
      { ...product, last_moved: null },
      false,
      [
        ['done', null],
        ['done', null],
        ['next', 'Gate'],
      ],
    ],
    [
      'is paired, and out of reach now',
      { ...product, status: 'offline', last_moved: null },
      false,
      [
        ['done', null],
        ['done', null],
        ['later', null],
      ],
    ],
    [
      'has lost its key',
      { ...product, product_error: { ...NO_ERROR, master_key_not_set: 1 } },
      false,
      [
        ['done', null],
        ['next', 'Gate'],
        ['done', null],
      ],
    ],
    [
      'has moved',
      product,
      false,
      [
        ['done', null],
        ['done', null],
        ['done', null],
      ],
    ],
  ])('has a product that %s', (_, given, isHeard, expected) => {
    const facts = { products: [given], heard: new Set(isHeard ? [given.id] : []) };
    expect(['product', 'pairing', 'movement'].map((step) => stateOf(step, facts))).toEqual(expected);
  });

  it.each([
    [
      'is silent',
      { ...camera, last_seen: null },
      [],
      [
        ['waits', 'camera'],
        ['later', null],
      ],
    ],
    [
      'has read nothing',
      camera,
      [],
      [
        ['done', null],
        ['waits', 'read'],
      ],
    ],
    [
      'has read a vehicle',
      camera,
      [4],
      [
        ['done', null],
        ['done', null],
      ],
    ],
  ])('has a camera that %s', (_, given, ids, expected) => {
    const facts = { cameras: [given], haveRead: new Set(ids) };
    expect(['camera', 'read'].map((step) => stateOf(step, facts))).toEqual(expected);
  });

  it.each([
    ['without a driver', { driver: '', shown_at: null }, ['next', 'Sign']],
    ['that nobody writes to', { gateway_id: null, shown_at: null }, ['next', 'Sign']],
    ['that never took a text', { shown_at: null }, ['waits', 'display']],
  ])('has a display %s', (_, changed, expected) => {
    expect(stateOf('display', { displays: [{ ...display, ...changed }] })).toEqual(expected);
  });

  it('says each step and each wait in every language', () => {
    for (const { guide } of [en, de, hr, hu]) {
      const said = [...Object.values(guide.steps), ...Object.values(guide.waits).map((wait) => wait('Pi'))];
      for (const sentence of said) expect(sentence).toMatch(/\S/);
      expect(new Set(said).size).toBe(said.length);
      for (const wait of Object.values(guide.waits)) expect(wait('Pi')).toContain('Pi');
    }
  });
});
