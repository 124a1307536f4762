/** The links of the repository's pages lead somewhere, and what comments cite is there. */
import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { anchorOf, headingsOf, linksOf } from './pages/markdown-page.js';
import { missingInComments, missingPaths, missingScripts } from './pages/named-paths.js';
import { citationsOf, filesOf, readPage, ROOT } from './pages/repository-pages.js';

const PAGES = filesOf(['.md']);
const FILES = filesOf(['']);
const CODE = filesOf(['.ts', '.tsx', '.cts', '.mjs']);
const SOURCES = [...CODE, ...filesOf(['.yaml'])];

/** "How comments cite" of the contract: which pages a contract is. */
const CONTRACTS = contractPages(readPage('shared/contract/README.md'));

function contractPages(index: string): Map<string, string[]> {
  const [, rows = ''] = /^\| Cited as .*\n\|.*\n((?:\|.*\n?)+)/m.exec(index) ?? [];
  const all = PAGES.filter((page) => page.startsWith('shared/contract/') && !page.endsWith('README.md'));
  return new Map(
    rows
      .trim()
      .split('\n')
      .map((row) => row.split('|').map((text) => text.trim()))
      .map(([, name = '', pages = '']) => {
        const named = [...pages.matchAll(/[\w-]+\.md/g)].map(([page]) => `shared/contract/${page}`);
        return [name.toLowerCase(), named.length === 0 ? all : named];
      }),
  );
}

/** Why the link leads nowhere; null when it does not. */
function brokenLink(page: string, target: string): string | null {
  const [path = '', anchor] = decodeURI(target).split('#');
  const file = path === '' ? page : relative(ROOT, join(ROOT, dirname(page), path));
  if (!existsSync(join(ROOT, file))) return `${page}: there is no ${path}`;
  if (anchor === undefined) return null;
  const anchors = headingsOf(readPage(file)).map(({ text }) => anchorOf(text));
  return anchors.includes(anchor) ? null : `${page}: ${file} has no heading #${anchor}`;
}

/** Why a citation is wrong; null when its heading, and the words behind it, are there. */
function brokenCitation({ file, contract, quotes }: ReturnType<typeof citationsOf>[number]): string | null {
  const pages = (CONTRACTS.get(contract) ?? []).map(readPage);
  const isHeading = (quote: string) =>
    pages.some((page) => headingsOf(page).some(({ text }) => text.toLowerCase() === quote.toLowerCase()));
  const isSaid = (quote: string) => pages.some((page) => page.replaceAll(/\s+/g, ' ').includes(quote));
  const [heading = '', ...words] = quotes;
  if (!isHeading(heading)) return `${file}: the ${contract} has no heading "${heading}"`;
  const wrong = words.find((quote) => !isHeading(quote) && !isSaid(quote));
  return wrong === undefined ? null : `${file}: the ${contract} does not say "${wrong}"`;
}

describe('the pages of the repository', () => {
  it('are many', () => {
    expect(PAGES).toContain('README.md');
    expect(PAGES.length).toBeGreaterThan(20);
    expect(CONTRACTS.size).toBe(5);
  });

  it('have no link that leads nowhere', () => {
    const broken = PAGES.flatMap((page) => linksOf(readPage(page)).map((target) => brokenLink(page, target)));
    expect(broken.length).toBeGreaterThan(30);
    expect(broken.filter((each) => each !== null)).toEqual([]);
  });

  it.each(PAGES)('%s names files, folders and scripts that are there', (page) => {
    expect([...missingPaths(page, readPage(page), FILES), ...missingScripts(readPage(page))]).toEqual([]);
  });

  it('are joined by comments, which name files and folders that are there', () => {
    const missing = CODE.flatMap((file) =>
      missingInComments(file, readPage(file), FILES).map((token) => `${file}: ${token}`),
    );
    expect(missing).toEqual([]);
  });

  it('are all reached from the README', () => {
    const reached = new Set(['README.md']);
    for (const page of reached) {
      for (const target of linksOf(readPage(page))) {
        const file = relative(ROOT, join(ROOT, dirname(page), target.split('#')[0] ?? ''));
        if (file.endsWith('.md') && existsSync(join(ROOT, file))) reached.add(file);
      }
    }
    expect(PAGES.filter((page) => !reached.has(page))).toEqual([]);
  });

  it('say what comments cite of the contract', () => {
    const citations = SOURCES.flatMap((file) => citationsOf(file, readPage(file)));
    expect(citations.length).toBeGreaterThan(20);
    expect(citations.map(brokenCitation).filter((each) => each !== null)).toEqual([]);
  });
});

describe('a page that is wrong', () => {
  it.each([
    ['README.md', 'shared/nowhere.md', 'README.md: there is no shared/nowhere.md'],
    ['README.md', 'cloud/README.md#nowhere', 'README.md: cloud/README.md has no heading #nowhere'],
  ])('is told: %s to %s', (page, target, reason) => {
    expect(brokenLink(page, target)).toBe(reason);
  });

  it('is told: the files, folders and scripts that are not there', () => {
    const text =
      '`cloud/gone.ts`, `gone-queries.ts`, `npx vitest run dist/test/gone.test.js`, `npm run gone`, `*-queries.ts`';
    expect(missingPaths('cloud/README.md', text, FILES)).toEqual([
      'cloud/gone.ts',
      'gone-queries.ts',
      'dist/test/gone.test.js',
    ]);
    expect(missingPaths('cloud/README.md', '`kernel/gone.ts`, `kernel/store/locks.ts`, `in/out`', FILES)).toEqual([
      'kernel/gone.ts',
    ]);
    expect(missingPaths('cloud/README.md', 'Save it there as `new.mjs`. `node new.mjs`', FILES)).toEqual([]);
    expect(missingScripts(text)).toEqual(['gone']);
  });

  it('is told, and so is a comment: the files and folders that are not there', () => {
    const text =
      "/** Like `cloud/gone.ts`, gone/gone-queries.ts. Not `*-queries.ts`. */ // See store/locks.ts, cloud/rest.\nconst text = 'cloud/none.ts';";
    expect(missingInComments('cloud/main.ts', text, FILES)).toEqual(['cloud/gone.ts', 'gone/gone-queries.ts']);
    expect(missingInComments('scripts/x.mjs', "// Makes dist/gone and dist/none.\nmake('dist/gone');", FILES)).toEqual(
      [],
    );
  });

  it.each([
    ['REST', ', "Nothing of this".', 'x.ts: the rest contract has no heading "Nothing of this"'],
    ['Realtime', ',\n * "Delivery", "lost in between".', 'x.ts: the realtime contract does not say "lost in between"'],
  ])('is told: the %s contract%s', (name, quotes, reason) => {
    // In two parts, because this file is checked, too.
    expect(citationsOf('x.ts', `/** ${name} contract${quotes} */`).map(brokenCitation)).toEqual([reason]);
  });
});
