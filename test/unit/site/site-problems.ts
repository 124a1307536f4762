/** What is told of site files that are wrong. */
import { expect } from 'vitest';
import { readSiteFile } from '../../../cloud/doors/site-file/read-site-file.js';
import { SiteFileError } from '../../../cloud/doors/site-file/site-file-error.js';
import { edit, lineOf } from './site-text.js';

export function problemsOf(text: string): string[] {
  try {
    readSiteFile('site.yaml', text);
  } catch (error) {
    if (error instanceof SiteFileError) return error.problems;
    throw error;
  }
  return [];
}

/** The problem that an edit makes: it must stand on the line of `marker` (the edited text unless told). */
export interface Spoiled {
  title: string;
  before: string;
  after: string;
  problem: string;
  marker?: string;
}

/** The edit makes this problem, at its line, and no other but that what referred to the spoiled thing has lost it. */
export function expectProblem(siteText: string, { before, after, problem, marker }: Spoiled): void {
  const text = edit(siteText, before, after);
  const problems = problemsOf(text);
  expect(problems).toContain(`site.yaml:${lineOf(text, marker ?? after)}: ${problem}`);
  expect(problems.filter((each) => !each.endsWith(problem) && !each.includes(': there is no '))).toEqual([]);
}
