import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { englishFaults } from './english.js';
import { readSourceGraph } from './source-graph.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** The numbers may only fall: whoever removes a fault lowers its number. */
const LEFT = { whatWho: 0, questions: 40, verbs: 3 };

describe('the English of comments and names', () => {
  it('asks no question where a noun should stand, and uses no verb that the glossary bans', () => {
    const faults = readSourceGraph(ROOT, ['agent', 'cloud', 'shared', 'scripts', 'test']).map(englishFaults);
    const found = (kind: keyof typeof LEFT) => faults.flatMap((each) => each[kind]);
    expect(found('whatWho')).toEqual([]);
    expect(found('questions').length, found('questions').join('\n')).toBe(LEFT.questions);
    expect(found('verbs').length, found('verbs').join('\n')).toBe(LEFT.verbs);
  });

  it.each([
    ['whatWho', '/** What who asks is shown. */\nexport const a = 1;'],
    ['questions', '/** A message that a camera posted. */\nexport interface A {}'],
    ['verbs', 'export const tellFault = 1;'],
  ] as const)('is found wanting: %s', (kind, text) => {
    expect(englishFaults({ path: 'shared/x.ts', text })[kind]).toHaveLength(1);
  });
});
