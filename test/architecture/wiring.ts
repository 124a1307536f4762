import { parseSync, Visitor } from 'oxc-parser';
import type { SourceFile } from './source-graph.js';

type Node = { type: string; start: number; end: number } & Record<string, unknown>;

/** A function that makes a part: its name says it. */
const MAKER = /^(create|open|start|build)[A-Z]/;
/** The names of what holds everything that a part, or several parts, were given. */
const BAG = /^(deps|options|given|parts|rooms|world|context|common|shared|base)$|(Deps|Options|Parts|Rooms)$/;

/** Where a source leaves open what a part is given when it is made. */
export interface OpenWiring {
  /** Members that may be missing, of the types `…Deps`. */
  ofDeps: string[];
  /** The same of what a maker takes by another type that is written at it, or in its file. */
  ofMakers: string[];
  /** Bags that are spread: among the arguments of a maker, or by their name. */
  spread: string[];
}

export function openWiring(path: string, text: string): OpenWiring {
  const textOf = ({ start, end }: { start: number; end: number }) => text.slice(start, end).replaceAll(/\s+/g, ' ');
  const types = new Map<string, unknown>();
  /** The types of what makers take, with their makers. */
  const made = new Map<unknown, string>();
  const spread = new Map<number, string>();

  function addParameters(name: string, parameters: unknown[]): void {
    for (const parameter of parameters) {
      const { typeAnnotation, left } = parameter as Node;
      const annotation = (typeAnnotation ?? (left as Node | undefined)?.typeAnnotation) as Node | undefined;
      if (annotation !== undefined && annotation !== null) made.set(annotation.typeAnnotation, name);
    }
  }
  new Visitor({
    TSInterfaceDeclaration: ({ id, body }) => void types.set(id.name, body),
    TSTypeAliasDeclaration: ({ id, typeAnnotation }) => void types.set(id.name, typeAnnotation),
    FunctionDeclaration: ({ id, params }) => MAKER.test(id?.name ?? '') && addParameters(id?.name ?? '', params),
    VariableDeclarator({ id, init }) {
      if (id.type === 'Identifier' && MAKER.test(id.name) && init?.type === 'ArrowFunctionExpression')
        addParameters(id.name, init.params);
    },
    CallExpression({ callee, arguments: given }) {
      if (callee.type !== 'Identifier' || !MAKER.test(callee.name)) return;
      for (const argument of given)
        for (const each of argument.type === 'ObjectExpression' ? argument.properties : [])
          if (each.type === 'SpreadElement') spread.set(each.start, `${callee.name}(${textOf(each)})`);
    },
    ObjectExpression({ properties }) {
      for (const each of properties)
        if (each.type === 'SpreadElement' && each.argument.type === 'Identifier' && BAG.test(each.argument.name))
          spread.set(each.start, spread.get(each.start) ?? textOf(each));
    },
  }).visit(parseSync(path, text).program);

  const looked = new Set<unknown>();
  const ofDeps = [...types].flatMap(([name, type]) => (name.endsWith('Deps') ? optionalIn(name, type) : []));
  return {
    ofDeps,
    ofMakers: [...made].flatMap(([type, name]) => optionalIn(name, type)),
    spread: [...spread.values()],
  };

  /** Those of the type, and of the types written inside it or named there and of this file; not those of its functions' parameters. */
  function optionalIn(name: string, type: unknown): string[] {
    if (typeof type !== 'object' || type === null || looked.has(type)) return [];
    looked.add(type);
    if (Array.isArray(type)) return type.flatMap((each) => optionalIn(name, each));
    const { type: kind, key, params: _, returnType: __, ...rest } = type as Node;
    const isMember = kind === 'TSPropertySignature' || kind === 'TSMethodSignature';
    const own = isMember && rest.optional === true ? [`${name}: ${textOf(key as Node)}`] : [];
    const other = kind === 'TSTypeReference' ? textOf(rest.typeName as Node) : '';
    const named = /(Deps|Options)$/.test(other) ? optionalIn(other, types.get(other)) : [];
    return [...own, ...named, ...Object.values(rest).flatMap((each) => optionalIn(name, each))];
  }
}

/** A package of its own, whose users leave out what they do not need. */
const CLIENT = 'shared/client/';

type Counted = keyof OpenWiring;

/** How many there are in each program. No more than that: none comes back. No fewer either: the figure follows downwards. */
const AT_MOST: Record<Counted, Record<string, number>> = {
  ofDeps: { agent: 0, shared: 0, scripts: 0, cloud: 0 },
  ofMakers: { agent: 26, shared: 8, scripts: 33, cloud: 42 },
  spread: { agent: 0, shared: 0, scripts: 23, cloud: 75 },
};

/** Every one of a program that has more than it may. */
export const wiringFaults = (files: readonly SourceFile[], counted: Counted): string[] =>
  Object.entries(AT_MOST[counted]).flatMap(([program, most]) => {
    const found = wiringIn(program, files, counted);
    return found.length > most ? found : [];
  });

/** Names the figures of `AT_MOST` that are higher than what is left. */
export const highFigures = (files: readonly SourceFile[]): string[] =>
  (Object.keys(AT_MOST) as Counted[]).flatMap((counted) =>
    Object.entries(AT_MOST[counted]).flatMap(([program, most]) => {
      const { length } = wiringIn(program, files, counted);
      return length < most ? [`AT_MOST of wiring.ts, ${counted}: write ${program}: ${length} instead of ${most}`] : [];
    }),
  );

const wiringIn = (program: string, files: readonly SourceFile[], counted: Counted): string[] =>
  files
    .filter(({ path }) => path.startsWith(`${program}/`) && !path.startsWith(CLIENT))
    .flatMap((file) => wiringOf(file)[counted].map((what) => `${file.path}: ${what}`));

/** Each file is read once for all rules. */
const readAlready = new WeakMap<SourceFile, OpenWiring>();

function wiringOf(file: SourceFile): OpenWiring {
  const wiring = readAlready.get(file) ?? openWiring(file.path, file.text);
  readAlready.set(file, wiring);
  return wiring;
}
