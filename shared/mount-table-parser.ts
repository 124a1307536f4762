/** What takes no writes although its file may be opened for them: `emergency_ro` is ext4 after an error, `shutdown` a file system that was stopped. */
const READ_ONLY: ReadonlySet<string> = new Set(['ro', 'emergency_ro', 'shutdown']);

/**
 * Why the file system of a path takes no writes, by its options.
 * @param table the text of `/proc/self/mountinfo`
 * @param path absolute, without symbolic links
 * @returns null: nothing speaks against it, or no line of the table fits
 */
export function readOnlyMount(table: string, path: string): string | null {
  let found: { mount: string; options: string[] } | null = null;
  for (const line of table.split('\n')) {
    const [own = '', ofFileSystem = ''] = line.split(' - ');
    const [, , , , escaped, options = ''] = own.split(' ');
    if (escaped === undefined) continue;
    const mount = unescaped(escaped);
    const isAbove = path === mount || path.startsWith(mount.endsWith('/') ? mount : `${mount}/`);
    // Of two at the same place the later one lies above the other.
    if (!isAbove || mount.length < (found?.mount.length ?? 0)) continue;
    found = { mount, options: [...options.split(','), ...(ofFileSystem.split(' ')[2] ?? '').split(',')] };
  }
  const option = found?.options.find((each) => READ_ONLY.has(each));
  return option === undefined ? null : `${found?.mount} is mounted read-only (${option})`;
}

/** Spaces and the like are written as `\040`. */
const unescaped = (text: string): string =>
  text.replaceAll(/\\([0-7]{3})/g, (_all, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
