/** The steps of a plan. */
import type { ColumnValue } from '../../rest/entry.js';
import type { DeclaredThing, PresentThing, SealedSecret, SiteId, ThingKey, ThingLink } from './site-things.js';

export type SiteStep =
  | { action: 'create'; thing: DeclaredThing; write: SiteWrite }
  | { action: 'change'; thing: DeclaredThing; id: SiteId; write: SiteWrite }
  | { action: 'unchanged'; thing: DeclaredThing; id: SiteId }
  | { action: 'remove'; present: PresentThing }
  | { action: 'keep'; present: PresentThing };

/** The columns to write: as they are, sealed, or with the id of a thing. */
export interface SiteWrite {
  values: Record<string, ColumnValue>;
  sealed: Record<string, SealedSecret>;
  references: Record<string, ThingKey | null>;
  links: (Omit<ThingLink, 'to'> & { to: ThingKey[] })[];
}

/** A step for a thing that the file declares. */
export type WantedStep = Exclude<SiteStep, { present: PresentThing }>;
