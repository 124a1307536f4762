/** Finds what a person means: commands take a thing by its name, in any case, or by its device id, as findings give it. Pure. */

/** There is no such thing, or there are several. Its message says which there are. */
export class NameError extends Error {}

export const isSameName = (given: string, name: string): boolean => plain(given) === plain(name);

const plain = (text: string): string => text.normalize('NFC').trim().toLowerCase();

/** @param kind the word for such a thing, for the message. @throws NameError */
export function findNamed<Item extends { name: string; device_id?: string }>(
  items: Iterable<Item>,
  name: string,
  kind: string,
): Item {
  const all = [...items];
  const byId = all.find(({ device_id }) => device_id === name);
  if (byId !== undefined) return byId;
  const fitting = all.filter((item) => isSameName(name, item.name));
  const [only] = fitting;
  if (only === undefined)
    throw new NameError(
      `this gateway has no ${kind} ${name}: ${all.map((item) => item.name).join(', ') || 'it has none'}`,
    );
  if (fitting.length > 1)
    throw new NameError(
      `several are called ${name}: name its device id, ${fitting.map((item) => item.device_id ?? item.name).join(' or ')}`,
    );
  return only;
}
