/** The guides as tests read them: their snippets, in order. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../contract/pages/repository-pages.js';

export interface Snippet {
  /** The language after the fence: sh, json, text, ts. */
  language: string;
  text: string;
  /** Of its first line in the file. */
  line: number;
}

const DIRECTORY = join(ROOT, 'cloud/guides');

const textOf = (name: string): string => readFileSync(join(DIRECTORY, `${name}.md`), 'utf8');

/** The guides in the order of their contents. */
export const guideNames = (): string[] =>
  [...textOf('README').matchAll(/\]\(([\w-]+)\.md\)/g)].map(([, name = '']) => name);

export function snippetsOf(name: string): Snippet[] {
  const text = textOf(name);
  return [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(({ 1: language = '', 2: snippet = '', index }) => ({
    language,
    text: snippet,
    line: text.slice(0, index).split('\n').length + 1,
  }));
}
