/**
 * The attack: somebody who may write in one lot names things of another in every place where a request can name something: in its path and in
 * its body.
 */
import type { Attempt } from '../integration/http/race-things.js';
import { kindOfField } from '../integration/http/race-things.js';
import { isPublic, type OpenApiDocument, type OpenApiOperation, operationsOf } from '../contract/openapi-document.js';
import { fieldsOfBody } from '../integration/http/race-things.js';

/** Where a request names something out of reach. */
export interface Reach {
  route: string;
  method: string;
  path: string;
  operation: OpenApiOperation;
  /** The parameter of the path, or the field of the body. */
  at: { parameter: string } | { field: string };
}

/** What cannot be reached into: it names nothing, or a device has to answer first. */
const LEFT_OUT = /\/auth\/|^POST \/v2\/terminals$|\/logout$|profile$/;

/** Every place of every write where it names something. */
export function reachesOf(document: OpenApiDocument): Reach[] {
  return operationsOf(document).flatMap(({ method, path, operation }) => {
    const route = `${method} ${path}`;
    if (method === 'GET' || isPublic(operation) || LEFT_OUT.test(route)) return [];
    const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter = '']) => ({ parameter }));
    const fields = fieldsOfBody(operation, document).flatMap((field) => (kindOfField(field) ? [{ field }] : []));
    return [...parameters, ...fields].map((at) => ({ route, method, path, operation, at }));
  });
}

/** Things of one owner, by what a path or a field names. */
export interface Owned {
  attempt: Attempt;
  /** Of a parameter of a path. */
  named(path: string, parameter: string): Promise<number | string>;
}

/** Fills the path: the parameter at which it reaches has the target's id, the others have one's own. */
export async function reachingPath({ path, at }: Reach, things: { own: Owned; target: Owned }): Promise<string> {
  let filled = path;
  for (const [placeholder, parameter = ''] of path.matchAll(/\{(\w+)\}/g)) {
    const from = 'parameter' in at && at.parameter === parameter ? things.target : things.own;
    filled = filled.replace(placeholder, String(await from.named(path, parameter)));
  }
  return filled;
}
