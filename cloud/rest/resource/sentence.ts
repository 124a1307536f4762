/** Capitalises a lower-case reason for REST. */
export const sentence = (reason: string): string => reason.slice(0, 1).toUpperCase() + reason.slice(1);
