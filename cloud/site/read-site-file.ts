/** Reads a site file into what it declares, or into all its problems with their lines. */
import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, visit } from 'yaml';
import { checkSite } from './check-site.js';
import { RESOURCES, type Site, siteSchema } from '../all-resources.js';
import type { SitePath, SiteProblem } from './site-items.js';
import { siteReason } from '../resource/value-reasons.js';

export const SITE_FILE_BYTES_MAX = 8 * 1024 * 1024;
/** How many syntax problems are shown: after the first one, everything that follows looks broken. */
const SYNTAX_PROBLEMS_SHOWN = 3;

/** Bad input: exit code 2. One problem per line: `file:line: path: reason`. */
export class SiteFileError extends Error {
  readonly problems: string[];

  constructor(problems: string[]) {
    super(problems.join('\n'));
    this.name = 'SiteFileError';
    this.problems = problems;
  }
}

export interface SiteFile {
  site: Site;
  /** Builds the error for problems that are found later, with their lines. */
  error(problems: SiteProblem[]): SiteFileError;
}

/**
 * @param file its name, for errors
 * @throws SiteFileError with all problems of the file at once
 */
export function readSiteFile(file: string, content: string): SiteFile {
  const lines = new LineCounter();
  const document = parseDocument(content, { lineCounter: lines, prettyErrors: false });
  const syntax = [...document.errors, ...document.warnings].map(({ code, message, pos: [offset] }) => {
    const key = /^[^:\s]*/.exec(content.slice(offset))?.[0];
    const text = code === 'DUPLICATE_KEY' ? `the key ${key} is given twice` : message;
    return { line: lines.linePos(offset).line, text };
  });
  // When a key is given twice, the rest can still be checked; with broken YAML it cannot.
  const isReadable = document.errors.every(({ code }) => code === 'DUPLICATE_KEY');
  const raw = isReadable ? contentOf(document, { file, lines }) : undefined;
  const parsed = siteSchema.safeParse(raw, { error: (issue) => siteReason({ ...issue }) });
  const problems = isReadable ? [...schemaProblems(parsed.error?.issues ?? []), ...checkSite(raw, RESOURCES)] : [];

  const located = (found: SiteProblem[]) =>
    found.map(({ path, reason }) => {
      const offset = offsetOf(document, path);
      const where = path.length === 0 ? '' : `${formatPath(path)}: `;
      return { line: lineOf(lines, offset), text: `${where}${reason}` };
    });
  const toError = (found: { line: number; text: string }[]) =>
    new SiteFileError(found.sort((a, b) => a.line - b.line).map(({ line, text }) => `${file}:${line}: ${text}`));

  const first = syntax.toSorted((a, b) => a.line - b.line).slice(0, isReadable ? syntax.length : SYNTAX_PROBLEMS_SHOWN);
  const all = [...first, ...located(problems)];
  if (all.length > 0 || !parsed.success) throw toError(all);
  return { site: parsed.data, error: (found) => toError(located(found)) };
}

function contentOf(document: Document, { file, lines }: { file: string; lines: LineCounter }): unknown {
  try {
    return document.toJS();
  } catch (error) {
    // There is an alias of nothing, or there are aliases of aliases, with which a small file would fill the memory.
    const line = lineOf(lines, offsetOfUnknownAlias(document));
    throw new SiteFileError([`${file}:${line}: ${error instanceof Error ? error.message : String(error)}`]);
  }
}

/** Finds the line of an offset; the first line if the offset is not known. */
const lineOf = (lines: LineCounter, offset: number | undefined): number =>
  offset === undefined ? 1 : lines.linePos(offset).line;

/** Finds the first alias whose anchor was not set before it. */
function offsetOfUnknownAlias(document: Document): number | undefined {
  const anchors = new Set<string>();
  let offset: number | undefined;
  visit(document, {
    Node(_key, node) {
      if (!isAlias(node)) {
        if (node.anchor !== undefined) anchors.add(node.anchor);
      } else if (!anchors.has(node.source)) {
        offset = startOf(node);
        return visit.BREAK;
      }
      return undefined;
    },
  });
  return offset;
}

function schemaProblems(issues: readonly { code: string; path: PropertyKey[]; message: string; keys?: string[] }[]) {
  return issues.flatMap((issue): SiteProblem[] => {
    const path = issue.path.map((part) => (typeof part === 'number' ? part : String(part)));
    if (issue.code !== 'unrecognized_keys') return [{ path, reason: issue.message }];
    return (issue.keys ?? []).map((key) => ({ path: [...path, key], reason: issue.message }));
  });
}

/** Finds where the thing begins: a value at its key, an item of a list at itself, and a missing value at the thing that lacks it. */
function offsetOf(document: Document, path: SitePath): number | undefined {
  let node: unknown = document.contents;
  let offset = startOf(node);
  for (const part of path) {
    if (isAlias(node)) node = node.resolve(document);
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => (isScalar(key) ? String(key.value) : key) === part);
      if (pair === undefined) return offset;
      offset = startOf(pair.key) ?? offset;
      node = pair.value;
    } else if (isSeq(node) && typeof part === 'number') {
      node = node.items[part];
      offset = startOf(node) ?? offset;
    } else {
      return offset;
    }
  }
  return offset;
}

function startOf(node: unknown): number | undefined {
  return (node as Node | null | undefined)?.range?.[0];
}

/** `accounts[0].lots[1].name` */
function formatPath(path: SitePath): string {
  return path
    .map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index === 0 ? '' : '.'}${part}`))
    .join('');
}
