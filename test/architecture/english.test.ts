import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { englishFaults } from './english.js';
import { readSourceGraph } from './source-graph.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

describe('the English of comments, names and refusals', () => {
  it('asks no question where a noun should stand, uses no verb that the glossary bans, and refuses in sentences', () => {
    const faults = readSourceGraph(ROOT, ['agent', 'cloud', 'shared', 'scripts', 'test']).map(englishFaults);
    for (const kind of ['whatWho', 'questions', 'refusals', 'verbs'] as const)
      expect(faults.flatMap((each) => each[kind])).toEqual([]);
  });

  it.each([
    ['whatWho', '/** What who asks is shown. */\nexport const a = 1;'],
    ['questions', '/** What a camera posted. */\nexport interface A {}'],
    // In pieces, so that it is not found here.
    ['refusals', `throw new ApiError(VALIDATION, { field: 'a', message: ${"'must be b'"} });`],
    ['verbs', 'export const tellFault = 1;'],
  ] as const)('is found wanting: %s', (kind, text) => {
    expect(englishFaults({ path: 'shared/x.ts', text })[kind]).toHaveLength(1);
  });
});
