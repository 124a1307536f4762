/** The words of the audit log. A change over REST and one by a site file are logged alike: action `zone.update`, target `zone 5`. */
import type { Resource } from './resource.js';

export type AuditVerb = 'create' | 'update' | 'delete';

/** `zone.update`. A resource with an `auditParent` has that first: `product.bound_license.create`. */
export const auditAction = ({ table, auditParent }: Pick<Resource, 'table' | 'auditParent'>, verb: AuditVerb): string =>
  [...(auditParent === null ? [] : [auditParent]), wordOf(table), verb].join('.');

/** `rgb display 5` */
export const auditTarget = ({ table }: Pick<Resource, 'table'>, id: number | string): string =>
  `${wordOf(table).replaceAll('_', ' ')} ${id}`;

const wordOf = (table: string): string => table.replace(/s$/, '');
