/** The frame of the pages under /docs: the reference and the guides. */

export const inText = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

const STYLE = `
:root { color-scheme: light dark; --bar: 44px; --link: #0b57d0; --line: #dadce0; --code: #f3f4f6 }
@media (prefers-color-scheme: dark) { :root { --link: #8ab4f8; --line: #3c4043; --code: #1f2124 } }
body { margin: 0; background: Canvas; color: CanvasText; font: 16px/1.6 system-ui, sans-serif }
.bar { position: sticky; top: 0; z-index: 100; display: flex; gap: 20px; align-items: center; height: var(--bar); box-sizing: border-box;
  padding: 0 20px; border-bottom: 1px solid var(--line); background: Canvas; font: 14px/1 system-ui, sans-serif; overflow-x: auto; white-space: nowrap }
.bar a { color: inherit; text-decoration: none }
.bar a:hover, .bar a[aria-current] { color: var(--link) }
.viewer { display: block; width: 100%; height: calc(100vh - var(--bar)); border: 0 }
.guide { max-width: 860px; margin: 0 auto; padding: 8px 20px 64px; overflow-wrap: break-word }
.guide h1 { line-height: 1.2 }
.guide h2 { margin-top: 2em; line-height: 1.3 }
.guide h1, .guide h2, .guide h3 { scroll-margin-top: calc(var(--bar) + 12px) }
.guide a { color: var(--link) }
.guide :is(h1, h2, h3) a { color: inherit; text-decoration: none }
.guide :is(h1, h2, h3) a:hover { text-decoration: underline }
.guide code { background: var(--code); border-radius: 4px; padding: 1px 4px; font: 0.8125em/1.6 ui-monospace, monospace }
.guide pre { background: var(--code); border-radius: 8px; padding: 12px 16px; white-space: pre-wrap; overflow-wrap: anywhere }
.guide pre code { padding: 0 }
.guide .wide { overflow-x: auto }
.guide table { border-collapse: collapse; width: 100%; min-width: 560px; overflow-wrap: normal }
.guide th, .guide td { border-bottom: 1px solid var(--line); padding: 6px 16px 6px 0; text-align: left; vertical-align: top }
.guide td:first-child code { white-space: nowrap }
.guide .neighbours { display: flex; flex-wrap: wrap; gap: 8px 20px; margin-top: 48px; padding-top: 16px; border-top: 1px solid var(--line) }
.guide .neighbours [rel="next"] { margin-left: auto }
.guide img { display: block; max-width: 100%; height: auto; margin: 12px 0 }
@page { size: A4; margin: 12mm 14mm }
@media print {
  :root { color-scheme: light }
  body { font-size: 8.5pt; line-height: 1.3 }
  .bar, .neighbours { display: none !important }
  .guide { max-width: none; padding: 0 }
  .guide h1 { margin: 0 0 4pt }
  .guide h2 { margin: 9pt 0 2pt; break-after: avoid }
  .guide :is(p, ul, ol) { margin: 3pt 0 }
  .guide td, .guide th { padding: 1.5pt 10pt 1.5pt 0 }
  .guide tr, .guide img, .guide pre { break-inside: avoid }
  .guide pre { padding: 4pt 8pt; margin: 4pt 0; font-size: 8pt }
  .guide img { margin: 3pt 0; width: 78% }
  .guide hr ~ p img { width: 56% }
  .guide hr { break-after: page; visibility: hidden; margin: 0 }
}
`;

const GUIDES = '/docs/guides';

const LINKS = [
  { path: '/docs', text: 'Reference' },
  { path: GUIDES, text: 'Guides' },
  { path: '/docs/guides/first-gate', text: 'Your first gate' },
  { path: '/openapi.json', text: 'OpenAPI' },
  { path: '/asyncapi.json', text: 'AsyncAPI' },
];

/** @param page.path where it is served. @param page.content HTML */
export const documentPage = (page: { path: string; title: string; content: string }): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>${inText(page.title)} - Parking interface</title>
<style>${STYLE}</style>
</head>
<body>
<nav class="bar">${LINKS.map((link) => linkTo(link, page.path)).join('')}</nav>
${page.content}
</body>
</html>
`;

const linkTo = ({ path, text }: (typeof LINKS)[number], current: string): string =>
  `<a href="${path}"${markOf(path, current)}>${inText(text)}</a>`;

/** A page is marked in the bar, and the contents of which it is part. */
function markOf(path: string, current: string): string {
  if (path === current) return ' aria-current="page"';
  return path === GUIDES && current.startsWith(`${GUIDES}/`) ? ' aria-current="true"' : '';
}
