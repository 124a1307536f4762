/** A request as a program makes it that uses our client. */
import type { ShownCall } from './sentences.js';

interface RouteOfCall {
  /** `/v2/groups/{id}/members/{memberId}` */
  route: string;
  ids: Readonly<Record<string, number | string>>;
}

/** Lists whose ids have another name than the thing of the list; the others' second one is `memberId` of `members`. */
const NAMES: Readonly<Record<string, string>> = {
  commands: 'event_id',
  'bound-licenses': 'licenseId',
  receivers: 'reciverId',
};
const isId = (part: string, list: string): boolean =>
  /^\d+$/.test(part) ||
  (list === 'commands' && /^[\da-f]{8}$/.test(part)) ||
  (list === 'weblinks' && part.length >= 12);

/** Takes the ids out of a path again. @param path `/v2/groups/5/members/7`, without query */
export function routeOf(path: string): RouteOfCall {
  const ids: Record<string, number | string> = {};
  const parts = path.split('/').map((part, at, all) => {
    const list = all[at - 1] ?? '';
    if (!isId(part, list)) return part;
    const first = Object.keys(ids).length === 0;
    const name = NAMES[list] ?? (first ? 'id' : `${singular(list)}Id`);
    ids[name] = /^\d+$/.test(part) ? Number(part) : part;
    return `{${name}}`;
  });
  return { route: parts.join('/'), ids };
}

const singular = (list: string): string => list.replace(/ies$/, 'y').replace(/s$/, '');

/** @param origin where the service is: `https://HOST` */
export function typeScriptOf({ method, path, body }: ShownCall, origin: string): string {
  const [bare = '', search = ''] = path.split('?');
  const { route, ids } = routeOf(bare);
  const query = queryOf(search);
  const options = [
    ...(Object.keys(ids).length === 0 ? [] : [`path: ${literal(ids)}`]),
    ...(Object.keys(query).length === 0 ? [] : [`query: ${literal(query)}`]),
    ...(body === undefined ? [] : [`body: ${literal(body)}`]),
  ];
  const given = options.length === 0 ? '' : `, {\n${options.map((each) => `  ${each},\n`).join('')}}`;
  return [
    `import { createClient } from '@parking-gateway/client';`,
    '',
    `const client = createClient({ baseUrl: ${quoted(origin)}, token });`,
    `const data = await client.${method.toLowerCase()}(${quoted(route)}${given});`,
  ].join('\n');
}

function queryOf(search: string): Record<string, string | string[]> {
  const found = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(search)) found.set(name, [...(found.get(name) ?? []), value]);
  return Object.fromEntries(
    [...found].map(([name, values]) => [name, values.length === 1 ? (values[0] ?? '') : values]),
  );
}

const quoted = (text: string): string => `'${text.replaceAll(/[\\']/g, '\\$&').replaceAll('\n', '\\n')}'`;

/** A value as TypeScript writes it, on one line. */
function literal(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).flatMap(([name, each]) =>
    each === undefined ? [] : [`${/^[A-Za-z_]\w*$/.test(name) ? name : quoted(name)}: ${literal(each)}`],
  );
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
}
