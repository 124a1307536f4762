/** Access to files and folders that another process may remove at any moment. */
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

/** Lists the names of the folders in a folder; empty if the folder does not exist. */
export async function foldersOf(directory: string): Promise<string[]> {
  const entries = (await ifThere(readdir(directory, { withFileTypes: true }))) ?? [];
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}
