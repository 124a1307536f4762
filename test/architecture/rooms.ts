/** `cloud/traffic/session` of `cloud/traffic/session/session-bill.ts`; null for what is in no room of a program, as the entry of a wing. */
export const roomOf = (path: string): string | null =>
  /^(?:agent\/[^/]+|cloud\/console|cloud\/[^/]+\/[^/]+)(?=\/)/.exec(path)?.[0] ?? null;

/** `cloud/traffic` of each file in it. The console is a wing with one room. null: in no wing. */
export const wingOf = (path: string): string | null => /^cloud\/[^/]+(?=\/)/.exec(path)?.[0] ?? null;
