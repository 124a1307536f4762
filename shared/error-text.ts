/** Returns the message of an error, or anything else that was thrown as text. */
export const errorText = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));
