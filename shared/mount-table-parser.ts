/**
 * Mount options that mean that writes fail, although files may still be opened for writing: `emergency_ro` is ext4 after an error, `shutdown`
 * a file system that was stopped.
 */
const READ_ONLY: ReadonlySet<string> = new Set(['ro', 'emergency_ro', 'shutdown']);

/**
 * Returns why the file system of a path is not writable, from its mount options.
 * @param table the text of `/proc/self/mountinfo`
 * @param path absolute, without symbolic links
 * @returns null: no option forbids writing, or the table has no mount for the path
 */
export function readOnlyMount(table: string, path: string): string | null {
  let found: { mount: string; options: string[] } | null = null;
  for (const line of table.split('\n')) {
    const [own = '', ofFileSystem = ''] = line.split(' - ');
    const [, , , , escaped, options = ''] = own.split(' ');
    if (escaped === undefined) continue;
    const mount = unescaped(escaped);
    const isAbove = path === mount || path.startsWith(mount.endsWith('/') ? mount : `${mount}/`);
    // The later of two mounts at the same place covers the other.
    if (!isAbove || mount.length < (found?.mount.length ?? 0)) continue;
    found = { mount, options: [...options.split(','), ...(ofFileSystem.split(' ')[2] ?? '').split(',')] };
  }
  const option = found?.options.find((each) => READ_ONLY.has(each));
  return option === undefined ? null : `${found?.mount} is mounted read-only (${option})`;
}

/** Returns where file systems are mounted, in the order of the table. @param table the text of `/proc/self/mountinfo` */
export function mountPoints(table: string): string[] {
  return table.split('\n').flatMap((line) => {
    const [, , , , escaped] = line.split(' ');
    return escaped === undefined ? [] : unescaped(escaped);
  });
}

/** Decodes the octal escapes of the table: a space is `\040`. */
const unescaped = (text: string): string =>
  text.replaceAll(/\\([0-7]{3})/g, (_all, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
