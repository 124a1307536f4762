/** A section as it was last built, and the messages that bring a gateway from one state of it to another. */
import { changeRevision, EMPTY_REVISION } from '../../../shared/config-revision.js';
import type { ConfigMessage, ConfigSection } from '../../../shared/gateway-config.js';
import type { JsonText } from '../../../shared/json-text-codec.js';

export interface SectionState {
  revision: string;
  /** Items as JSON, so that 50,000 plates need little memory and are compared as text. */
  texts: ReadonlyMap<string, string>;
}

export const EMPTY_SECTION: SectionState = { revision: EMPTY_REVISION, texts: new Map() };

/** Builds the section with these items. It hashes only what changed, and returns the same object when nothing did. */
export function nextSection(previous: SectionState, items: Iterable<readonly [string, unknown]>): SectionState {
  const texts = new Map<string, string>();
  const added: [string, unknown][] = [];
  const removed: [string, unknown][] = [];
  for (const [key, item] of items) {
    const text = JSON.stringify(item);
    const before = previous.texts.get(key);
    texts.set(key, text);
    if (before === text) continue;
    added.push([key, item]);
    if (before !== undefined) removed.push([key, JSON.parse(before)]);
  }
  for (const [key, text] of previous.texts) if (!texts.has(key)) removed.push([key, JSON.parse(text)]);
  if (added.length === 0 && removed.length === 0) return previous;
  return { revision: changeRevision(previous.revision, { added, removed }), texts };
}

type Applied = ConfigMessage['applied'];

/** Writes the whole section as JSON text of a ConfigMessage. */
export function snapshotText(section: ConfigSection, state: SectionState, applied: Applied): JsonText<ConfigMessage> {
  return messageText({ section, base: null, revision: state.revision, remove: [], applied }, state.texts);
}

/** Writes the difference between two states as JSON text of a ConfigMessage. */
export function deltaText(
  section: ConfigSection,
  step: { from: SectionState; to: SectionState; applied: Applied },
): JsonText<ConfigMessage> {
  const { from, to, applied } = step;
  const upsert = new Map<string, string>();
  const remove: string[] = [];
  if (from !== to) {
    for (const [key, text] of to.texts) if (from.texts.get(key) !== text) upsert.set(key, text);
    for (const key of from.texts.keys()) if (!to.texts.has(key)) remove.push(key);
  }
  return messageText({ section, base: from.revision, revision: to.revision, remove, applied }, upsert);
}

/** The items are already JSON and are inserted as they are. */
function messageText(
  head: Omit<ConfigMessage, 'upsert'>,
  upsert: ReadonlyMap<string, string>,
): JsonText<ConfigMessage> {
  const items = Array.from(upsert, ([key, text]) => `${JSON.stringify(key)}:${text}`).join(',');
  return `${JSON.stringify(head).slice(0, -1)},"upsert":{${items}}}` as JsonText<ConfigMessage>;
}
