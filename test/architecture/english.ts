import { type Expression, parseSync, type Program, Visitor } from 'oxc-parser';
import type { SourceFile } from './source-graph.js';

const BANNED = /^(un)?(tell|tells|telling|told|take|takes|taken|taking)$/i;
/** Words of third parties, and of the interface or a table. */
const ALLOWED = /^(executeTakeFirst(OrThrow)?|takePreciseCoverage|takeFrames|products_untold|told_at)$/;
const TYPE_AFTER = /^\s*(export )?(declare )?(abstract )?(interface|type|class|enum)\b/;
/** Of what REST refuses, the reason where it is written. */
const REFUSAL = /new ApiError\(\w+, \{[^}]*?\bmessage: (['`])(?=[a-z])/g;
/** Folders whose comments begin with a verb or a plain name. What joins the list stays in it. */
const HELD = /^(agent|shared|scripts)\//;
/** A sentence that begins as a question and asks none; two questions in one sentence; a `who` that is nobody's. */
const HEADLESS = [
  /(^|[.!?:] )(What|Who|Of(?! course))\b(?![^.!?]*\?)/,
  /\b(what|who|whom)\b[^.;:!?@]*\b(what|who|whom)\b/i,
  /\b(to|for|from|than|only|so that|because|behind|like) who\b/i,
];
const FUNCTION_AFTER =
  /^\s*(export )?(async )?(function\b|const \w+(: [^=]*)? = (async )?(<[^>]*>)?\([^)]*\)(: [^=]+)? =>)/;
const HEADLESS_OF_FUNCTION = /^(How|Whether|Which|When|Where)\b/;
/** A title that only goes on with the name of its suite, as a clause of it. */
const HEADLESS_TITLE = /^.(that|which|of|and)\b/;
const OPENS_AS_QUESTION = /^\*?[\s*]*(What|Who|How|Whether|Which)\b/;

/** The English of our own code that cannot be read once, by kind. */
export function englishFaults({ path, text }: Pick<SourceFile, 'path' | 'text'>) {
  const { program, comments } = parseSync(path, text);
  const { names, titles } = namesAndTitles(program);
  const at = (start: number) => `${path}:${text.slice(0, start).split('\n').length}`;
  const headless = ({ value, end }: (typeof comments)[number]) => {
    const words = value.replaceAll(/\s*\n\s*\*|^\*/g, '').trim();
    const isOfFunction = FUNCTION_AFTER.test(text.slice(end, end + 300));
    return HEADLESS.some((each) => each.test(words)) || (isOfFunction && HEADLESS_OF_FUNCTION.test(words));
  };
  return {
    headless: HELD.test(path) ? comments.filter(headless).map(({ start }) => at(start)) : [],
    titles: path.startsWith('test/')
      ? titles.flatMap(({ start, end }) => (HEADLESS_TITLE.test(text.slice(start, end)) ? [at(start)] : []))
      : [],
    whatWho: comments.filter(({ value }) => /\bwhat\s+(\*\s+)?who\b/i.test(value)).map(({ start }) => at(start)),
    questions: comments
      .filter(({ value, end }) => OPENS_AS_QUESTION.test(value) && TYPE_AFTER.test(text.slice(end, end + 60)))
      .map(({ start }) => at(start)),
    /** What people read begins like a sentence. */
    refusals: [...text.matchAll(REFUSAL)].map(({ index }) => at(index)),
    verbs: names.filter((name) => !ALLOWED.test(name) && wordsOf(name).some((word) => BANNED.test(word))),
  };
}

/** Collects the names in the code, and the titles of its tests: the first argument of `describe`, `it` and `test`, as of `it.each(...)`. */
function namesAndTitles(program: Program): { names: string[]; titles: Expression[] } {
  const names: string[] = [];
  const titles: Expression[] = [];
  const note = ({ name }: { name: string }) => void names.push(name);
  const isOfTests = (callee: Expression): boolean => {
    if (callee.type === 'MemberExpression') return isOfTests(callee.object);
    if (callee.type === 'CallExpression') return isOfTests(callee.callee);
    return callee.type === 'Identifier' && /^(describe|it|test)$/.test(callee.name);
  };
  new Visitor({
    Identifier: note,
    PrivateIdentifier: note,
    JSXIdentifier: note,
    CallExpression({ callee, arguments: [title] }) {
      if (isOfTests(callee) && (title?.type === 'Literal' || title?.type === 'TemplateLiteral')) titles.push(title);
    },
  }).visit(program);
  return { names, titles };
}

const wordsOf = (name: string): string[] => name.split(/_|(?<=[a-z0-9])(?=[A-Z])/);
