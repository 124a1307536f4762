/** GET /docs: one page without a framework that shows /openapi.json. It asks nothing of any other host. */
import { createHash } from 'node:crypto';

const STYLE = `
:root { color-scheme: light dark; --line: #8884; --dim: #888; --accent: #2563eb; }
* { box-sizing: border-box; }
body { margin: 0; font: 15px/1.5 system-ui, sans-serif; display: grid; grid-template-columns: 17rem 1fr; }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1rem; border-right: 1px solid var(--line); }
nav a { display: block; color: inherit; text-decoration: none; padding: .15rem 0; }
nav a:hover { color: var(--accent); }
main { padding: 1rem 2rem 4rem; min-width: 0; max-width: 70rem; }
h1 { margin: 0 0 .5rem; font-size: 1.5rem; }
h2 { margin: 2.5rem 0 .5rem; font-size: 1.2rem; }
input { width: 100%; padding: .4rem .6rem; margin-bottom: 1rem; font: inherit; }
details { border: 1px solid var(--line); border-radius: .4rem; margin: .4rem 0; }
details > div { padding: 0 1rem 1rem; border-top: 1px solid var(--line); }
summary { padding: .45rem .8rem; cursor: pointer; overflow-wrap: anywhere; }
summary span { color: var(--dim); margin-left: .6rem; }
.method { display: inline-block; width: 4.2rem; font-weight: 700; font-size: .8rem; color: var(--accent); }
h3 { font-size: .95rem; margin: 1rem 0 .3rem; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
td, th { text-align: left; vertical-align: top; padding: .25rem .6rem .25rem 0; border-bottom: 1px solid var(--line); }
td:last-child { white-space: pre-line; }
code, pre { font: .85rem/1.45 ui-monospace, monospace; }
pre { overflow: auto; padding: .7rem; margin: 0; border: 1px solid var(--line); border-radius: .4rem; }
@media (max-width: 50rem) { body { display: block; } nav { position: static; height: auto; border: 0; } main { padding: 1rem; } }
`;

const SCRIPT = `
'use strict';
const element = (name, options = {}, ...children) => {
  const made = Object.assign(document.createElement(name), options);
  made.append(...children.filter((child) => child !== null));
  return made;
};

/** A schema as people read it: one line for what is simple, braces for objects. */
function typeText(schema, components, indent = '', seen = []) {
  if (schema === undefined) return 'anything';
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').pop();
    if (seen.includes(name)) return name;
    return typeText(components[name], components, indent, [...seen, name]);
  }
  if (schema.allOf !== undefined) return schema.allOf.map((each) => typeText(each, components, indent, seen)).join(' & ');
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return choices.map((each) => typeText(each, components, indent, seen)).join(' | ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((each) => JSON.stringify(each)).join(' | ');
  const types = [schema.type ?? 'anything'].flat();
  if (types.includes('array')) {
    return typeText(schema.items, components, indent, seen) + '[]' + (types.includes('null') ? ' | null' : '');
  }
  if (schema.properties !== undefined) {
    const inner = indent + '  ';
    const required = schema.required ?? [];
    const lines = Object.entries(schema.properties).map(
      ([key, value]) =>
        inner + key + (required.includes(key) ? '' : '?') + ': ' + typeText(value, components, inner, seen),
    );
    return lines.length === 0 ? '{}' : '{\\n' + lines.join('\\n') + '\\n' + indent + '}' + (types.includes('null') ? ' | null' : '');
  }
  const bounds = ['format', 'minimum', 'maximum', 'minLength', 'maxLength', 'pattern', 'default']
    .filter((key) => schema[key] !== undefined)
    .map((key) => key + ' ' + JSON.stringify(schema[key]));
  return types.join(' | ') + (bounds.length === 0 ? '' : ' (' + bounds.join(', ') + ')');
}

const withCode = (text) => text.split('\`').map((part, at) => (at % 2 === 1 ? element('code', {}, part) : part));

const table = (rows) =>
  element('table', {}, ...rows.map((cells) => element('tr', {}, ...cells.map((cell) => element('td', {}, ...withCode(cell))))));

function operationView({ method, path, operation }, components) {
  const body = operation.requestBody?.content?.['application/json']?.schema;
  const parts = [
    element('p', {}, operation.security === undefined ? 'Without a bearer.' : 'Bearer of: ' + operation['x-roles'].join(', ')),
  ];
  if (operation.parameters?.length > 0) {
    parts.push(element('h3', {}, 'Parameters'));
    const rows = operation.parameters.map((each) => [
      element('code', {}, each.name + (each.required ? '' : '?')),
      each.in,
      [typeText(each.schema, components), each.schema?.description ?? each.description ?? ''].filter(Boolean).join('\\n'),
    ]);
    parts.push(table(rows));
  }
  if (body !== undefined) parts.push(element('h3', {}, 'Body'), element('pre', {}, typeText(body, components)));
  for (const [status, response] of Object.entries(operation.responses).filter(([status]) => status === '200')) {
    for (const [type, content] of Object.entries(response.content ?? {})) {
      parts.push(element('h3', {}, status + ' ' + type), element('pre', {}, typeText(content.schema, components)));
    }
  }
  const errors = Object.entries(operation.responses).filter(([status]) => status !== '200');
  parts.push(element('h3', {}, 'Errors'), table(errors.map(([status, { description }]) => [status, description])));
  return element('div', {}, ...parts);
}

function entryView(entry, components) {
  const summary = element(
    'summary',
    {},
    element('b', { className: 'method' }, entry.method.toUpperCase()),
    element('code', {}, entry.path),
    element('span', {}, entry.operation.summary ?? ''),
  );
  const details = element('details', {}, summary);
  details.dataset.words = (entry.method + ' ' + entry.path + ' ' + entry.operation.summary).toLowerCase();
  details.addEventListener('toggle', () => {
    if (details.open && details.childElementCount === 1) details.append(operationView(entry, components));
  });
  return details;
}

function show(description) {
  const components = description.components?.schemas ?? {};
  const tags = new Map();
  for (const [path, methods] of Object.entries(description.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const [tag = 'Other'] = operation.tags ?? [];
      tags.set(tag, [...(tags.get(tag) ?? []), { method, path, operation }]);
    }
  }
  document.title = description.info.title;
  const search = element('input', { type: 'search', placeholder: 'Find an endpoint' });
  search.setAttribute('aria-label', 'Find an endpoint');
  const nav = element('nav', {}, search);
  const main = element('main', {}, element('h1', {}, description.info.title), element('p', {}, ...withCode(description.info.description)));
  for (const [tag, entries] of [...tags].sort(([a], [b]) => a.localeCompare(b))) {
    const id = tag.toLowerCase().replace(/[^a-z]+/g, '-');
    nav.append(element('a', { href: '#' + id }, tag));
    main.append(element('section', {}, element('h2', { id }, tag), ...entries.map((each) => entryView(each, components))));
  }
  search.addEventListener('input', () => {
    const wanted = search.value.toLowerCase();
    for (const section of main.querySelectorAll('section')) {
      const entries = [...section.querySelectorAll('details')];
      for (const each of entries) each.hidden = !each.dataset.words.includes(wanted);
      section.hidden = entries.every((each) => each.hidden);
    }
  });
  document.body.replaceChildren(nav, main);
}

fetch('/openapi.json')
  .then((response) => response.json())
  .then(show)
  .catch((error) => document.body.replaceChildren('The document could not be read: ' + error.message));
`;

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}'`;

/** Nothing but this page's own script and style, and requests to its own host. */
export const DOCS_PAGE_POLICY = [
  "default-src 'none'",
  `script-src ${hashOf(SCRIPT)}`,
  `style-src ${hashOf(STYLE)}`,
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export const DOCS_PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>Interface</title>
<style>${STYLE}</style>
<body>
<main>Loading the document.</main>
<script>${SCRIPT}</script>
</body>
</html>
`;
