/** The frame of the pages under /docs: the reference and the guides. */

const inText = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** Scalar keeps as much room at the top of the reference as the variable says. */
const STYLE = `
:root { color-scheme: light dark; --bar: 44px; --scalar-custom-header-height: var(--bar); --link: #0b57d0; --line: #dadce0; --code: #f3f4f6 }
@media (prefers-color-scheme: dark) { :root { --link: #8ab4f8; --line: #3c4043; --code: #1f2124 } }
body { margin: 0; background: Canvas; color: CanvasText; font: 16px/1.6 system-ui, sans-serif }
.bar { position: sticky; top: 0; z-index: 100; display: flex; gap: 20px; align-items: center; height: var(--bar); box-sizing: border-box;
  padding: 0 20px; border-bottom: 1px solid var(--line); background: Canvas; font: 14px/1 system-ui, sans-serif; overflow-x: auto; white-space: nowrap }
.bar a { color: inherit; text-decoration: none }
.bar a:hover, .bar a[aria-current] { color: var(--link) }
.guide { max-width: 860px; margin: 0 auto; padding: 8px 20px 64px }
.guide h1 { line-height: 1.2 }
.guide h2 { margin-top: 2em; line-height: 1.3 }
.guide a { color: var(--link) }
.guide code { background: var(--code); border-radius: 4px; padding: 1px 4px; font: 0.8125em/1.6 ui-monospace, monospace; overflow-wrap: anywhere }
.guide pre { background: var(--code); border-radius: 8px; padding: 12px 16px; overflow-x: auto }
.guide pre code { padding: 0; overflow-wrap: normal }
.guide .wide { overflow-x: auto }
.guide table { border-collapse: collapse; width: 100% }
.guide th, .guide td { border-bottom: 1px solid var(--line); padding: 6px 16px 6px 0; text-align: left; vertical-align: top }
`;

const LINKS = [
  { path: '/docs', text: 'Reference' },
  { path: '/docs/guides', text: 'Guides' },
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
<title>${inText(page.title)}</title>
<style>${STYLE}</style>
</head>
<body>
<nav class="bar">${LINKS.map((link) => linkTo(link, page.path)).join('')}</nav>
${page.content}
</body>
</html>
`;

const linkTo = ({ path, text }: (typeof LINKS)[number], current: string): string =>
  `<a href="${path}"${path === current ? ' aria-current="page"' : ''}>${inText(text)}</a>`;
