// Puts the guides (cloud/guides/*.md) as HTML beside the cloud's pages that show them: one file, in the order of the guides' contents.
import { readFileSync, writeFileSync } from 'node:fs';
import { marked } from 'marked';

const SOURCE = 'cloud/guides';
const TARGET = 'dist/cloud/http/guides.json';
const CONTENTS = 'README';

/** In the repository a guide links to files; as a page, to pages. */
const LINK_TO_GUIDE = /\]\(([\w-]+)\.md(#[\w-]+)?\)/g;

const pageOf = (name) => (name === CONTENTS ? '/docs/guides' : `/docs/guides/${name}`);

function guideOf(name) {
  const text = readFileSync(`${SOURCE}/${name}.md`, 'utf8');
  const [, title] = /^# (.+)$/m.exec(text) ?? [];
  if (title === undefined) throw new Error(`${SOURCE}/${name}.md has no title`);
  const linked = text.replaceAll(LINK_TO_GUIDE, (_link, to, part = '') => `](${pageOf(to)}${part})`);
  return { path: pageOf(name), title, html: htmlOf(linked) };
}

/** A table that is wider than a phone scrolls by itself. */
const htmlOf = (text) =>
  marked
    .parse(text, { async: false, gfm: true })
    .replaceAll('<table>', '<div class="wide"><table>')
    .replaceAll('</table>', '</table></div>');

const contents = readFileSync(`${SOURCE}/${CONTENTS}.md`, 'utf8');
const names = [...contents.matchAll(LINK_TO_GUIDE)].map(([, name]) => name);
writeFileSync(TARGET, JSON.stringify([CONTENTS, ...names].map(guideOf)));
