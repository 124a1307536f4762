/** Answers a change that the database refused because another request was faster. */
import { ApiError, VALIDATION } from '../../../shared/errors.js';
import { isStoreError } from '../../kernel/store/entry.js';

/**
 * @param work changes something, after its checks
 * @param check the checks of the request: done again, they say what has gone since. Resolves when they find nothing
 * @throws ApiError NOT_FOUND or VALIDATION instead of an error of the database's constraints
 */
export async function explainingConflicts<T>(work: () => Promise<T>, check: () => Promise<unknown>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isStoreError(error, 'foreign_key') && !isStoreError(error, 'unique')) throw error;
    await check();
    throw new ApiError(VALIDATION, { field: 'body', message: 'Another request changed what it names', cause: error });
  }
}
