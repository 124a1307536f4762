/** Types of resources that REST manages. */
import type { ListTable } from '../list/list-table.js';
import type { Resource, RestForm } from '../resource/resource.js';

export type ResourceLists = ReadonlyMap<string, ListTable<{ id: number }>>;

/** A resource that REST manages. */
export type RestResource = Resource & { rest: RestForm };

export function isRestResource(resource: Resource): resource is RestResource {
  return resource.rest !== null;
}
