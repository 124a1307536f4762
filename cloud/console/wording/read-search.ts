/** The search over all reads: what the address asks for, as the service's filters. */

export interface ReadsAsked {
  /** A part of a plate, or with `*` and `?` what the whole plate has to be like. */
  plate: string;
  /** Whether plates that look like it are meant, too. */
  isAlike: boolean;
}

/** Whether a text says with `*` or `?` what a whole plate has to be like. */
export const isPlatePattern = (text: string): boolean => /[*?]/.test(text);

/** The filter of a plate; empty: none is asked for. */
export function filterOfPlate({ plate, isAlike }: ReadsAsked): string[] {
  const text = plate.trim();
  if (text === '') return [];
  if (isPlatePattern(text)) return [`plate:match:${text}`];
  return [isAlike ? `plate:look_alike:${text}` : `plate:like:${text}`];
}
