import { parseSync } from 'oxc-parser';
import type { SourceFile } from './source-graph.js';

const BANNED = /^(un)?(tell|tells|telling|told|take|takes|taken|taking)$/i;
/** Words of third parties, and of the interface or a table. */
const ALLOWED = /^(executeTakeFirst(OrThrow)?|takePreciseCoverage|takeFrames|products_untold|told_at)$/;
const TYPE_AFTER = /^\s*(export )?(declare )?(abstract )?(interface|type|class|enum)\b/;
/** Of what REST refuses, the reason where it is written. */
const REFUSAL = /new ApiError\(\w+, \{[^}]*?\bmessage: (['`])(?=[a-z])/g;
const OPENS_AS_QUESTION = /^\*?[\s*]*(What|Who|How|Whether|Which)\b/;

/** The English of our own code that cannot be read once, by kind. */
export function englishFaults({ path, text }: Pick<SourceFile, 'path' | 'text'>) {
  const { program, comments } = parseSync(path, text);
  const at = (start: number) => `${path}:${text.slice(0, start).split('\n').length}`;
  return {
    whatWho: comments.filter(({ value }) => /\bwhat\s+(\*\s+)?who\b/i.test(value)).map(({ start }) => at(start)),
    questions: comments
      .filter(({ value, end }) => OPENS_AS_QUESTION.test(value) && TYPE_AFTER.test(text.slice(end, end + 60)))
      .map(({ start }) => at(start)),
    /** What people read begins like a sentence. */
    refusals: [...text.matchAll(REFUSAL)].map(({ index }) => at(index)),
    verbs: identifiersOf(program).filter(
      (name) => !ALLOWED.test(name) && wordsOf(name).some((word) => BANNED.test(word)),
    ),
  };
}

const wordsOf = (name: string): string[] => name.split(/_|(?<=[a-z0-9])(?=[A-Z])/);

function identifiersOf(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  const { type, name } = node as { type?: unknown; name?: unknown };
  const own = String(type).endsWith('Identifier') && typeof name === 'string' ? [name] : [];
  return [...own, ...Object.values(node).flatMap(identifiersOf)];
}
