/**
 * The form in which texts are compared whatever their case, in every script. `fold_case` is the same in SQL on each kind of database
 * (`fold-case-function.ts`): a server's own `lower` knows the letters of the language that its database was made for, and often those of ASCII
 * alone. Pure, and without imports: each worker thread of SQLite loads it.
 */

/** By way of the upper case, where ß and ﬁ are longer, and of the lower one before, as ẞ has none. The two small sigmas are one letter, and so are i and İ. */
export const foldCase = (text: string): string =>
  text.toLowerCase().toUpperCase().toLowerCase().normalize('NFC').replaceAll('ς', 'σ').replaceAll('i\u0307', 'i');
