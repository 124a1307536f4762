// Puts the guides (cloud/guides/*.md, and the pages of the packages that they name) as HTML beside the cloud's pages that show them: one
// file, in the order of the guides' contents. The build fails on a link that leads to no page.
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path/posix';
import { Marked } from 'marked';

const CONTENTS = 'cloud/guides/README.md';
const TARGET = 'dist/cloud/rest/document/guides.json';

/** For files that are called README: the last step of the page's address. */
const NAMES_OF_READMES = { 'shared/client/README.md': 'client', 'scripts/sim/double/README.md': 'parking-sim' };

const addressOf = (file) =>
  file === CONTENTS ? '/docs/guides' : `/docs/guides/${NAMES_OF_READMES[file] ?? basename(file, '.md')}`;

/** In the repository a guide links to files; as a page, to pages. @returns undefined for a link to elsewhere */
function targetOf(file, href) {
  if (/^(\w+:|\/)/.test(href)) return undefined;
  const [path, part] = href.split('#');
  return { file: path === '' ? file : join(dirname(file), path), part };
}

const textOf = (file) => readFileSync(file, 'utf8');
const linksIn = (text) => [...text.matchAll(/(?<!!\[[^\]]*)\]\(([^)\s]+)\)/g)].map(([, href]) => href);

const files = [CONTENTS, ...linksIn(textOf(CONTENTS)).flatMap((href) => targetOf(CONTENTS, href)?.file ?? [])];
const pages = files.map(pageOf);
const known = new Set(pages.flatMap(({ path, parts }) => [path, ...parts.map((part) => `${path}#${part}`)]));
const astray = pages.flatMap(({ path, links }) =>
  links.filter((link) => !known.has(link)).map((link) => `${path}: ${link}`),
);
if (astray.length > 0) throw new Error(`links of the guides that lead to no page:\n${astray.join('\n')}`);
writeFileSync(TARGET, JSON.stringify(pages.map(({ path, title, html }) => ({ path, title, html }))));

/** @returns a page, the ids of its headings as `parts`, and the addresses of pages to which it links */
function pageOf(file) {
  const links = [];
  const parts = [];
  const marked = new Marked({
    gfm: true,
    walkTokens(token) {
      const target = token.type === 'link' ? targetOf(file, token.href) : undefined;
      if (target === undefined) return;
      token.href = addressOf(target.file) + (target.part === undefined ? '' : `#${target.part}`);
      links.push(token.href);
    },
    renderer: {
      // A page asks nobody for anything: its pictures are in it.
      image({ href, text }) {
        const bytes = readFileSync(join(dirname(file), href)).toString('base64');
        return `<img src="data:image/svg+xml;base64,${bytes}" alt="${text.replaceAll('"', '&quot;')}">`;
      },
      heading({ tokens, depth, text }) {
        const id = idOf(text);
        parts.push(id);
        return `<h${depth} id="${id}"><a href="#${id}">${this.parser.parseInline(tokens)}</a></h${depth}>\n`;
      },
    },
  });
  const text = textOf(file);
  const [, title] = /^# (.+)$/m.exec(text) ?? [];
  if (title === undefined) throw new Error(`${file} has no title`);
  const html = marked.parse(text, { async: false });
  if (new Set(parts).size < parts.length) throw new Error(`${file} has two headings of the same words`);
  return { path: addressOf(file), title, html: withWideTables(html), parts, links };
}

/** As the repository's pages show it: links to a heading are the same in both. */
function idOf(heading) {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .replaceAll(/\s/g, '-');
}

/** A table that is wider than a phone scrolls by itself. */
function withWideTables(html) {
  return html.replaceAll('<table>', '<div class="wide"><table>').replaceAll('</table>', '</table></div>');
}
