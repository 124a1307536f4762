/** Reads a site file into what it declares, or into its problems with their lines. */
import { RESOURCES, type Site, siteSchema } from '../../all-resources.js';
import { siteReason } from '../../rest/entry.js';
import { checkSite } from './check-site.js';
import { type LineProblem, parseSiteDocument } from './site-document.js';
import { SiteFileError } from './site-file-error.js';
import type { SitePath, SiteProblem } from './site-items.js';

/** How many problems are shown, as in an answer of REST. */
const PROBLEMS_SHOWN = 20;
const PROBLEM_LENGTH_MAX = 1_000;

export interface SiteFile {
  site: Site;
  /** Builds the error for problems that are found later, with their lines. */
  error(problems: SiteProblem[]): SiteFileError;
}

/**
 * @param file its name, for errors
 * @throws SiteFileError with the problems of the file, all at once
 */
export function readSiteFile(file: string, content: string): SiteFile {
  const document = parseSiteDocument(content);
  const located = (found: SiteProblem[]): LocatedProblem[] =>
    found.map(({ path, reason }) => ({ line: document.lineOf(path), path, reason }));
  const inForm = document.problems.map(({ line, text }: LineProblem) => ({ line, path: [], reason: text }));
  if (document.readable === undefined) throw errorOf(file, inForm);

  const { content: raw } = document.readable;
  const parsed = siteSchema.safeParse(raw, { error: (issue) => siteReason({ ...issue }) });
  const problems = [...schemaProblems(parsed.error?.issues ?? []), ...checkSite(raw, RESOURCES)];
  const all = [...inForm, ...located(problems)];
  if (all.length > 0 || !parsed.success) throw errorOf(file, all);
  return { site: parsed.data, error: (found) => errorOf(file, located(found)) };
}

interface LocatedProblem extends SiteProblem {
  line: number;
}

function errorOf(file: string, found: LocatedProblem[]): SiteFileError {
  const first = found.toSorted((a, b) => a.line - b.line).slice(0, PROBLEMS_SHOWN);
  const texts = first.map(({ line, path, reason }) => {
    const where = path.length === 0 ? '' : `${formatPath(path)}: `;
    return shown(`${file}:${line}: ${where}${reason}`);
  });
  const more = found.length - first.length;
  return new SiteFileError(more === 0 ? texts : [...texts, `${file}: and ${more} more`], found.length);
}

/** Shortens a text of the file, and replaces control characters, which could steer the terminal. */
function shown(text: string): string {
  const printable = text.replace(/\p{Cc}/gu, '\u{FFFD}');
  return printable.length <= PROBLEM_LENGTH_MAX ? printable : `${printable.slice(0, PROBLEM_LENGTH_MAX)}...`;
}

function schemaProblems(issues: readonly { code: string; path: PropertyKey[]; message: string; keys?: string[] }[]) {
  return issues.flatMap((issue): SiteProblem[] => {
    const path = issue.path.map((part) => (typeof part === 'number' ? part : String(part)));
    if (issue.code !== 'unrecognized_keys') return [{ path, reason: issue.message }];
    return (issue.keys ?? []).map((key) => ({ path: [...path, key], reason: issue.message }));
  });
}

/** `accounts[0].lots[1].name` */
function formatPath(path: SitePath): string {
  return path
    .map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index === 0 ? '' : '.'}${part}`))
    .join('');
}
