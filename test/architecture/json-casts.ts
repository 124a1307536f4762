import { parseSync } from 'oxc-parser';

type Node = Record<string, unknown> & { type: string };

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

/** Where a source gives what `JSON.parse` returns a type: `JSON.parse(text) as Site`, `const site: Site = JSON.parse(text)`. */
export function castsOfJson(path: string, text: string): string[] {
  if (!text.includes('JSON.parse')) return [];
  const casts: string[] = [];
  visit(parseSync(path, text).program);
  return casts;

  function visit(value: unknown): void {
    if (Array.isArray(value)) return value.forEach(visit);
    if (!isNode(value)) return;
    if (isCast(value)) casts.push(text.slice(Number(value.start), Number(value.end)).replaceAll(/\s+/g, ' '));
    Object.values(value).forEach(visit);
  }
}

function isCast(node: Node): boolean {
  switch (node.type) {
    case 'TSAsExpression':
    case 'TSTypeAssertion':
      return isParse(node.expression) && !isUnknown(node.typeAnnotation);
    case 'VariableDeclarator':
      return isParse(node.init) && isNode(node.id) && isTyped(node.id.typeAnnotation);
    case 'ArrowFunctionExpression':
      return isParse(node.body) && isTyped(node.returnType);
    default:
      return false;
  }
}

/** `: Site`; nothing and `: unknown` are none. */
const isTyped = (annotation: unknown): boolean => isNode(annotation) && !isUnknown(annotation.typeAnnotation);
const isUnknown = (type: unknown): boolean => isNode(type) && type.type === 'TSUnknownKeyword';

/** A call of `JSON.parse`, whatever stands around it. */
function isParse(node: unknown): boolean {
  if (!isNode(node)) return false;
  if (node.type === 'ParenthesizedExpression' || node.type === 'TSAsExpression' || node.type === 'TSNonNullExpression')
    return isParse(node.expression);
  if (node.type !== 'CallExpression' || !isNode(node.callee) || node.callee.type !== 'MemberExpression') return false;
  const { object, property } = node.callee;
  return isNode(object) && object.name === 'JSON' && isNode(property) && property.name === 'parse';
}
