/** Returns what is said of a failure: the message of an error, or whatever else was thrown as text. */
export const errorText = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));
