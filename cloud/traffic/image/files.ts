/** What the stores of pictures ask the file system, where something may be gone at any moment. */
import { readdir } from 'node:fs/promises';

export function hasCode(error: unknown, codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}

/** null: the file or folder is not there. */
export async function ifThere<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    if (hasCode(error, ['ENOENT'])) return null;
    throw error;
  }
}

/** The names of the folders in a folder; none while it is not there. */
export async function foldersOf(directory: string): Promise<string[]> {
  const entries = (await ifThere(readdir(directory, { withFileTypes: true }))) ?? [];
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}
