import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { englishFaults } from './english.js';
import { readSourceGraph } from './source-graph.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

describe('the English of comments, names and refusals', () => {
  it('asks no question where a verb or a noun should stand, uses no verb that the glossary bans, and refuses in sentences', () => {
    const faults = readSourceGraph(ROOT, ['agent', 'cloud', 'shared', 'scripts', 'test']).map(englishFaults);
    for (const kind of ['whatWho', 'questions', 'headless', 'titles', 'refusals', 'verbs'] as const)
      expect(faults.flatMap((each) => each[kind])).toEqual([]);
  });

  it.each([
    ['whatWho', '/** What who asks is shown. */\nexport const a = 1;'],
    ['questions', '/** What a camera posted. */\nexport interface A {}'],
    ['headless', '/** Reads it. What is left over is dropped. */\nexport const a = 1;'],
    ['headless', '/**\n * Reads it.\n * Of two the later one counts.\n */\nexport const a = 1;'],
    ['headless', '// It waits for what is asked by who came first.'],
    ['headless', '/** Answers 401 to who is not signed in. */\nexport const a = 1;'],
    ['headless', '/** Whether it is open. */\nexport const isOpen = (a: A): boolean => a.isOpen;'],
    ['headless', '/**\n * Whether it is\n * open.\n */\nexport async function isOpen() {}'],
    // In pieces, so that it is not found here.
    ['refusals', `throw new ApiError(VALIDATION, { field: 'a', message: ${"'must be b'"} });`],
    ['verbs', 'export const tellFault = 1;'],
  ] as const)('is found wanting: %s', (kind, text) => {
    expect(englishFaults({ path: 'shared/x.ts', text })[kind]).toHaveLength(1);
  });

  it.each([
    "it('that fails', () => {});",
    "it.each([[1]])('of %s is %s', () => {});",
    'describe.skip(`and more`, () => {});',
  ])('is found wanting in the title of a test: %s', (text) => {
    expect(englishFaults({ path: 'test/x.test.ts', text }).titles).toHaveLength(1);
  });

  it.each([
    '// Is it open? What then? Of course it is.',
    '/** Whether it is open. */\nexport const isOpen = signal(false);',
    "/** Says what came, and names the gateway that sent it. */\nexport const a = () => 'Of it';",
  ])('is good: %s', (text) => {
    expect(englishFaults({ path: 'shared/x.ts', text }).headless).toEqual([]);
  });
});
